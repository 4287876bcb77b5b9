import { inspect } from 'node:util';
import { type Clock, type Failure, SignalError, systemClock } from '@vouch/contracts';
import { type LabContent, type LabOptions, pathologies, scripted, startLab } from '@vouch/lab';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSignal, defineTool } from '../src/index.ts';
import { responsesDialect } from '../src/registry/dialects.ts';
import { chatWires } from './support/chat-wires.ts';
import { drain } from './support/clients.ts';

// A hundred times as fast, so that a provider that stalls is found out soon.
const fast: Clock = {
  now: systemClock.now,
  after: (ms, callback) => systemClock.after(ms / 100, callback),
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
};

const hidden = 'h1dd3n';
const pier = defineTool({ name: 'find_berth', description: 'Finds a berth.', input: z.object({ pier: z.int() }), execute: () => 'found' });
const schema = z.object({ pier: z.int() });

const seal = /"(?:signature|data|thoughtSignature|encrypted_content)":"([^"]{8,})"/g;
const sealsIn = (body: string): readonly string[] => [...body.matchAll(seal)].map(([, found = '']) => found);

interface Seen {
  /** What each failing path gave: failures, errors, error events. */
  readonly failures: string;
  readonly count: number;
  /** The signatures and encrypted contents that the provider gave. */
  readonly seals: readonly string[];
  readonly bodies: string;
}

/** The failures of every verb against a lab, and the opaque data that the lab gave. */
async function failuresOf({ id, provider }: (typeof chatWires)[number], options: LabOptions): Promise<Seen> {
  const lab = await startLab(options);
  try {
    const bodies: Promise<string>[] = [];
    const fetch: typeof globalThis.fetch = async (...args) => {
      const response = await globalThis.fetch(...args);
      bodies.push(
        response
          .clone()
          .text()
          .catch(() => ''),
      );
      return response;
    };
    const settings = typeof provider === 'function' ? provider(lab) : provider;
    const dialect = id === 'openai-responses' ? { dialect: responsesDialect } : {};
    const client = createSignal(
      { baseUrl: lab.baseUrl, model: 'm', capabilities: { nativeTools: 'yes' }, ...settings, ...dialect, fetch },
      { clock: fast, random: () => 0, retries: 1, maxTurns: 2 },
    ).options({ network: { retries: 0 }, thinking: { mode: 'adaptive' } });
    const asking = client.schema(schema).tools([pier]);
    const failures: unknown[] = [];
    const result = await asking.tryComplete('Where?');
    if (!result.ok) failures.push(result.failure);
    await asking.complete('Where?').catch((error: unknown) => failures.push(error));
    for (const event of await drain(asking.stream('Where?'))) if (event.type === 'error') failures.push(event);
    const messages = [{ role: 'user', content: 'Where?' }] as const;
    await drain(client.stepStream({ messages })).catch((error: unknown) => failures.push(error));
    // The body of a reply that was broken off may never end.
    await lab.idle();
    const ended = (
      await Promise.all(bodies.map((body) => Promise.race([body, new Promise<string>((done) => setImmediate(done, ''))])))
    ).join('\n');
    return { failures: failures.map(withoutHistory).map(textOf).join('\n'), count: failures.length, seals: sealsIn(ended), bodies: ended };
  } finally {
    await lab.close();
  }
}

/** The messages so far, which a failure may hold, are the caller's own and go back as they are: there the reasoning belongs. */
function withoutHistory(value: unknown): unknown {
  const failure = value instanceof SignalError ? value.failure : undefined;
  const { history, ...rest } = failure ?? (value as Failure);
  if (history === undefined) return value;
  return value instanceof Error ? [rest, value.stack, value.cause] : rest;
}

function textOf(value: unknown): string {
  const stack = value instanceof Error ? `${value.stack} ${inspect(value.cause, { depth: 20 })}` : '';
  return `${JSON.stringify(value)} ${stack} ${inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })}`;
}

const thinking = [{ text: `Between us: ${hidden}.` }, { text: `${hidden} again`, redacted: true }] as const;
const rows = chatWires.flatMap((wire) =>
  pathologies
    .filter((row) => row.wires.includes(wire.id) && row.expected === 'typed-failure' && (row.applyOn?.[wire.id] ?? row.apply) !== undefined)
    .map((row) => [row.id, row.title, wire.id, row, wire] as const),
);
const answering = (needs: string): LabContent =>
  needs === 'tools' ? { thinking, toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] } : { thinking, text: '{"pier":7}' };

describe.concurrent('hidden reasoning, signatures and encrypted payloads', () => {
  it.each(chatWires.map((wire) => [wire.id, wire] as const))(
    '[TH-005] are in no failure, error or evidence of a wrong answer: %s',
    async (id, wire) => {
      const seen = await failuresOf(wire, { model: scripted(() => ({ thinking, text: '{"pier":"seven"}' })) });
      // They were there to be shown.
      expect(seen.count).toBe(3);
      if (id === 'openai-chat' || id === 'ollama') expect(seen.bodies).toContain(hidden);
      else expect(seen.seals.length).toBeGreaterThan(3);
      expect(seen.failures).toContain('seven');
      expect(seen.failures).not.toContain(hidden);
      for (const sealed of seen.seals) expect(seen.failures).not.toContain(sealed);
    },
  );

  it.each(rows)('[TH-005] are in no failure, error or evidence under pathology %s, %s: %s', async (id, _title, _wire, row, wire) => {
    const seen = await failuresOf(wire, { model: scripted(() => answering(row.needs)), pathologies: [{ id, rate: 1 }] });
    expect(seen.failures).not.toContain(hidden);
    for (const sealed of seen.seals) expect(seen.failures).not.toContain(sealed);
  });
});

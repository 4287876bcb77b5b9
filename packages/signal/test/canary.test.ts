import { inspect } from 'node:util';
import type { Clock } from '@vouch/contracts';
import { systemClock } from '@vouch/contracts';
import {
  faults,
  type Lab,
  type LabModel,
  type LabOptions,
  type PathologyWire,
  pathologies,
  type RawReply,
  scripted,
  startLab,
} from '@vouch/lab';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSignal, defineTool } from '../src/index.ts';
import { defaultDialects } from '../src/registry.ts';
import { chatWires } from './support/chat-wires.ts';
import { withTools } from './support/clients.ts';

// What secrets.test.ts shows of a stubbed fetch is shown here over a real server, of streams as well, and of the lab's own log.
// Not the name of this file, which stands in every stack.
const canary = 'c4n4ry';
const key = `sk-${canary}-key-01234567`;
const header = `sk-${canary}-header-0123`;
const query = `sk-${canary}-query-01234`;
const everyCanary = [key, header, query].join(' and ');

// A hundred times as fast, so that a provider that stalls is found out soon.
const fast: Clock = {
  now: systemClock.now,
  after: (ms, callback) => systemClock.after(ms / 100, callback),
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
};

const pier = defineTool({
  name: 'find_berth',
  description: 'Finds a berth.',
  input: z.object({ pier: z.number() }),
  execute: () => 'found',
});
const schema = z.object({ pier: z.number() });

function baseOf(wire: PathologyWire, { baseUrl, origin }: Lab): string {
  if (wire === 'gemini') return `${origin}/v1beta`;
  return wire === 'ollama' ? origin : baseUrl;
}

/** Everything that a user, a log or a debugger could see of a client against a lab: every event, value and error of every verb. */
async function shownBy(
  wire: PathologyWire,
  options: LabOptions,
): Promise<{ readonly client: string; readonly log: string; readonly ends: readonly string[] }> {
  const lab = await startLab(options);
  try {
    const client = createSignal(
      {
        baseUrl: `${baseOf(wire, lab)}?api_key=${query}`,
        model: 'm',
        apiKey: key,
        capabilities: withTools,
        adapter: wire,
        dialect: { ...defaultDialects[wire], headers: { ...defaultDialects[wire].headers, 'x-auth-token': header } },
        wire: ['failed-generation', 'jsonl-lines'],
      },
      { clock: fast, random: () => 0, retries: 1, maxTurns: 2 },
    ).options({ network: { retries: 1 } });
    const seen: unknown[] = [client, client.describe()];
    const ends: string[] = [];
    const follow = async (events: AsyncIterable<{ readonly type: string }>): Promise<void> => {
      try {
        for await (const event of events) seen.push(event);
        ends.push((seen.at(-1) as { readonly type: string }).type);
      } catch (error) {
        seen.push(error);
        ends.push('thrown');
      }
    };
    const messages = [{ role: 'user', content: 'Where?' }] as const;
    const asking = client.schema(schema).tools([pier]);
    const result = await asking.tryComplete('Where?');
    seen.push(result);
    ends.push(result.ok ? 'done' : 'failure');
    seen.push(await asking.complete('Where?').catch((error: unknown) => error));
    seen.push(await client.step({ messages }).catch((error: unknown) => error));
    await follow(asking.stream('Where?'));
    await follow(client.stepStream({ messages }));
    const log = JSON.stringify(lab.requests());
    return { client: seen.map(textOf).join('\n'), log, ends };
  } finally {
    await lab.close();
  }
}

function textOf(value: unknown): string {
  const stack = value instanceof Error ? `${value.stack} ${inspect(value.cause, { depth: 20 })}` : '';
  return `${JSON.stringify(value)} ${String(value)} ${stack} ${inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })}`;
}

const wires = chatWires.map(({ id }) => id);
const shown = wires.flatMap((wire) =>
  pathologies
    .filter((row) => (row.applyOn?.[wire] ?? row.apply) !== undefined && row.wires.includes(wire))
    .map((row) => [row.id, row.title, wire, row] as const),
);

const answering = (needs: string | undefined): LabModel =>
  scripted(() => (needs === 'tools' ? { toolCalls: [{ name: 'find_berth', arguments: '{"pier":7}' }] } : { text: '{"pier":7}' }));

const echoes: readonly (readonly [string, RawReply])[] = [
  ...[400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 529].map((status): readonly [string, RawReply] => [
    `an error ${status}`,
    raw(status, JSON.stringify({ error: { message: `Bad credentials ${everyCanary}`, type: key, code: header, param: query } })),
  ]),
  ['a page', raw(502, `<html><title>${everyCanary}</title></html>`, { 'content-type': 'text/html' })],
  ['a plain text', raw(500, everyCanary, { 'content-type': 'text/plain' })],
  ['an error inside a 200', raw(200, JSON.stringify({ error: { message: everyCanary, code: 401 } }))],
  ['a body that is no JSON', raw(200, `oops ${everyCanary}`)],
  [
    'a frame of error',
    raw(200, `data: ${JSON.stringify({ error: { message: everyCanary, code: key } })}\n\n`, { 'content-type': 'text/event-stream' }),
  ],
  ['an event of error', raw(200, `event: error\ndata: ${everyCanary}\n\n`, { 'content-type': 'text/event-stream' })],
  ['a frame that is no JSON', raw(200, `data: {oops ${everyCanary}\n\n`, { 'content-type': 'text/event-stream' })],
  ['headers', raw(400, '{"error":{"message":"no"}}', { 'x-request-id': key, 'retry-after': query, server: header })],
  ['a redirect', raw(302, '', { location: `http://127.0.0.1:9/?api_key=${query}` })],
  [
    'a rejected generation',
    raw(400, JSON.stringify({ error: { message: everyCanary, code: 'tool_use_failed', failed_generation: everyCanary } })),
  ],
  ['an answer of the wrong form', raw(200, JSON.stringify({ choices: { [key]: everyCanary } }))],
  ['a cut body', { ...raw(200, `{"error":{"message":"${everyCanary}`), ending: 'cut' }],
];

function raw(status: number, body: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, chunks: [body], ending: 'end' };
}

describe.concurrent('a credential, over a real server of each wire', () => {
  it.each(shown)('[SG-038] is in no event, value, error or log line under pathology %s, %s, %s', async (id, _title, wire, { needs }) => {
    const { client, log } = await shownBy(wire, { model: answering(needs), pathologies: [{ id, rate: 1 }] });
    expect(client).not.toContain(canary);
    expect(log).not.toContain(`${canary}-key`);
  });

  it.each(faults.flatMap((fault) => fault.wires.map((wire) => [fault.id, fault.title, wire] as const)))(
    '[SG-038] is in no event, value, error or log line under fault %s, %s, %s',
    async (id, _title, wire) => {
      const { client, log } = await shownBy(wire, { model: answering(undefined), faults: [{ id, rate: 1 }] });
      expect(client).not.toContain(canary);
      expect(log).not.toContain(`${canary}-key`);
    },
  );

  it.each(wires.flatMap((wire) => echoes.map(([title, reply]) => [title, wire, reply] as const)))(
    '[SG-038] is in no event, value or error when the provider repeats it in %s: %s',
    async (title, wire, reply) => {
      const { client, ends } = await shownBy(wire, { model: scripted(() => ({ raw: reply })) });
      expect(client).not.toContain(canary);
      // A path that does not fail shows nothing of failures. Only what the model wrote and its provider rejected is an answer where plain text was asked for.
      expect(ends).toEqual(['failure', 'error', title === 'a rejected generation' ? 'done' : 'thrown']);
    },
  );

  it.each(wires)('[SG-038] is in nothing that the lab keeps, header, query and key: %s', async (wire) => {
    const { log, ends } = await shownBy(wire, { model: answering(undefined) });
    expect(ends).toEqual(['done', 'done', 'done']);
    expect(log).not.toContain(canary);
  });
});

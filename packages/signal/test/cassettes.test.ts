import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TryResult } from '@vouch/contracts';
import { sequentialIds, systemClock } from '@vouch/contracts';
import { recordCassettes, replayCassettes, startLab } from '@vouch/lab';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSignal } from '../src/index.ts';
import { ajvSchema } from './support/ajv-schema.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vouch-cassettes-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const schema = ajvSchema({
  type: 'object',
  properties: { quantity: { type: 'integer' }, customer: { type: 'string' } },
  required: ['quantity', 'customer'],
  additionalProperties: false,
});
const document = 'Customer: Zoë Ångström 🚀\nQuantity: 3';
const key = 'sk-canary-4f1b7c2d9e';
// Times are part of the result: here none passes.
const frozen = { ...systemClock, now: () => 1_790_000_000_000 };

interface Told {
  readonly events: readonly unknown[];
  readonly result: TryResult<unknown>;
}

/** Everything that a client says about one document: every event of the stream, then the same asked whole. */
async function ask(baseUrl: string, fetch: typeof globalThis.fetch, delivery: 'whole' | 'stream', input = document): Promise<Told> {
  const client = createSignal({ baseUrl, model: 'lab-reader', apiKey: key }, { fetch, clock: frozen, ids: sequentialIds() })
    .schema(schema)
    .retries(0)
    .options({ network: { retries: 1, maxDelay: 5 } });
  if (delivery === 'whole') return { events: [], result: await client.tryComplete(input) };
  const events: unknown[] = [];
  for await (const event of client.stream(input)) {
    events.push(event);
    if (event.type === 'done') return { events, result: { ok: true, response: event.response, history: event.history, meta: event.meta } };
    if (event.type === 'error') return { events, result: { ok: false, failure: event.failure } };
  }
  throw new Error('the stream ended without done or error');
}

const shown = (told: Told): unknown => JSON.parse(JSON.stringify(told));

const cases = ['C10', 'S3', 'S13', 'S14', 'D1', 'D6', 'A18', 'A5', 'B19', 'C4', 'D20', 'D14', 'D19', 'D21', 'S19', 'S26', 'S27'].flatMap(
  (id) => [[id, 'whole'] as const, [id, 'stream'] as const],
);

describe('a client over cassettes', () => {
  it.each(cases)('[SG-101] says of %s, %s, the same as over the network, and needs none', async (id, delivery) => {
    const lab = await startLab({ seed: 3, pathologies: [{ id, rate: 1 }] });
    const recorder = await recordCassettes({ directory });
    const original = await ask(lab.baseUrl, recorder.fetch, delivery);
    await lab.close();
    const report = await recorder.done();
    expect(report.skipped).toEqual([]);
    expect(report.recorded.length).toBe(lab.requests().length);
    for (const name of report.recorded) expect(await readFile(join(directory, name), 'utf8')).not.toContain(key);

    const player = await replayCassettes({ directory });
    expect(shown(await ask(lab.baseUrl, player.fetch, delivery))).toEqual(shown(original));
    expect(player.unused()).toEqual([]);
  });

  it('[SG-101] gives a miss as a typed failure that names the difference, and does not try again', async () => {
    const lab = await startLab();
    const recorder = await recordCassettes({ directory });
    await ask(lab.baseUrl, recorder.fetch, 'stream');
    await lab.close();
    await recorder.done();
    const player = await replayCassettes({ directory });
    const told = await ask(lab.baseUrl, player.fetch, 'stream', document.replace('3', '4'));
    if (told.result.ok) throw new Error('a miss gave a value');
    const { failure } = told.result;
    expect(failure).toMatchObject({ kind: 'provider', reason: 'provider_error' });
    expect(failure.evidence.provider).toMatchObject({ cause: 'config', retryable: false, providerCode: 'cassette_miss' });
    expect(failure.message).toMatch(/first difference at \/body\/messages\/\d\/content: recorded ….*Quantity: 3", came ….*Quantity: 4"/);
    expect(player.misses()).toHaveLength(1);
    expect(player.unused()).toHaveLength(1);
  });
});

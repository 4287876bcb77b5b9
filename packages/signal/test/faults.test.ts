import type { Clock, SignalError, StepResult } from '@vouch/contracts';
import { systemClock } from '@vouch/contracts';
import { faults, scripted, startLab } from '@vouch/lab';
import { describe, expect, it } from 'vitest';
import { createSignal } from '../src/index.ts';
import { ajvSchema } from './support/ajv-schema.ts';
import { drain } from './support/clients.ts';

// Waits before a retry are a hundred times as short. Timeouts only where nothing comes: elsewhere a busy machine must not pass them.
const clockFor = (stalls: boolean): Clock => ({
  now: systemClock.now,
  after: (ms, callback) => systemClock.after(stalls ? ms / 100 : ms, callback),
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
});

const schema = ajvSchema({
  type: 'object',
  properties: { pier: { type: 'integer' }, note: { type: 'string' } },
  required: ['pier'],
  additionalProperties: false,
});
const value = { pier: 7, note: 'low tide until noon, then é 🚀 and fog\n' };

const cases = faults
  .filter(({ wires }) => wires.includes('openai-chat'))
  .flatMap((fault) =>
    (['whole', 'parts'] as const)
      .filter((delivery) => fault.delivery === 'both' || fault.delivery === delivery)
      .map((delivery) => [fault.id, fault.title, delivery, fault] as const),
  );

const stalling = new Set(['stall', 'stall-head']);
/** The client has to end these connections itself. */
const leftOpen = new Set([...stalling, 'open-socket']);

type Came = { readonly kind: 'value' | 'typed-failure'; readonly shown: unknown };

async function came(run: () => Promise<StepResult>): Promise<Came> {
  try {
    const { outcome } = await run();
    if (outcome?.kind === 'output') return { kind: 'value', shown: outcome.value };
    return { kind: 'typed-failure', shown: outcome };
  } catch (error) {
    expect(error).toMatchObject({ name: 'SignalError' });
    return { kind: 'typed-failure', shown: (error as SignalError).failure };
  }
}

describe('against the faults of the lab, over a real server', () => {
  it.each(cases)('[SG-035] [SG-037] [SG-100] %s, %s, %s: what is expected, and no socket left', async (id, _title, delivery, fault) => {
    const lab = await startLab({ model: scripted(() => ({ text: JSON.stringify(value) })), faults: [{ id, rate: 1 }] });
    try {
      const client = createSignal(
        { baseUrl: lab.baseUrl, model: 'm', apiKey: 'sk-canary-1' },
        { clock: clockFor(stalling.has(id)), random: () => 0 },
      );
      const request = {
        messages: [{ role: 'user', content: 'Where?' }],
        output: { accept: schema },
        responseFormat: { type: 'json_schema', name: 'berth', schema: schema.jsonSchema, strict: false },
      } as const;
      const got = await came(async () => {
        if (delivery === 'whole') return client.step(request);
        const last = (await drain(client.stepStream(request))).at(-1);
        if (last?.type !== 'done') throw new Error('no done');
        return last.result;
      });
      // Never another value, whatever else it comes to.
      if (got.kind === 'value') expect(got.shown).toEqual(value);
      const expected = fault.expected[delivery];
      expect({ kind: got.kind, shown: got.kind === expected ? '' : got.shown }).toEqual({ kind: expected, shown: '' });
      expect(JSON.stringify(got.shown)).not.toContain('canary');
      // The fault was really met, and each exchange and its connection has ended on both sides.
      await lab.idle();
      // Where the value needed no retry there was none: a stream is whole at its terminal mark, however wrong its length.
      const retried = fault.tries === 'first' && expected === 'value' && !(id === 'wrong-length' && delivery === 'parts');
      expect(lab.requests().map((one) => one.fault)).toEqual(retried ? [id, undefined] : [id]);
      if (leftOpen.has(id)) expect(lab.requests()[0]?.clientClosedEarly).toBe(true);
    } finally {
      await lab.close();
    }
  });
});

import type { Clock, SignalError, StepRequest, StepResult } from '@vouch/contracts';
import { systemClock } from '@vouch/contracts';
import { type Lab, type LabContent, type LabOptions, type Pathology, scripted, startLab } from '@vouch/lab';
import { expect } from 'vitest';
import { type CustomProviderConfig, createSignal } from '../../src/index.ts';
import { ajvSchema } from './ajv-schema.ts';
import { drain } from './clients.ts';

// A hundred times as fast, so that a provider that stalls is found out soon.
const fast: Clock = {
  now: systemClock.now,
  after: (ms, callback) => systemClock.after(ms / 100, callback),
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
};

const schema = ajvSchema({
  type: 'object',
  properties: { pier: { type: 'integer' }, note: { type: 'string' } },
  required: ['pier'],
  additionalProperties: false,
});
const value = { pier: 7, note: 'low é 🚀\n' };
const oneCall = [{ name: 'find_berth', args: { pier: 7, note: 'low tide' } }];
const calls: { readonly [id: string]: readonly { readonly name: string; readonly args: object }[] } = {
  B3: [...oneCall, { name: 'find_berth', args: { pier: 8 } }],
  B10: [...oneCall, { name: 'find_berth', args: { pier: 8 } }],
  B15: [{ name: 'list_berths', args: {} }],
  B16: [{ name: 'list_berths', args: {} }],
  E4: [...oneCall, { name: 'find_berth', args: { pier: 8 } }],
  E5: [{ name: 'list_berths', args: {} }],
  F1: [...oneCall, { name: 'find_berth', args: { pier: 8 } }],
  F2: [{ name: 'list_berths', args: {} }],
  B33: [...oneCall, { name: 'find_berth', args: { pier: 8 } }],
};

const wantedCalls = ({ id }: Pathology): readonly { readonly name: string; readonly args: object }[] => calls[id] ?? oneCall;

function answerOf(pathology: Pathology): LabContent {
  if (pathology.needs !== 'tools') return { text: JSON.stringify(value) };
  return { toolCalls: wantedCalls(pathology).map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })) };
}

function requestOf({ id, needs }: Pathology): StepRequest {
  const tool = { name: 'find_berth', description: 'Finds a berth.', jsonSchema: schema.jsonSchema, validate: schema.validate };
  const listing = { name: 'list_berths', description: 'Lists the berths.', jsonSchema: { type: 'object' } };
  const before: StepRequest['messages'] =
    id === 'B36'
      ? [
          { role: 'assistant', content: '', toolCalls: [{ id: 'call_long', name: 'find_berth', args: '{}' }] },
          { role: 'tool', toolCallId: 'call_long', name: 'find_berth', content: '{}' },
        ]
      : [];
  return {
    messages: [{ role: 'user', content: 'Where?' }, ...before],
    output: { accept: schema },
    ...(needs === 'tools' || id === 'E15'
      ? { tools: [tool, listing] }
      : { responseFormat: { type: 'json_schema', name: 'berth', schema: schema.jsonSchema, strict: false } as const }),
    ...(id === 'B32' || id === 'E15' ? { toolChoice: { name: 'find_berth' } } : {}),
    ...(id === 'B33' ? { options: { parallelToolCalls: false } } : {}),
    ...(id === 'E16' ? { options: { thinking: { mode: 'budget', budget: 1_024 } } } : {}),
    ...(id === 'E17' ? { options: { temperature: 0.5 } } : {}),
    ...(id === 'C30' ? { options: { maxOutputTokens: 40 } } : {}),
  };
}

/** What a request came to. */
export interface Came {
  readonly kind: 'value' | 'tool_calls' | 'typed-failure';
  /** The value, the calls with their names and arguments, or the failure. */
  readonly shown: unknown;
  /** What the step gave, unless it threw. */
  readonly result?: StepResult;
}

/** What the run comes to. Throws what is no failure of the client. */
async function came(run: () => Promise<StepResult>): Promise<Came> {
  try {
    const result = await run();
    const { outcome } = result;
    if (outcome?.kind === 'output') return { kind: 'value', shown: outcome.value, result };
    if (outcome?.kind === 'tool_calls')
      return { kind: 'tool_calls', shown: outcome.calls.map(({ name, args }) => ({ name, args })), result };
    return { kind: 'typed-failure', shown: outcome?.failure, result };
  } catch (error) {
    expect(error).toMatchObject({ name: 'SignalError' });
    return { kind: 'typed-failure', shown: (error as SignalError).failure };
  }
}

/** The deliveries in which a row can show. */
export const deliveriesOf = (pathology: Pathology): readonly ('whole' | 'parts')[] =>
  pathology.delivery === 'both' ? ['whole', 'parts'] : [pathology.delivery];

/** The settings of a provider that a lab stands for. */
export type LabProvider = Partial<CustomProviderConfig> | ((lab: Lab) => Partial<CustomProviderConfig>);

/** One request to a lab of this kind, whole or streamed. */
export async function askLab(
  options: LabOptions,
  request: StepRequest,
  delivery: 'whole' | 'parts',
  provider: LabProvider,
): Promise<Came & { readonly applied: readonly string[] }> {
  const lab = await startLab(options);
  try {
    const client = createSignal(
      {
        baseUrl: lab.baseUrl,
        model: 'm',
        capabilities: { nativeTools: 'yes' },
        ...(typeof provider === 'function' ? provider(lab) : provider),
      },
      { clock: fast, random: () => 0 },
    );
    const got = await came(async () => {
      if (delivery === 'whole') return client.step(request);
      const last = (await drain(client.stepStream(request))).at(-1);
      if (last?.type !== 'done') throw new Error('no done');
      return last.result;
    });
    return { ...got, applied: lab.requests().flatMap(({ applied }) => applied) };
  } finally {
    await lab.close();
  }
}

/** Asks a lab that shows the row in every answer, and checks that the client gives what the catalogue expects and never another value. */
export async function expectRow(pathology: Pathology, delivery: 'whole' | 'parts', provider: LabProvider): Promise<void> {
  await cameOfRow(pathology, delivery, provider);
}

/** What `expectRow` has seen. */
export async function cameOfRow(pathology: Pathology, delivery: 'whole' | 'parts', provider: LabProvider): Promise<Came> {
  const options = { model: scripted(() => answerOf(pathology)), pathologies: [{ id: pathology.id, rate: 1 }] };
  const got = await askLab(options, requestOf(pathology), delivery, provider);
  // It was shown: an answer that nothing spoiled proves nothing.
  expect(got.applied).toContain(pathology.id);
  // Never another value, whatever else it comes to.
  if (got.kind === 'value') expect(got.shown).toEqual(value);
  if (got.kind === 'tool_calls') expect(got.shown).toEqual(wantedCalls(pathology));
  const expected = pathology.expected;
  expect({ kind: got.kind, shown: got.kind === expected ? '' : got.shown }).toEqual({ kind: expected, shown: '' });
  return got;
}

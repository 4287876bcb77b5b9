import { isDeepStrictEqual } from 'node:util';
import type { StepRequest, StepResult } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createSignal } from '../src/index.ts';
import { ajvSchema } from './support/ajv-schema.ts';
import { drain } from './support/clients.ts';
import { type CorpusLine, type CorpusOutcome, readCorpus } from './support/corpus.ts';
import { type Answer, stubServer } from './support/stub-server.ts';

const cases: readonly CorpusLine[] = readCorpus();

function answerOf({ raw, finish, channel, exitTool }: CorpusLine): Answer {
  const text = typeof raw === 'string' ? raw : raw.join('');
  if (channel === 'error_body') return { status: 400, body: text };
  const end = { finish: finish === 'unknown' ? null : finish, pieceChars: 3 };
  if (channel === undefined) return { content: text, ...end };
  const name = channel === 'tool_args' ? (exitTool ?? 'respond') : channel.slice('tool_args:'.length);
  return { calls: [{ id: 'c1', name, args: text }], ...end };
}

function requestOf({ schema, tools, exitTool }: CorpusLine): StepRequest {
  return {
    messages: [{ role: 'user', content: 'Go.' }],
    output: { accept: ajvSchema(schema), ...(exitTool === undefined ? {} : { outputTool: exitTool }) },
    tools: (tools ?? []).map(({ name, parameters }) => ({
      name,
      description: name,
      jsonSchema: parameters,
      validate: ajvSchema(parameters).validate,
    })),
  };
}

function outcomeOf(result: StepResult): CorpusOutcome {
  const { outcome } = result;
  switch (outcome?.kind) {
    case 'output':
      return { kind: 'value', value: outcome.value };
    case 'tool_calls':
      return { kind: 'tool_calls', calls: outcome.calls.map(({ name, args }) => ({ name, arguments: args })) };
    case 'failed':
      return { kind: 'failure', reason: outcome.failure.reason };
    default:
      throw new Error('no outcome');
  }
}

const plainJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const allows = (wanted: CorpusOutcome, got: CorpusOutcome): boolean =>
  wanted.kind === 'any_value' ? got.kind === 'value' : isDeepStrictEqual(plainJson(wanted), plainJson(got));

describe('a custom provider defined as a plain object', () => {
  const clientFor = (entry: CorpusLine): ReturnType<typeof createSignal> =>
    createSignal({
      baseUrl: 'https://models.example/v1',
      model: 'm',
      fetch: stubServer(answerOf(entry)).fetch,
      capabilities: { nativeTools: 'yes' },
      wire: ['failed-generation'],
    });

  it.each(cases.map((entry) => [entry.id, entry] as const))(
    '[SG-002] [SG-066] %s: never silently wrong, whole or streamed',
    async (_id, entry) => {
      const tried = await clientFor(entry)
        .step(requestOf(entry))
        .catch((error: unknown) => error);
      // An error body that carries no attempt is thrown, as it is no outcome.
      const got: CorpusOutcome = tried instanceof Error ? { kind: 'failure', reason: 'provider_error' } : outcomeOf(tried as StepResult);
      if (got.kind !== 'failure') expect([entry.expect, ...(entry.accept ?? [])].some((wanted) => allows(wanted, got))).toBe(true);
      if (tried instanceof Error) return;
      const last = (await drain(clientFor(entry).stepStream(requestOf(entry)))).at(-1);
      expect(last?.type === 'done' ? outcomeOf(last.result) : last).toEqual(got);
    },
  );

  it('[SG-066] nearly every case comes out as wanted or tolerable', async () => {
    let fine = 0;
    for (const entry of cases) {
      const tried = await clientFor(entry)
        .step(requestOf(entry))
        .catch((error: unknown) => error);
      const got: CorpusOutcome = tried instanceof Error ? { kind: 'failure', reason: 'provider_error' } : outcomeOf(tried as StepResult);
      if ([entry.expect, ...(entry.accept ?? [])].some((wanted) => allows(wanted, got))) fine += 1;
    }
    expect(fine / cases.length).toBeGreaterThan(0.95);
  });
});

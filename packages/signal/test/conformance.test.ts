import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema, StepRequest, StepResult } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createSignal } from '../src/index.ts';
import { ajvSchema } from './support/ajv-schema.ts';
import { drain } from './support/clients.ts';
import { type Answer, stubServer } from './support/stub-server.ts';

interface Outcome {
  readonly kind: 'value' | 'failure' | 'tool_calls' | 'any_value';
  readonly value?: unknown;
  readonly reason?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
}

interface Case {
  readonly id: string;
  readonly raw: string | readonly string[];
  readonly finish: string;
  readonly channel?: string;
  readonly schema: JsonSchema;
  readonly tools?: readonly { readonly name: string; readonly parameters: JsonSchema }[];
  readonly exitTool?: string;
  readonly expect: Outcome;
  readonly accept?: readonly Outcome[];
}

const cases: readonly Case[] = readFileSync(new URL('../fixtures/corpus/conformance.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

function answerOf({ raw, finish, channel, exitTool }: Case): Answer {
  const text = typeof raw === 'string' ? raw : raw.join('');
  if (channel === 'error_body') return { status: 400, body: text };
  const end = { finish: finish === 'unknown' ? null : finish, pieceChars: 3 };
  if (channel === undefined) return { content: text, ...end };
  const name = channel === 'tool_args' ? (exitTool ?? 'respond') : channel.slice('tool_args:'.length);
  return { calls: [{ id: 'c1', name, args: text }], ...end };
}

function requestOf({ schema, tools, exitTool }: Case): StepRequest {
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

function outcomeOf(result: StepResult): Outcome {
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
const allows = (wanted: Outcome, got: Outcome): boolean =>
  wanted.kind === 'any_value' ? got.kind === 'value' : isDeepStrictEqual(plainJson(wanted), plainJson(got));

describe('a custom provider defined as a plain object', () => {
  const clientFor = (entry: Case): ReturnType<typeof createSignal> =>
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
      const got: Outcome = tried instanceof Error ? { kind: 'failure', reason: 'provider_error' } : outcomeOf(tried as StepResult);
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
      const got: Outcome = tried instanceof Error ? { kind: 'failure', reason: 'provider_error' } : outcomeOf(tried as StepResult);
      if ([entry.expect, ...(entry.accept ?? [])].some((wanted) => allows(wanted, got))) fine += 1;
    }
    expect(fine / cases.length).toBeGreaterThan(0.95);
  });
});

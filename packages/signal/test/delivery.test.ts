import type { JsonSchema, TryResult } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ajvSchema } from './support/ajv-schema.ts';
import { bench, drain, plain, withTools } from './support/clients.ts';
import { type CorpusLine, readCorpus } from './support/corpus.ts';
import type { Answer } from './support/stub-server.ts';

const cases: readonly CorpusLine[] = readCorpus().filter(({ channel }) => channel === undefined || channel === 'tool_args');

function answerOf({ raw, finish, channel }: Pick<CorpusLine, 'raw' | 'finish' | 'channel'>, pieceChars: number): Answer {
  const text = typeof raw === 'string' ? raw : raw.join('');
  const end = finish === 'unknown' ? null : finish;
  if (channel === undefined) return { content: text, finish: end, pieceChars };
  return { calls: [{ id: 'c1', name: 'respond', args: text }], finish: end, pieceChars };
}

async function outcomes(
  entry: Pick<CorpusLine, 'id' | 'raw' | 'finish' | 'channel' | 'schema'>,
  pieceChars: number,
): Promise<readonly [unknown, unknown]> {
  const client = (): ReturnType<typeof bench>['client'] =>
    bench([answerOf(entry, pieceChars)], { capabilities: entry.channel === undefined ? plain : withTools }).client;
  const options = { network: { retries: 0 } };
  const whole = await client().schema(ajvSchema(entry.schema)).retries(0).options(options).tryComplete('Go.');
  const last = (await drain(client().schema(ajvSchema(entry.schema)).retries(0).options(options).stream('Go.'))).at(-1);
  if (last?.type === 'error') return [whole, { ok: false, failure: last.failure }];
  if (last?.type !== 'done') throw new Error('no last event');
  const { type: _type, ...result } = last;
  return [whole, { ok: true, ...result }];
}

/** A stream that goes on in white space is ended early (C9), so its evidence is of less text, and it is no longer known what the provider would say. */
const isEndedEarly = (outcome: unknown): boolean => failureOf(outcome).note === 'whitespace_loop';

function failureOf(outcome: unknown): { readonly [fact: string]: unknown } {
  const result = outcome as TryResult<unknown>;
  if (result.ok) return {};
  const { kind, reason, code, evidence } = result.failure;
  return { kind, reason, code, issues: evidence.issues, note: evidence.note, salvaged: evidence.salvaged };
}

describe('delivery', () => {
  it.each(cases.map((entry) => [entry.id, entry] as const))(
    '[SG-083] [SG-080] %s comes to the same whole and streamed',
    async (_id, entry) => {
      for (const pieceChars of [1, 5, 1_000_000]) {
        const [whole, streamed] = await outcomes(entry, pieceChars);
        if (isEndedEarly(streamed)) expect({ ...failureOf(streamed), note: undefined }).toEqual({ ...failureOf(whole), note: undefined });
        else expect(streamed).toEqual(whole);
      }
    },
  );

  it('[SG-083] any text comes to the same whole and streamed, however it is cut', async () => {
    const schema: JsonSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };
    const text = fc.array(
      fc.constantFrom('{"a":1}', '{"a":', '1', '}', '```json\n', '```', ' ', 'x', '"', '\\', '\u00e9', '\u{1f600}', '<think>', '</think>'),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('stop', 'length', 'unknown'),
        async (pieces, pieceChars, finish) => {
          const [whole, streamed] = await outcomes({ id: '', raw: pieces.join(''), finish, schema }, pieceChars);
          expect(streamed).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });
});

import {
  assertNever,
  type Failure,
  type FailureKind,
  type FailureReason,
  failureCodes,
  failureReasons,
  textLimits,
} from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../src/index.ts';
import { bench, withTools } from './support/clients.ts';
import type { Answer } from './support/stub-server.ts';

const key = 'sk-canary-0123456789';
const schema = z.object({ label: z.string(), score: z.number() });
const long = 'z'.repeat(20_000);

const failing: readonly (readonly [string, readonly Answer[]])[] = [
  [
    'an error status that repeats the key',
    [{ status: 401, body: { error: { message: `Incorrect API key provided: ${key}`, code: key } } }],
  ],
  ['a page with the key', [{ status: 502, body: `<html><title>${key}</title>${key}</html>` }]],
  ['an error inside a 200', [() => Response.json({ error: { message: key, code: 400 } })]],
  ['a network error that names the key', [() => Promise.reject(new TypeError(`connect failed with Bearer ${key}`))]],
  ['a body that is no JSON', [() => new Response(`oops ${key}`)]],
  ['a redirect', [() => new Response('', { status: 302, headers: { location: `https://else.example/?key=${key}` } })]],
  [
    'a rejection that carries the key',
    [{ status: 400, body: { error: { message: key, code: 'tool_use_failed', failed_generation: '{"name":"x","argu' } } }],
  ],
  ['a bad answer', [{ content: '{"label":1}' }]],
  ['a cut answer', [{ content: '{"label":"x', finish: 'length' }]],
  ['a refusal', [{ refusal: 'no' }]],
  ['too many turns', [{ calls: [{ id: 'c', name: 'clock', args: '{}' }] }]],
];

const clock = defineTool({ name: 'clock', description: 'Tells the time.', input: z.object({}), execute: () => 'noon' });

async function failureOf(answers: readonly Answer[]): Promise<{ readonly failure: Failure; readonly error: unknown }> {
  const { client } = bench(answers, { wire: ['failed-generation'], capabilities: withTools }, { tools: [clock] });
  const run = client
    .schema(schema)
    .retries(1)
    .options({ network: { retries: 0 } });
  const result = await run.tryComplete('Rate it.');
  if (result.ok) throw new Error('it did not fail');
  return { failure: result.failure, error: await run.complete('Rate it.').catch((thrown: unknown) => thrown) };
}

function everythingIn(error: unknown): string {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0) {
    const here = queue.shift();
    if (typeof here === 'string') texts.push(here);
    if (typeof here !== 'object' || here === null || seen.has(here)) continue;
    seen.add(here);
    for (const name of Reflect.ownKeys(here)) queue.push(typeof name === 'string' ? name : undefined, Reflect.get(here, name));
  }
  return texts.join('\n');
}

describe('evidence', () => {
  it.each(failing)('[SG-038] the key is nowhere in the failure or the error of %s', async (_title, answers) => {
    const { failure, error } = await failureOf(answers);
    expect(JSON.stringify(failure)).not.toContain(key);
    expect(everythingIn(error)).not.toContain(key);
    expect(String((error as Error).stack)).not.toContain(key);
  });

  it('[SG-038] the key is not in what describe says', () => {
    expect(JSON.stringify(bench([]).client.describe())).not.toContain(key);
  });

  const huge: readonly (readonly [string, Answer])[] = [
    ['a huge wrong answer', { content: JSON.stringify({ label: long, score: long }) }],
    ['huge prose', { content: long }],
    ['a huge cut answer', { content: `{"label":"${long}`, finish: 'length' }],
    ['a huge refusal', { refusal: long }],
    ['a huge error', { status: 400, body: { error: { message: long, code: long, param: long } } }],
    ['huge arguments', { calls: [{ id: 'c', name: 'respond', args: JSON.stringify({ label: 5, score: long }) }] }],
  ];

  it.each(huge)('[SG-086] %s is printed within the limits, each cut marked', async (_title, answer) => {
    const { failure } = await failureOf([answer]);
    const mark = 120;
    expect(failure.message.length).toBeLessThanOrEqual(textLimits.message + mark);
    for (const attempt of failure.evidence.attempts) {
      expect(attempt.text.text.length).toBeLessThanOrEqual(textLimits.evidence + mark);
      for (const issue of attempt.issues) expect(issue.received.length).toBeLessThanOrEqual(textLimits.preview + mark);
      if (attempt.text.length > textLimits.evidence)
        expect(attempt.text).toMatchObject({
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          text: expect.stringContaining('more characters'),
        });
    }
    // `salvaged` is a value and no print: it has its own length.
    const { salvaged: _salvaged, ...evidence } = failure.evidence;
    expect(JSON.stringify({ ...failure, evidence }).length).toBeLessThan(40_000);
  });

  it('[SG-087] the table of reasons, kinds and codes is closed: a new member breaks this switch', () => {
    const kindOf = (reason: FailureReason): FailureKind => {
      switch (reason) {
        case 'empty':
        case 'no_candidate':
          return 'no_output';
        case 'invalid_json':
        case 'schema_mismatch':
        case 'ambiguous':
        case 'lossy_value':
        case 'suspect_escape':
        case 'unsafe_key':
          return 'invalid_output';
        case 'truncated':
          return 'truncated';
        case 'refusal':
          return 'refused';
        case 'limit_exceeded':
          return 'limit';
        case 'provider_error':
          return 'provider';
        case 'aborted':
        case 'timeout':
        case 'configuration':
          return reason;
        default:
          return assertNever(reason);
      }
    };
    const reasons = Object.keys(failureReasons) as FailureReason[];
    expect(Object.fromEntries(reasons.map((reason) => [reason, kindOf(reason)]))).toEqual(failureReasons);
    expect(Object.keys(failureCodes).sort()).toEqual([...new Set(Object.values(failureReasons)), 'rejected'].sort());
  });

  it.each(failing)('[SG-087] %s has the one failure shape, by the table', async (_title, answers) => {
    const { failure } = await failureOf(answers);
    expect(Object.keys(failure)).toEqual(expect.arrayContaining(['kind', 'reason', 'code', 'message', 'evidence']));
    if (failure.kind !== 'rejected') expect(failure.kind).toBe(failureReasons[failure.reason]);
    if (failure.kind === 'provider') expect(failure).toMatchObject({ cause: expect.any(String), retryable: expect.any(Boolean) });
  });
});

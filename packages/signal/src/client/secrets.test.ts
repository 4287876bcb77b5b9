import { inspect } from 'node:util';
import { SignalError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bench, withTools } from '../../test/support/clients.ts';
import type { Answer } from '../../test/support/stub-server.ts';
import { compatibleDialect } from '../registry/dialects.ts';
import type { CustomProviderConfig } from './endpoint.ts';
import { secretsOf, shownAddress } from './secrets.ts';

const key = 'sk-canary-0123456789';
const escaped = [...key].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
const dialect = { ...compatibleDialect, auth: 'none' } as const;

const carriers: readonly (readonly [string, Partial<CustomProviderConfig>])[] = [
  ['as the key', { apiKey: key }],
  ['in a header', { dialect: { ...dialect, headers: { 'x-auth': `Token ${key}` } } }],
  ['in the query of the dialect', { dialect: { ...dialect, query: { key } } }],
  ['in the query of the address', { baseUrl: `https://models.example/v1?api_key=${key}` }],
  ['as the password of the address', { baseUrl: `https://user:${key}@models.example/v1` }],
  ['as the user of the address', { baseUrl: `https://${key}@models.example/v1` }],
];

const failing: readonly (readonly [string, Answer])[] = [
  ['repeats it in an error', { status: 401, body: { error: { message: `bad ${key}`, code: key } } }],
  ['repeats it escaped', { status: 400, body: `{"error":{"message":"bad ${escaped}"}}` }],
  ['repeats it in the answer', { content: `{"label":"${key}"}` }],
  ['repeats it in prose', { content: `I was given ${key}.` }],
  ['breaks with the whole request in the error', ({ url, headers }) => Promise.reject(new TypeError(`${url} ${JSON.stringify(headers)}`))],
];

describe('secrets', () => {
  it.each(carriers.flatMap(([where, provider]) => failing.map(([what, answer]) => ({ where, what, provider, answer }))))(
    '[SG-038] a key given $where is nowhere in what is shown when the endpoint $what',
    async ({ provider, answer }) => {
      const { client } = bench([answer], { capabilities: withTools, apiKey: '', ...provider }, { retries: 1 });
      const run = client.schema(z.object({ label: z.string(), score: z.number() })).options({ network: { retries: 0 } });
      // An address with a user is refused, and the refusal thrown.
      const result = await run.tryComplete('Go.').catch((thrown: unknown) => thrown);
      const error = await run.complete('Go.').catch((thrown: unknown) => thrown);
      expect(result).not.toMatchObject({ ok: true });
      expect(error).toBeInstanceOf(SignalError);
      const shown = [
        JSON.stringify(result),
        inspect(result, { depth: 20, showHidden: true }),
        inspect(error, { depth: 20, showHidden: true }),
        JSON.stringify(client.describe()),
      ].join('\n');
      expect(shown).not.toContain(key);
    },
  );

  it('[SG-038] headers and queries that are no credentials stay readable', () => {
    const known = { ...dialect, headers: { 'x-version': '2026-01-01' }, query: { 'api-version': '2026-02-02' } };
    expect(secretsOf({ apiKey: undefined, baseUrl: 'https://models.example/v1', dialect: known })).toEqual([]);
  });

  it.each([
    ['https://models.example/v1', 'https://models.example/v1'],
    ['https://models.example', 'https://models.example'],
    ['https://user:word@models.example/v1?key=1#part', 'https://models.example/v1'],
    ['not an address?key=1', 'not an address'],
  ])('[SG-038] %s is shown as %s', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });
});

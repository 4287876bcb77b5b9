import type { JsonValue } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { partials } from '../src/partial/partials.ts';
import { createPartialReader } from '../src/partial/reader.ts';
import { ajvSchema } from './support/ajv-schema.ts';
import { bench, drain, plain, withTools } from './support/clients.ts';
import { type CorpusLine, rawText, readCorpus } from './support/corpus.ts';

const mostChars = 20_000;
const cases: readonly CorpusLine[] = readCorpus().filter(
  (entry) => (entry.channel === undefined || entry.channel === 'tool_args') && rawText(entry).length < mostChars,
);

/** `part` grows into `whole` and takes nothing back. */
function growsInto(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, member]) => Object.hasOwn(whole, key) && growsInto(member, Reflect.get(whole, key)));
}

describe('partial values', () => {
  it.each(cases.map((entry) => [entry.id, entry] as const))('[SG-083] of %s are never taken back by what comes', async (_id, entry) => {
    const { finish, channel, schema } = entry;
    const end = { pieceChars: 1, finish: finish === 'unknown' ? null : finish };
    const text = rawText(entry);
    const answer = channel === undefined ? { content: text, ...end } : { calls: [{ id: 'c', name: 'respond', args: text }], ...end };
    const { client } = bench([answer], { capabilities: channel === undefined ? plain : withTools }, { retries: 0 });
    let latest: JsonValue | undefined;
    for (const event of await drain(partials(client.schema(ajvSchema(schema)).stream('Go.')))) {
      const next = event.type === 'partial' ? event.value : event.type === 'done' ? event.response : undefined;
      if (next === undefined) continue;
      if (latest !== undefined) expect(growsInto(latest, next), `${JSON.stringify(latest)} into ${JSON.stringify(next)}`).toBe(true);
      latest = next as JsonValue;
    }
  });

  const row = { type: 'object', properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } } };
  it.each([
    ['another type at the root', '[{"name":"x"}]', undefined],
    ['an envelope', '{"result":{"name":"x"}}', {}],
    ['a string that holds a container', '{"name":"x","tags":"[1]"}', { name: 'x' }],
    ['an element of another type', '{"tags":["a",{"b":1}]}', { tags: ['a'] }],
    ['null where the schema has none', '{"tags":null}', {}],
    ['what conforms', '{"name":"x","tags":["a","b"]}', { name: 'x', tags: ['a', 'b'] }],
  ])('[SG-083] the schema stops a reading at %s', (_title, text, value) => {
    const reader = createPartialReader({ jsonSchema: row });
    reader.push(text);
    expect(reader.finish()).toEqual(value);
  });

  it('[SG-083] a choice among schemas, further names and references are read on', () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#' }, any: { anyOf: [{ type: 'null' }, { type: 'number' }] } },
      additionalProperties: true,
    };
    const value = { other: [1], next: { any: 'text', next: {} } };
    const reader = createPartialReader({ jsonSchema: node });
    reader.push(JSON.stringify(value));
    expect(reader.finish()).toEqual(value);
  });

  it('[SG-083] an object of many members in small pieces is copied less than once a character', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index])));
    const reader = createPartialReader();
    const seen = new Set<unknown>();
    let copied = 0;
    for (let start = 0; start < text.length; start += 8) {
      const value = reader.push(text.slice(start, start + 8));
      if (value === undefined || seen.has(value)) continue;
      seen.add(value);
      copied += Object.keys(value as object).length;
    }
    expect(copied).toBeLessThan(text.length);
  });
});

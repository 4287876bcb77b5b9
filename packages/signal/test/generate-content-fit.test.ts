import { isJsonObject, type JsonSchema } from '@vouch/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { fitSchema } from '../src/transport/schema-fit.ts';
import { createRandom } from './property/draw/random.ts';
import { rootSchema } from './property/draw/shape.ts';
import { drawSchema } from './property/schemas.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, ownProperties: true });

/** What the wire reads. */
const known = new Set(
  '$defs $ref type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required'.split(
    ' ',
  ),
);

/** The keywords of a schema and of every schema in it. */
function keywordsOf(schema: unknown): readonly string[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema as JsonSchema).flatMap(([keyword, value]) => {
    const maps = keyword === 'properties' || keyword === '$defs';
    const inner = maps && isJsonObject(value) ? Object.values(value) : Array.isArray(value) && keyword !== 'enum' ? value : [value];
    return [keyword, ...(keyword === 'enum' ? [] : inner.flatMap(keywordsOf))];
  });
}

describe('a fitted schema is never narrower than the caller’s', () => {
  it('[SG-053] any schema, any value: what passes the one passes the other, and only what the wire reads is said', () => {
    let checked = 0;
    for (let seed = 1; seed <= 120; seed += 1) {
      const random = createRandom(seed);
      const drawn = drawSchema(random, seed % 2 === 0);
      const schema = rootSchema(drawn.set);
      const { schema: fitted, undo, viable } = fitSchema(schema, 'gemini');
      expect(viable).toBe(true);
      expect([seed, keywordsOf(fitted).filter((keyword) => !known.has(keyword))]).toEqual([seed, []]);
      const passes = ajv.compile(fitted);
      for (let time = 0; time < 5; time += 1) {
        const value = drawn.draw(random, { refused: true });
        if (!drawn.passes(value)) continue;
        checked += 1;
        const sent = undo.rootKey === undefined ? value : { [undo.rootKey]: value };
        expect([seed, value, passes(sent) ? [] : passes.errors]).toEqual([seed, value, []]);
      }
    }
    expect(checked).toBeGreaterThan(300);
  });
});

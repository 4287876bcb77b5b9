import type { AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { createRandom } from './draw/random.ts';
import type { Json } from './draw/shape.ts';
import { drawSchema } from './schemas.ts';

/** One step away from a value, so that about half of what is compared fails. */
function nudge(value: Json, random: ReturnType<typeof createRandom>): Json {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const at = random.below(value.length);
    return value.map((item: Json, index: number) => (index === at ? nudge(item, random) : item));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value as Record<string, Json>);
    if (entries.length > 0 && random.chance(0.8)) {
      const at = random.below(entries.length);
      if (random.chance(0.2)) return Object.fromEntries(entries.filter((_, index) => index !== at));
      return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? nudge(item, random) : item]));
    }
    return { ...value, [random.pick(['x_extra', 'extra'])]: random.pick(['text', 1]) };
  }
  return random.pick([null, true, 0, 1, -1, 2.5, 1e6, '', 'text', 'a', 'active', {}, [], [1]] as Json[]);
}

it('[SG-065] the suite draws values that pass their schema, and its validator agrees with Ajv', () => {
  // allErrors: without it Ajv overlooks a missing required member whose name is empty.
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: true, ownProperties: true });
  (formats as unknown as (target: Ajv2020) => void)(ajv);
  let refused = 0;
  for (let index = 0; index < 600; index += 1) {
    const random = createRandom(20261130, index);
    const schema = drawSchema(random, index % 3 === 0);
    const judge = ajv.compile(schema.gate.jsonSchema as AnySchema);
    for (let drawn = 0; drawn < 6; drawn += 1) {
      const value = schema.draw(random, { refused: true });
      const where = JSON.stringify({ index, schema: schema.gate.jsonSchema, value });
      expect(schema.gate.validate(value).ok, where).toBe(true);
      expect(judge(value), where).toBe(true);
      const near = nudge(value, random);
      const passed = schema.passes(near);
      if (!passed) refused += 1;
      expect(passed, JSON.stringify({ index, schema: schema.gate.jsonSchema, near })).toBe(judge(near));
    }
  }
  expect(refused).toBeGreaterThan(600);
});

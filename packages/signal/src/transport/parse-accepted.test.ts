import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseAccepted, toOutputSchema } from './output-schema.ts';

/** A schema that counts how often its own code runs, and transforms. */
function counted() {
  const runs = { count: 0 };
  const schema = z.object({ a: z.number() }).transform(({ a }) => {
    runs.count += 1;
    return { doubled: 2 * a };
  });
  const output = toOutputSchema(schema);
  runs.count = 0;
  return { output, runs };
}

describe('parseAccepted', () => {
  it('[SG-053] gives what the validation made, without running the schema again', () => {
    const { output, runs } = counted();
    const value = { a: 2 };
    expect(output.validate(value).ok).toBe(true);
    expect(parseAccepted(output, value)).toEqual({ doubled: 4 });
    expect(runs.count).toBe(1);
  });

  it('[SG-053] gives each result once: a value that may have changed since is parsed anew', () => {
    const { output, runs } = counted();
    const value = { a: 2 };
    output.validate(value);
    parseAccepted(output, value);
    value.a = 3;
    expect(parseAccepted(output, value)).toEqual({ doubled: 6 });
    expect(runs.count).toBe(2);
  });

  it('[SG-053] parses what was never validated, what another schema took, and what is no object', () => {
    const { output, runs } = counted();
    const other = counted().output;
    const value = { a: 2 };
    other.validate(value);
    expect(parseAccepted(output, value)).toEqual({ doubled: 4 });
    expect(runs.count).toBe(1);
    const text = toOutputSchema(z.string().transform((said) => said.length));
    text.validate('four');
    expect(parseAccepted(text, 'four')).toBe(4);
    expect(() => parseAccepted(output, { a: 'two' })).toThrow(/conform|E_INVALID_OUTPUT/);
  });
});

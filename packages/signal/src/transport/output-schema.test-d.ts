import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { JsonSchema, OutputSchema } from '@vouch/contracts';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { type InferOutput, type SchemaInput, toOutputSchema } from './output-schema.ts';

const jsonSchema: JsonSchema = { type: 'object' };

describe('InferOutput', () => {
  it('[SG-054] is the output side of a zod schema', () => {
    const schema = z.object({ a: z.string().transform((text) => text.length), b: z.string().default('x'), c: z.stringbool().optional() });
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ a: number; b: string; c?: boolean | undefined }>();
    expectTypeOf(toOutputSchema(schema)).toExtend<OutputSchema<{ a: number; b: string; c?: boolean | undefined }>>();
    expectTypeOf(schema).toExtend<SchemaInput>();
  });

  it('[SG-054] is the output side of a valibot schema, wrapped or in a pair', () => {
    const schema = v.object({
      a: v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
    });
    const wrapped = toStandardJsonSchema(schema);
    expectTypeOf<InferOutput<typeof wrapped>>().toEqualTypeOf<{ a: number }>();
    const pair = { standard: schema, jsonSchema };
    expectTypeOf(toOutputSchema(pair).parse).returns.toEqualTypeOf<{ a: number }>();
  });

  it('[SG-054] is the output side of an arktype', () => {
    const schema = type({ d: 'string.date.parse', 'n?': 'number' });
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ d: Date; n?: number }>();
    expectTypeOf(toOutputSchema(schema).parse).returns.toEqualTypeOf<{ d: Date; n?: number }>();
  });

  it('[SG-054] is what parse gives, and unknown without one', () => {
    const adapter = { jsonSchema, parse: (value: unknown) => Number(value) };
    expectTypeOf<InferOutput<typeof adapter>>().toEqualTypeOf<number>();
    const plain = { jsonSchema, validate: (_: unknown) => ({ ok: true }) as const };
    expectTypeOf<InferOutput<typeof plain>>().toEqualTypeOf<unknown>();
    const both = { ...plain, parse: (value: unknown) => String(value) };
    expectTypeOf(toOutputSchema(both).parse).returns.toEqualTypeOf<string>();
    expectTypeOf<InferOutput<OutputSchema<{ x: 1 }>>>().toEqualTypeOf<{ x: 1 }>();
  });

  it('[SG-054] what is no schema does not compile', () => {
    // @ts-expect-error a bare JSON Schema has no validator
    toOutputSchema({ type: 'object' });
  });
});

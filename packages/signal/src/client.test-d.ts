import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { Failure, SignalMeta, SignalResult, StreamEvent, TryResult } from '@vouch/contracts';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { createSignal, type Signal } from './client.ts';
import { partials } from './partial.ts';
import { defineTool } from './run/define-tool.ts';

const client = createSignal('openai');

describe('types', () => {
  it('[SG-005] a client begins with text', () => {
    expectTypeOf(client).toEqualTypeOf<Signal<string>>();
    expectTypeOf(client.complete).returns.resolves.toEqualTypeOf<SignalResult<string>>();
  });

  it('[SG-005] .schema() changes the value to what the schema gives after its transforms', () => {
    const schema = z.object({ when: z.string().transform((text) => new Date(text)), count: z.number().default(1) });
    const typed = client.schema(schema);
    expectTypeOf(typed).toEqualTypeOf<Signal<{ when: Date; count: number }>>();
    expectTypeOf(typed.model('m').retries(1).options({})).toEqualTypeOf<Signal<{ when: Date; count: number }>>();
    expectTypeOf(createSignal('openai', { schema })).toEqualTypeOf<Signal<{ when: Date; count: number }>>();
    expectTypeOf(typed.schema(z.string())).toEqualTypeOf<Signal<string>>();
    expectTypeOf(client.schema(toStandardJsonSchema(v.object({ a: v.number() })))).toEqualTypeOf<Signal<{ a: number }>>();
    expectTypeOf(client.schema({ jsonSchema: {}, validate: () => ({ ok: true }) as const })).toEqualTypeOf<Signal<unknown>>();
  });

  it('[SG-081] tryComplete narrows by ok', () => {
    const narrow = (result: TryResult<number>): void => {
      if (result.ok) {
        expectTypeOf(result.response).toEqualTypeOf<number>();
        expectTypeOf(result.meta).toEqualTypeOf<SignalMeta>();
        // @ts-expect-error a success has no failure
        result.failure;
      } else {
        expectTypeOf(result.failure).toEqualTypeOf<Failure>();
        // @ts-expect-error a failure has no response
        result.response;
      }
    };
    expectTypeOf(narrow).toBeFunction();
  });

  it("[SG-005] a stream's done has the value, and partials add one event", () => {
    const stream = client.schema(z.object({ a: z.number() })).stream('x');
    expectTypeOf(stream).toExtend<AsyncIterable<StreamEvent<{ a: number }>>>();
    type Done = Extract<StreamEvent<{ a: number }>, { readonly type: 'done' }>;
    expectTypeOf<Done['response']>().toEqualTypeOf<{ a: number }>();
    const added = partials(stream);
    expectTypeOf(added).toExtend<AsyncIterable<StreamEvent<{ a: number }> | { readonly type: 'partial' }>>();
  });

  it("[SG-005] a tool's execute takes what its input schema gives", () => {
    defineTool({
      name: 'clock',
      description: 'Tells the time.',
      input: z.object({ at: z.string().transform((text) => text.length) }),
      execute: (input, context) => {
        expectTypeOf(input).toEqualTypeOf<{ at: number }>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      },
    });
  });

  it('[SG-005] what is no schema, no provider or no option is refused by the compiler', () => {
    // @ts-expect-error a number is no schema
    client.schema(5);
    // @ts-expect-error no such option
    client.options({ temperatur: 1 });
    // @ts-expect-error an address is needed
    createSignal({ model: 'm' });
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partials } from '../src/partial.ts';
import { bench, drain, plain, withGrammar, withTools } from './support/clients.ts';
import type { Answer } from './support/stub-server.ts';

const respond = (args: string, pieceChars = 5): Answer => ({ calls: [{ id: 'c', name: 'respond', args }], pieceChars });

describe('the way of an output', () => {
  const rows = z.array(z.object({ id: z.number() }));

  it('[SG-053] a root that is no object is wrapped for the wire and unwrapped again', async () => {
    const byGrammar = bench([{ content: '{"value":[{"id":1},{"id":2}]}' }], { capabilities: withGrammar });
    expect((await byGrammar.client.schema(rows).complete('List.')).response).toEqual([{ id: 1 }, { id: 2 }]);
    expect(byGrammar.server.requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: { properties: { value: { type: 'array' } } } },
    });
    const byTool = bench([respond('{"value":[{"id":1}]}')], { capabilities: withTools });
    expect((await byTool.client.schema(rows).complete('List.')).response).toEqual([{ id: 1 }]);
    const byPrompt = bench([{ content: '[{"id":1}]' }], { capabilities: plain });
    expect((await byPrompt.client.schema(rows).complete('List.')).response).toEqual([{ id: 1 }]);
  });

  it("[SG-050] a transport of the caller's choice is honoured, or refused before any request", async () => {
    const chosen = bench([{ content: '{"a":1}' }], { capabilities: withGrammar }, { transport: 'emit' });
    await chosen.client.schema(z.object({ a: z.number() })).complete('Go.');
    expect(chosen.server.requests[0]?.body.response_format).toEqual({ type: 'json_object' });
    const refused = bench([{ content: '{"a":1}' }], { capabilities: plain }, { transport: 'native' });
    await expect(refused.client.schema(z.object({ a: z.number() })).complete('Go.')).rejects.toMatchObject({
      code: 'E_UNSUPPORTED_TRANSPORT',
    });
    expect(refused.server.requests).toHaveLength(0);
  });

  it('[SG-002] what the dialect cannot spell is not chosen, whatever the model could do', async () => {
    const { client, server } = bench([{ content: '{"a":1}' }], { capabilities: withGrammar, dialect: 'deepseek' });
    await client.schema(z.object({ a: z.number() })).tryComplete('Go.');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"respond"');
  });

  it('[def-B24] a schema is converted once, however often it is used', async () => {
    let conversions = 0;
    const inner = z.object({ a: z.number() });
    const standard = inner['~standard'];
    const counted = {
      '~standard': {
        ...standard,
        jsonSchema: {
          input: (options: { readonly target: 'draft-2020-12' }) => {
            conversions += 1;
            return standard.jsonSchema.input(options);
          },
          output: standard.jsonSchema.output,
        },
      },
    };
    const client = bench([{ content: '{"a":1}' }]).client.schema(counted as typeof inner);
    await client.complete('A.');
    const once = conversions;
    await client.complete('B.');
    await client.schema(counted as typeof inner).complete('C.');
    expect(conversions).toBe(once);
  });
});

describe('partial values of a run', () => {
  const valuesOf = async (answer: Answer, capabilities: object, schema: z.ZodType): Promise<unknown[]> => {
    const { client } = bench([answer], { capabilities });
    const events = await drain(partials(client.schema(schema).stream('Go.')));
    const done = events.at(-1);
    const values = events.flatMap((event) => (event.type === 'partial' ? [event.value] : []));
    return [...values, done?.type === 'done' ? done.response : done];
  };

  it('[SG-083] grow to the response, by the content, by the exit tool, and out of a wrapped root', async () => {
    const text = '{"title":"The tide","tags":["sea","noon"]}';
    const schema = z.object({ title: z.string(), tags: z.array(z.string()) });
    for (const [answer, capabilities] of [
      [{ content: text }, plain],
      [{ content: text }, withGrammar],
      [respond(text), withTools],
    ] as const) {
      const values = await valuesOf(answer, capabilities, schema);
      expect(values.length).toBeGreaterThan(4);
      expect(values.at(-2)).toEqual(values.at(-1));
      expect(values[0]).toEqual({});
    }
    const wrapped = await valuesOf({ content: '{"value":[1,2,3]}', pieceChars: 2 }, withGrammar, z.array(z.number()));
    expect(wrapped[0]).toEqual([]);
    expect(wrapped.at(-2)).toEqual([1, 2, 3]);
  });

  it('[SG-083] never show a null that only means absent', async () => {
    const { client } = bench([{ content: '{"a":1,"note":null}', pieceChars: 3 }], { capabilities: withGrammar, dialect: 'openai' });
    const events = await drain(partials(client.schema(z.object({ a: z.number(), note: z.string().optional() })).stream('Go.')));
    const values = events.flatMap((event) => (event.type === 'partial' ? [event.value] : []));
    expect(values.some((value) => typeof value === 'object' && value !== null && 'note' in value)).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'done', response: { a: 1 } });
  });
});

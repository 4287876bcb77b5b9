import { type JsonObject, type Message, type ModelPart, sequentialIds, systemClock } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesBody } from '../src/adapters/anthropic-messages/request.ts';
import { anthropicMessages } from '../src/adapters/anthropic-messages.ts';
import { createHttp } from '../src/net/http.ts';
import { ProviderError } from '../src/net/provider-error.ts';
import { messagesDialect } from '../src/registry.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { callsOf, createTurn, partsOf, takePart } from '../src/step/assemble.ts';

interface Read {
  readonly parts: readonly ModelPart[];
  readonly error: unknown;
  readonly message: Message;
}

/** Reads a body as an answer, and makes a message of it. */
async function read(body: string, delivery: 'whole' | 'parts' = 'parts'): Promise<Read> {
  const ids = sequentialIds();
  const forever = Number.POSITIVE_INFINITY;
  const fetch = async (): Promise<Response> => new Response(body);
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [] });
  const adapter = anthropicMessages({ provider: 'p', baseUrl: 'http://p.test', dialect: messagesDialect, http, ids });
  const parts: ModelPart[] = [];
  let error: unknown;
  try {
    for await (const list of adapter.send({ model: 'm', messages: [], delivery }, { signal: new AbortController().signal }))
      for (const part of list) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  const turn = createTurn(() => ids('call'), ['find_berth']);
  for (const part of parts) takePart(turn, part, []);
  const calls = callsOf(turn).map(({ id, name, argsText }) => ({ id, name, argsText, args: {} as JsonObject }));
  const message = assistantMessage({ parts: partsOf(turn), calls: calls as never }, { provider: 'p', model: 'm', ids });
  return { parts, error, message };
}

const streamOf = (events: readonly unknown[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const sent = (message: Message) =>
  messagesBody({ model: 'm', messages: [message], delivery: 'whole' }, { provider: 'p', dialect: messagesDialect });
const ending = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }];

function expectNested(parts: readonly ModelPart[]): void {
  let open: number | undefined;
  let next = 0;
  for (const part of parts) {
    if (part.type === 'block-start') {
      expect([open, part.index]).toEqual([undefined, next]);
      open = part.index;
      next += 1;
    } else if (part.type === 'block-end') {
      expect(part.index).toBe(open);
      open = undefined;
    } else if (/^(?:text|thinking|refusal|function-call)-delta$/.test(part.type)) expect(open).toBeDefined();
  }
  expect(open).toBeUndefined();
}

describe('whatever a server says', () => {
  const junk = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>('', null, 0, [], {}, 'tool_use', 'thinking'));
  const type = fc.constantFrom('text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'new_thing', '', '__proto__');
  const fields = fc.record(
    {
      id: fc.constantFrom<unknown>('toolu_1', 'toolu_2', '', null, 7),
      name: fc.constantFrom<unknown>('find_berth', '', null),
      input: junk,
      text: junk,
      thinking: junk,
      signature: junk,
      data: junk,
      partial_json: fc.constantFrom<unknown>('', '{', '{"a":1}', '}', null),
      citation: junk,
      citations: junk,
    },
    { requiredKeys: [] },
  );
  const block = fc.tuple(type, fields).map(([name, rest]) => ({ ...rest, type: name }));
  const deltaType = fc.constantFrom('text_delta', 'input_json_delta', 'thinking_delta', 'signature_delta', 'citations_delta', 'new_delta');
  const delta = fc.tuple(deltaType, fields).map(([name, rest]) => ({ ...rest, type: name }));
  const index = fc.constantFrom<unknown>(0, 1, 2, -1, 1e9, null, '0', undefined);
  const event = fc.oneof(
    { arbitrary: fc.record({ type: fc.constant('content_block_start'), index, content_block: fc.oneof(block, junk) }), weight: 4 },
    { arbitrary: fc.record({ type: fc.constant('content_block_delta'), index, delta: fc.oneof(delta, junk) }), weight: 6 },
    { arbitrary: fc.record({ type: fc.constant('content_block_stop'), index }), weight: 3 },
    fc.record({ type: fc.constant('message_start'), message: junk }),
    fc.record({ type: fc.constant('message_delta'), delta: fc.oneof(junk, fc.constant({ stop_reason: 'max_tokens' })), usage: junk }),
    fc.record({ type: fc.constant('ping') }),
    junk,
  );

  it('[SG-035] a soup of events ends in parts or in a typed error, its blocks nest, and what it left can be sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), fc.boolean(), async (events, ends) => {
        const { parts, error, message } = await read(streamOf(ends ? [...events, ...ending] : events));
        if (error !== undefined) expect(error).toBeInstanceOf(ProviderError);
        expectNested(parts);
        const { body } = sent(JSON.parse(JSON.stringify(message)) as Message);
        expect(typeof JSON.stringify(body)).toBe('string');
        for (const { content } of body.messages as unknown as readonly { content: readonly JsonObject[] }[])
          for (const one of content) {
            if (one.type === 'thinking') expect(one.signature).toEqual(expect.stringMatching(/./s));
            if (one.type === 'redacted_thinking') expect(one.data).toEqual(expect.stringMatching(/./s));
            if (one.type === 'text') expect(one.text).not.toBe('');
            if (one.type === 'tool_use') expect([typeof one.id, typeof one.name, typeof one.input]).toEqual(['string', 'string', 'object']);
          }
      }),
      { numRuns: 500 },
    );
  });

  it('[SG-080] any list of blocks says the same whole and streamed', async () => {
    const clean = fc.array(
      fc.oneof(
        fc.string({ minLength: 1 }).map((text) => ({ type: 'text', text })),
        fc.tuple(fc.string(), fc.string()).map(([thinking, signature]) => ({ type: 'thinking', thinking, signature })),
        fc.string().map((data) => ({ type: 'redacted_thinking', data })),
        fc.dictionary(fc.string(), fc.jsonValue()).map((input) => ({ type: 'tool_use', id: 'toolu_1', name: 'find_berth', input })),
        fc.string().map((note) => ({ type: 'new_thing', note })),
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(clean, async (drawn) => {
        const content = drawn.map((one, place) => (one.type === 'tool_use' ? { ...one, id: `toolu_${place}` } : one));
        const message = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'end_turn' };
        const events = content.flatMap((one, at) => [
          { type: 'content_block_start', index: at, content_block: one },
          { type: 'content_block_stop', index: at },
        ]);
        const whole = await read(JSON.stringify(message), 'whole');
        const streamed = await read(
          streamOf([{ type: 'message_start', message: { ...message, content: [], stop_reason: null } }, ...events, ...ending]),
        );
        expect(streamed.message).toEqual(whole.message);
      }),
      { numRuns: 200 },
    );
  });

  it('[SG-070] input nested 100 000 deep passes through as text, and nothing that no encoder can write is kept', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const start = (type: string): string =>
      `data: {"type":"content_block_start","index":0,"content_block":{"type":"${type}","id":"x","name":"find_berth","input":${deep}}}\n\n`;
    const call = await read(`${start('tool_use')}${streamOf([{ type: 'content_block_stop', index: 0 }, ...ending])}`);
    expect(call.error).toBeUndefined();
    expect(call.parts.find((part) => part.type === 'function-call-delta' && part.whole === true)).toMatchObject({ arguments: deep });
    const unknown = await read(`${start('server_tool_use')}${streamOf([...ending])}`);
    expect(unknown.parts.some(({ type: kind }) => kind === 'carry')).toBe(false);
  });

  it('[SG-035] [TH-002] fifty thousand blocks of thinking go in and out, and are withheld from another model', async () => {
    const content = Array.from({ length: 50_000 }, (_, at) => ({ type: 'thinking', thinking: '', signature: `s${at}` }));
    const { message } = await read(JSON.stringify({ type: 'message', content, stop_reason: 'end_turn' }), 'whole');
    const { body, withheld } = sent(message);
    expect(JSON.stringify((body.messages as unknown as readonly { content: unknown }[])[0]?.content) === JSON.stringify(content)).toBe(
      true,
    );
    expect(withheld).toEqual([]);
    const other = messagesBody({ model: 'n', messages: [message], delivery: 'whole' }, { provider: 'p', dialect: messagesDialect });
    expect(other.withheld).toHaveLength(50_000);
  });

  it('[TH-005] no error shows a signature or redacted data', async () => {
    const secret = 'canary-4711';
    const body = streamOf([
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: secret, signature: secret } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: secret } },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: secret } },
    ]);
    const { error } = await read(body);
    expect(error).toBeInstanceOf(ProviderError);
    expect(`${String(error)} ${JSON.stringify(error)} ${JSON.stringify((error as ProviderError).fault)}`).not.toContain(secret);
  });
});

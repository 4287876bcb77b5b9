import { type Carry, type JsonObject, type Message, type MessagePart, sequentialIds, systemClock } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdapterEndpoint, ProviderRequest } from '../src/adapters/adapter.ts';
import { ollamaBody } from '../src/adapters/ollama/request.ts';
import { ollama } from '../src/adapters/ollama.ts';
import { createHttp } from '../src/net/http.ts';
import { OllamaThinkingHandler } from '../src/reasoning/ollama.ts';
import { ollamaDialect } from '../src/registry.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { callsOf, createTurn, partsOf, takePart, thinkingOf } from '../src/step/assemble.ts';

const ids = sequentialIds();
const author = { provider: 'p', model: 'q', ids };

/** What a model says in one turn, piece by piece. */
type Said = readonly ({ readonly thinking: string } | { readonly content: string } | { readonly call: string; readonly id?: string })[];

const line = (message: object, rest: object = { done: false }): JsonObject =>
  JSON.parse(JSON.stringify({ model: 'q', message: { role: 'assistant', content: '', ...message }, ...rest })) as JsonObject;

const cut = (text: string, size: number): readonly string[] => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
};

const rawCall = (args: string, id: string | undefined, index: number): string =>
  `{${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"function":{"index":${index},"name":"find_berth","arguments":${args}}}`;

/** The bytes of a response, whole or as lines with pieces of `size` UTF-16 units. */
function bytesOf(said: Said, size: number | undefined): string {
  const end = { done: true, done_reason: 'stop' };
  const calls = said.flatMap((one) => ('call' in one ? [one] : []));
  const withCalls = (value: JsonObject, raws: readonly string[]): string =>
    raws.length === 0
      ? JSON.stringify(value)
      : JSON.stringify(value).replace('"content":', () => `"tool_calls":[${raws.join(',')}],"content":`);
  if (size === undefined) {
    const joined = (field: 'thinking' | 'content'): string =>
      said.map((one) => (field in one ? (one as Record<string, string>)[field] : '')).join('');
    const message = { content: joined('content'), ...(joined('thinking') === '' ? {} : { thinking: joined('thinking') }) };
    return withCalls(
      line(message, end),
      calls.map(({ call, id }, index) => rawCall(call, id, index)),
    );
  }
  let index = 0;
  const lines = said.flatMap((one) => {
    if ('call' in one) return [withCalls(line({}), [rawCall(one.call, one.id, index++)])];
    const [field, text] = 'thinking' in one ? (['thinking', one.thinking] as const) : (['content', one.content] as const);
    return cut(text, size).map((piece) => JSON.stringify(line({ [field]: piece })));
  });
  return [...lines, JSON.stringify(line({}, end))].map((text) => `${text}\n`).join('');
}

async function partsFor(said: Said, size: number | undefined) {
  const bytes = bytesOf(said, size);
  const forever = Number.POSITIVE_INFINITY;
  const http = createHttp({
    fetch: async () => new Response(bytes),
    clock: systemClock,
    timeout: { firstByte: forever, idle: forever },
    secrets: [],
  });
  const endpoint: AdapterEndpoint = { provider: 'p', baseUrl: 'http://p.test', dialect: ollamaDialect, http, ids };
  const request: ProviderRequest = { model: 'q', messages: [], delivery: size === undefined ? 'whole' : 'parts', providerChunks: true };
  const turn = createTurn(() => ids('call'), ['find_berth']);
  const chunks: unknown[] = [];
  for await (const list of ollama(endpoint).send(request, { signal: new AbortController().signal }))
    for (const part of list) {
      if (part.type === 'provider-chunk') chunks.push(part.chunk);
      takePart(turn, part, []);
    }
  return { turn, chunks };
}

/** What a turn becomes in the history, after a trip through JSON. */
async function turnOf(said: Said, size?: number): Promise<Message> {
  const { turn } = await partsFor(said, size);
  const calls = callsOf(turn).map(({ id, name, argsText }) => ({ id, name, argsText, args: {} as JsonObject }));
  return JSON.parse(JSON.stringify(assistantMessage({ parts: partsOf(turn), calls: calls as never }, author))) as Message;
}

const sent = (messages: readonly Message[], more: Partial<ProviderRequest> = {}, provider = 'p') =>
  ollamaBody({ model: 'q', messages, delivery: 'whole', ...more }, { provider, dialect: ollamaDialect });
const messagesOf = (body: JsonObject): readonly JsonObject[] => body.messages as readonly JsonObject[];

describe('what the server gave goes back as it came', () => {
  // Any text that does not begin with a tag of thinking: those are read as thinking.
  const anyText = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' });
  const piece = fc.oneof(
    anyText.map((thinking) => ({ thinking })),
    fc
      .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
      .filter((text) => !text.trimStart().startsWith('<') && text.trim() !== '')
      .map((content) => ({ content })),
    fc.record({ call: fc.constantFrom('{"pier":7}', '{ "pier":12345678901234567890 , "é":1e3}', '{}'), id: fc.uuid() }),
  );

  it('[TH-002] [TH-014] any thinking, any chunking, any number of turns, through JSON: the same text, and the same arguments', async () => {
    const turns = fc.array(fc.array(piece, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }), async (drawn, size) => {
        const history = await Promise.all(drawn.map((said) => turnOf(said, size)));
        const { text, withheld } = sent(history);
        expect(withheld).toEqual([]);
        const thinking = drawn.map((said) => said.map((one) => ('thinking' in one ? one.thinking : '')).join(''));
        expect(messagesOf(JSON.parse(text()) as JsonObject).map((message) => message.thinking ?? '')).toEqual(thinking);
        for (const one of drawn.flat()) if ('call' in one) expect(text()).toContain(`"arguments":${one.call}}`);
      }),
      { numRuns: 200 },
    );
  });

  it('[TH-010] what the handler reads of the chunks adds up to what it reads of the response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 7 }), async (texts, size) => {
        const said = texts.map((thinking) => ({ thinking }));
        const { chunks } = await partsFor(said, size);
        const added = chunks.map((chunk) => OllamaThinkingHandler.parseChunk?.(chunk)?.thinkingDelta ?? '').join('');
        const whole = OllamaThinkingHandler.normalize(JSON.parse(bytesOf(said, undefined)));
        expect(added.trim() === '' ? '' : added).toBe(whole.map(({ content }) => content).join(''));
      }),
    );
  });

  it('[TH-013] thinking stands in the order of the response, bound to its message, in streams a block for each stretch', async () => {
    const said: Said = [{ thinking: 'One' }, { call: '{"pier":7}', id: 'a' }, { thinking: 'Two' }, { content: 'Pier 7.' }];
    const turn = await turnOf(said, 2);
    expect(turn.parts.map((part) => (part.type === 'thinking' ? part.block.content : part.type))).toEqual([
      'One',
      'tool-call',
      'Two',
      'text',
    ]);
    const { turn: read } = await partsFor(said, 2);
    expect(thinkingOf(partsOf(read))).toEqual([
      { type: 'thinking', content: 'One' },
      { type: 'thinking', content: 'Two' },
    ]);
    const silent = await turnOf([{ content: 'Pier 7.' }], 2);
    expect(messagesOf(sent([turn, silent]).body).map((message) => message.thinking)).toEqual(['OneTwo', undefined]);
  });

  it('[TH-001] [TH-004] a block has no signature and is no step of a summary', async () => {
    const { turn } = await partsFor([{ thinking: 'low tide' }], undefined);
    expect(thinkingOf(partsOf(turn))).toEqual([{ type: 'thinking', content: 'low tide' }]);
  });

  it('[TH-014] the calls of servers that give no ids stay two, and their results go back in order', async () => {
    const turn = await turnOf([{ call: '{"pier":7}' }, { call: '{"pier":7}' }], 3);
    const callIds = turn.parts.map((part) => (part.type === 'tool-call' ? part.callId : ''));
    expect(new Set(callIds).size).toBe(2);
    const results: Message = {
      role: 'tool',
      parts: callIds.map((callId, index) => ({
        id: `r${index}`,
        origin: { kind: 'tool', callId },
        trust: 'tool',
        type: 'tool-result',
        callId,
        name: 'find_berth',
        text: String(index),
        outcome: 'succeeded',
      })),
    };
    expect(messagesOf(sent([turn, results]).body)).toMatchObject([
      { tool_calls: [{ id: callIds[0] }, { id: callIds[1] }] },
      { role: 'tool', tool_call_id: callIds[0], content: '0' },
      { role: 'tool', tool_call_id: callIds[1], content: '1' },
    ]);
  });
});

describe('what is of no use to the server stays out, and is reported', () => {
  const said: Said = [{ thinking: 'low tide' }, { content: 'Pier 7.' }];
  const edit = (turn: Message, change: (part: MessagePart) => MessagePart): Message => ({ ...turn, parts: turn.parts.map(change) });

  it('[TH-015] to another model, and to another provider', async () => {
    const turn = await turnOf(said);
    for (const [reason, other] of [
      ['other-model', sent([turn], { model: 'r' })],
      ['other-provider', sent([turn], {}, 'o')],
    ] as const) {
      expect(messagesOf(other.body)).toEqual([{ role: 'assistant', content: 'Pier 7.' }]);
      expect(other.withheld).toEqual([{ type: 'withheld', partId: turn.parts[0]?.id, shape: 'ollama-thinking', reason }]);
    }
  });

  it('[TH-015] carries of another wire, and thinking of another author that has none', async () => {
    const carry: Carry = { owner: { kind: 'item', id: 'x' }, shape: 'responses-item', provider: 'p', model: 'q', data: {} };
    const foreign = sent([edit(await turnOf([{ content: 'Pier 7.' }]), (part) => ({ ...part, carry: [carry] }))]);
    expect(foreign.withheld).toMatchObject([{ shape: 'responses-item', reason: 'other-provider' }]);
    const bare = edit(
      await turnOf(said),
      ({ carry: _carry, ...part }) => ({ ...part, origin: { kind: 'model', provider: 'o', model: 'q' } }) as MessagePart,
    );
    expect(messagesOf(sent([bare]).body)).toEqual([{ role: 'assistant', content: 'Pier 7.' }]);
    expect(sent([bare]).withheld).toMatchObject([{ reason: 'other-provider' }]);
    expect(messagesOf(sent([bare], {}, 'o').body)).toMatchObject([{ thinking: 'low tide' }]);
  });

  it("[TH-015] thinking that was edited goes by what it says now, and text that a caller wrote is nobody's thinking", async () => {
    const turn = await turnOf(said);
    const edited = edit(turn, (part) => (part.type === 'thinking' ? { ...part, block: { type: 'thinking', content: 'high tide' } } : part));
    expect(messagesOf(sent([edited]).body)).toMatchObject([{ thinking: 'high tide' }]);
    const byHand = edit(turn, ({ carry: _carry, ...part }) => ({ ...part, origin: { kind: 'caller' } }) as MessagePart);
    expect(messagesOf(sent([byHand]).body)).toEqual([{ role: 'assistant', content: 'Pier 7.' }]);
  });

  it('[TH-020] custody does not need the handler: thinking goes back though nobody read it', async () => {
    const turn = edit(await turnOf(said), (part) =>
      part.type === 'thinking' ? ({ ...part, type: 'text', text: '' } as unknown as MessagePart) : part,
    );
    expect(messagesOf(sent([turn]).body)).toEqual([{ role: 'assistant', content: 'Pier 7.', thinking: 'low tide' }]);
  });
});

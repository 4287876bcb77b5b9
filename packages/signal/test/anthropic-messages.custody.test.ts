import {
  type Carry,
  type JsonObject,
  type Message,
  type MessagePart,
  sequentialIds,
  systemClock,
  type WithheldPart,
} from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdapterEndpoint, ProviderRequest } from '../src/adapters/adapter.ts';
import { messagesBody } from '../src/adapters/anthropic-messages/request.ts';
import { anthropicMessages } from '../src/adapters/anthropic-messages.ts';
import { createHttp } from '../src/net/http.ts';
import { messagesDialect } from '../src/registry.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { callsOf, createTurn, partsOf, takePart, thinkingOf } from '../src/step/assemble.ts';
import { type Block, bytesOf, call, hidden, said, thought } from './support/messages-wire.ts';

const ids = sequentialIds();
const author = { provider: 'p', model: 'm', ids };

/** What a turn with this content becomes in the history, after a trip through JSON. */
async function turnOf(content: readonly Block[], size?: number, cut = 0): Promise<Message> {
  const bytes = new TextEncoder().encode(bytesOf(content, size));
  const step = cut === 0 ? bytes.length : cut;
  const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) => bytes.subarray(at * step, (at + 1) * step));
  const body = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
  const fetch = async (): Promise<Response> => new Response(body());
  const forever = Number.POSITIVE_INFINITY;
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [] });
  const endpoint: AdapterEndpoint = { provider: 'p', baseUrl: 'http://p.test', dialect: messagesDialect, http, ids };
  const request: ProviderRequest = { model: 'm', messages: [], delivery: size === undefined ? 'whole' : 'parts' };
  const turn = createTurn(() => ids('call'), ['find_berth']);
  for await (const list of anthropicMessages(endpoint).send(request, { signal: new AbortController().signal }))
    for (const part of list) takePart(turn, part, []);
  const calls = callsOf(turn).map(({ id, name, argsText }) => ({ id, name, argsText, args: {} as JsonObject }));
  const parts = partsOf(turn);
  expect(thinkingOf(parts)).toHaveLength(content.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking').length);
  return JSON.parse(JSON.stringify(assistantMessage({ parts, calls: calls as never }, author))) as Message;
}

const sent = (messages: readonly Message[], more: Partial<ProviderRequest> = {}, provider = 'p') =>
  messagesBody({ model: 'm', messages, delivery: 'whole', ...more }, { provider, dialect: messagesDialect });

type Sent = readonly { readonly role: string; readonly content: readonly Block[] }[];
const contentsOf = ({ body }: ReturnType<typeof sent>): readonly (readonly Block[])[] =>
  (body.messages as unknown as Sent).map(({ content }) => content);

describe('what the server gave goes back as it came', () => {
  const opaque = fc.string({ maxLength: 40, unit: 'binary' });
  const signature = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' });
  const anyText = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).map((text) => `${text}.`);
  const block = fc.oneof(
    fc.tuple(opaque, signature).map(([thinking, sig]) => thought(thinking, sig)),
    signature.map(hidden),
    anyText.map((text) => said(text)),
    anyText.map((text) => said(text, { citations: [{ type: 'char_location', cited_text: text }] })),
    fc.nat().map((pier) => call('', { pier })),
    fc.nat().map((pier) => ({ ...call('', { pier }), caller: { type: 'direct' } })),
    fc.constant<Block>({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tide' } }),
    anyText.map((text): Block => ({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ title: text }] })),
  );
  const withIds = (blocks: readonly Block[], turn: number): readonly Block[] =>
    blocks.map((one, place) => (one.type === 'tool_use' ? { ...one, id: `toolu_${turn}_${place}` } : one));

  it('[TH-002] [TH-014] any signature and data, any chunking, any number of turns, through JSON: the same bytes in the same order', async () => {
    const turns = fc.array(fc.array(block, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    const size = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(turns, size, fc.nat(13), async (drawn, pieceSize, cut) => {
        const outputs = drawn.map(withIds);
        const history = await Promise.all(outputs.map((output) => turnOf(output, pieceSize, cut)));
        const request = sent(history);
        expect(request.withheld).toEqual([]);
        // Field by field in the order of the wire: a call's own fields stand before what it carried.
        const spelled = (blocks: readonly Block[]): readonly string[] =>
          blocks.map((one) => JSON.stringify(one.type === 'tool_use' ? Object.entries(one).sort() : one));
        expect(contentsOf(request).map(spelled)).toEqual(outputs.map(spelled));
      }),
      { numRuns: 200 },
    );
  });

  it('[TH-002] a signature of a megabyte, and one split into two events', async () => {
    const long = 'c2ln'.repeat(262_144);
    expect(contentsOf(sent([await turnOf([thought('', long), call('toolu_1')], 65_536)]))).toEqual([[thought('', long), call('toolu_1')]]);
    expect(contentsOf(sent([await turnOf([thought('Low', 'c2lnLXRpZGU=')], 6)]))).toEqual([[thought('Low', 'c2lnLXRpZGU=')]]);
  });

  it('[TH-013] [TH-001] thinking stands in the order of the response, between calls too, bound to its message', async () => {
    const turn = await turnOf([thought('One', 'a'), call('toolu_1'), hidden('b3Bh'), thought('', 'b'), call('toolu_2')], 2);
    expect(turn.parts.map((part) => (part.type === 'thinking' ? part.block : part.type))).toEqual([
      { type: 'thinking', content: 'One', signature: 'a' },
      'tool-call',
      { type: 'redacted_thinking', content: '', signature: 'b3Bh' },
      { type: 'thinking', content: '', signature: 'b' },
      'tool-call',
    ]);
    const plain = await turnOf([said('Pier 7.')]);
    expect(plain.parts.some((part) => part.type === 'thinking' || part.carry !== undefined)).toBe(false);
  });
});

describe('what the server would refuse stays out, and is reported', () => {
  const output = [thought('Low', 'a'), said('Looking.'), call('toolu_1'), hidden('b'), call('toolu_2')];
  const edit = (turn: Message, change: (part: MessagePart) => MessagePart | undefined): Message => ({
    ...turn,
    parts: turn.parts.flatMap((part) => change(part) ?? []),
  });
  const types = (request: ReturnType<typeof sent>): readonly string[] =>
    contentsOf(request).flatMap((blocks) => blocks.map(({ type }) => type));
  const reasons = (withheld: readonly WithheldPart[]): readonly string[] => [...new Set(withheld.map(({ reason }) => reason))];
  const bare = ['text', 'tool_use', 'tool_use'];

  it('[TH-015] to another model, and to another provider: no thinking', async () => {
    const turn = await turnOf(output);
    const otherModel = sent([turn], { model: 'n' });
    expect(types(otherModel)).toEqual(bare);
    expect(reasons(otherModel.withheld)).toEqual(['other-model']);
    const otherProvider = sent([turn], {}, 'q');
    expect(types(otherProvider)).toEqual(bare);
    expect(reasons(otherProvider.withheld)).toEqual(['other-provider']);
    const owners = turn.parts.filter(({ carry }) => carry !== undefined).map(({ id }) => id);
    expect(otherProvider.withheld.map(({ partId }) => partId)).toEqual(owners);
  });

  it('[TH-015] carries of another wire, and thinking that nobody signed', async () => {
    const carry: Carry = { owner: { kind: 'item', id: 'x' }, shape: 'reasoning-content', provider: 'p', model: 'm', data: 'Low.' };
    const foreign = sent([edit(await turnOf([said('Pier 7.')]), (part) => ({ ...part, carry: [carry] }))]);
    expect(types(foreign)).toEqual(['text']);
    expect(foreign.withheld).toMatchObject([{ type: 'withheld', shape: 'reasoning-content', reason: 'other-provider' }]);
    const unsigned = sent([await turnOf([thought('Low', ''), said('Pier 7.')])]);
    expect(types(unsigned)).toEqual(['text']);
    expect(reasons(unsigned.withheld)).toEqual(['incomplete']);
  });

  it('[TH-014] thinking goes back as it came though its part says something else, or has lost its signature', async () => {
    const turn = edit(await turnOf(output), (part) =>
      part.type === 'thinking' ? { ...part, block: { type: 'thinking', content: 'Edited.' } } : part,
    );
    const request = sent([turn]);
    expect(contentsOf(request)).toEqual([output]);
    expect(request.withheld).toEqual([]);
  });

  it('[TH-014] a history that keeps blocks and signatures alone is enough', async () => {
    const turn = edit(await turnOf(output), ({ carry: _carry, ...part }) => part as MessagePart);
    expect(contentsOf(sent([turn]))).toEqual([output]);
    expect(types(sent([turn], { model: 'n' }))).toEqual(bare);
  });

  it('[TH-015] a text that was edited goes out as edited, without what it carried; a call that is another now, too', async () => {
    const cited = said('Pier 7.', { citations: [{ type: 'char_location' }] });
    const turn = await turnOf([cited, { ...call('toolu_1'), caller: { type: 'direct' } }]);
    expect(contentsOf(sent([turn]))).toEqual([[cited, { ...call('toolu_1'), caller: { type: 'direct' } }]]);
    const edited = sent([edit(turn, (part) => (part.type === 'text' ? { ...part, text: 'Pier 8.' } : part))]);
    expect(contentsOf(edited)[0]?.[0]).toEqual(said('Pier 8.'));
    expect(reasons(edited.withheld)).toEqual(['edited']);
    const renamed = sent([edit(turn, (part) => (part.type === 'tool-call' ? ({ ...part, name: 'other' } as MessagePart) : part))]);
    expect(contentsOf(renamed)[0]?.[1]).toEqual({ ...call('toolu_1'), name: 'other' });
    const repaired = sent([
      edit(turn, (part) => (part.type === 'tool-call' ? ({ ...part, arguments: '{"pier":9}' } as MessagePart) : part)),
    ]);
    expect(contentsOf(repaired)[0]?.[1]).toEqual({ ...call('toolu_1', { pier: 9 }), caller: { type: 'direct' } });
    expect(repaired.withheld).toEqual([]);
  });

  it('[TH-014] what nothing shows keeps its place, also behind everything, and where nothing else is', async () => {
    const search: Block = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
    for (const size of [undefined, 3])
      for (const blocks of [
        [search, said('x.'), search],
        [thought('Low', 'a'), search],
        [search, search],
      ])
        expect(contentsOf(sent([await turnOf(blocks, size)]))).toEqual([blocks]);
  });
});

import { type JsonObject, type Message, type MessageInput, type StepResult, sequentialIds, type ThinkingHandler } from '@vouch/contracts';
import { type LabContent, type LabRequest, scripted, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assistantMessage, createSignal, type Signal } from '../src/index.ts';
import { thinkingHandlerFor } from '../src/reasoning/thinking.ts';
import { compatibleDialect, responsesDialect } from '../src/registry/dialects.ts';
import { chatWires } from './support/chat-wires.ts';
import { plain } from './support/clients.ts';

type Delivery = 'whole' | 'parts';

const call = (pier: number) => ({ name: 'find_berth', arguments: `{"pier":${pier}}` });
const says: readonly LabContent[] = [
  { thinking: [{ text: 'First é 🚀.' }, { text: 'Hidden.', redacted: true }], text: 'Looking.', toolCalls: [call(7)] },
  { thinking: [{ text: 'Two at once.' }, { text: 'And between.', beforeCall: 1 }], toolCalls: [call(8), call(9)] },
  { thinking: [{ text: '' }, { text: 'Third.' }], toolCalls: [call(10)] },
  { thinking: [{ text: 'Done.' }], text: 'Pier 7.' },
];
const tools = [{ name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object' } }] as const;

type Wire = (typeof chatWires)[number];

/** The wires, at endpoints that take reasoning back. */
const wires: readonly Wire[] = chatWires.map((wire): Wire => {
  if (wire.id === 'openai-chat')
    return {
      ...wire,
      provider: { dialect: { ...compatibleDialect, reasoningReplayField: 'reasoning_content', reasoningReplay: 'always' } },
    };
  return wire.id === 'openai-responses' ? { ...wire, provider: { adapter: wire.id, dialect: responsesDialect } } : wire;
});

/** Empties an object and all in it. */
function ruin(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [field, inner] of Object.entries(value)) {
    ruin(inner);
    delete (value as Record<string, unknown>)[field];
  }
}

/** Handlers that lose, break or spoil what they are given; undefined: nobody reads it, and nothing is asked for. */
const handlers: readonly (readonly [string, (own: ThinkingHandler | undefined) => ThinkingHandler | undefined])[] = [
  ['none', () => undefined],
  ["the provider's own", (own) => own],
  [
    'one that throws',
    () => ({
      id: 'throwing',
      normalize() {
        throw new Error('normalize');
      },
      parseChunk() {
        throw 'parseChunk';
      },
    }),
  ],
  ['one that answers later', () => ({ id: 'late', normalize: (async () => []) as unknown as ThinkingHandler['normalize'] })],
  ['one that loses signatures and texts', () => ({ id: 'losing', normalize: () => [{ type: 'thinking', content: 'lost' }] })],
  [
    'one that empties what it is given',
    () => ({
      id: 'ruining',
      normalize(raw) {
        ruin(raw);
        return [];
      },
      parseChunk(chunk) {
        ruin(chunk);
        return {};
      },
    }),
  ],
];

/** Reads as an agent does: what the handler throws is noted, and the call goes on. */
function guarded<Value>(read: () => Value, failures: unknown[]): Value | undefined {
  try {
    return read();
  } catch (error) {
    failures.push(error);
    return undefined;
  }
}

async function stepWith(
  client: Signal<string>,
  messages: readonly MessageInput[],
  handler: ThinkingHandler | undefined,
  delivery: Delivery,
) {
  const request = { messages, tools, ...(handler === undefined ? {} : { providerChunks: true }) };
  const failures: unknown[] = [];
  let result: StepResult | undefined;
  if (delivery === 'whole') result = await client.step(request);
  else
    for await (const event of client.stepStream(request)) {
      if (event.type === 'provider_chunk') guarded(() => handler?.parseChunk?.(event.chunk), failures);
      if (event.type === 'done') result = event.result;
    }
  if (result === undefined) throw new Error('no result');
  const { providerRef } = result;
  const blocks = guarded(() => handler?.normalize(providerRef), failures);
  return { result, blocks: Array.isArray(blocks) ? blocks : undefined, failures };
}

/** What the history holds of the thinking: `blocks` as the handler made them, or the texts alone, without what seals them. */
function asHandled(message: Message, blocks: readonly { readonly content: string }[] | 'texts'): Message {
  let at = 0;
  const parts = message.parts.map((part) => {
    if (part.type !== 'thinking') return part;
    const content = blocks === 'texts' ? part.block.content : (blocks[at++]?.content ?? '');
    return { ...part, block: { type: 'thinking' as const, content } };
  });
  return JSON.parse(JSON.stringify({ ...message, parts })) as Message;
}

async function loop(wire: Wire, choose: (typeof handlers)[number][1], delivery: Delivery) {
  const lab = await startLab({ model: scripted([...says]) });
  onTestFinished(() => lab.close());
  const provider = typeof wire.provider === 'function' ? wire.provider(lab) : wire.provider;
  const ids = sequentialIds();
  const client = createSignal({ baseUrl: lab.baseUrl, model: 'm', capabilities: plain, ...provider }, { ids }).options({
    thinking: { mode: 'adaptive' },
  });
  const handler = choose(thinkingHandlerFor(client.describe()));
  const messages: MessageInput[] = [{ role: 'user', content: 'Where?' }];
  const failures: unknown[] = [];
  for (let turn = 0; turn < says.length; turn += 1) {
    const { result, blocks, failures: failed } = await stepWith(client, messages, handler, delivery);
    failures.push(...failed);
    const message = assistantMessage(
      { parts: result.parts, calls: result.toolCalls },
      { provider: client.describe().provider, model: 'm', ids },
    );
    messages.push(handler === undefined ? message : asHandled(message, wire.id === 'anthropic-messages' ? (blocks ?? []) : 'texts'));
    for (const { id, name } of result.toolCalls) messages.push({ role: 'tool', toolCallId: id, name, content: '{"free":true}' });
  }
  return { requests: lab.requests(), failures };
}

const bodiesOf = (requests: readonly LabRequest[]): readonly string[] => requests.map(({ body }) => JSON.stringify(body));

type Content = string | readonly JsonObject[];
const sealed = (request: LabRequest | undefined): readonly JsonObject[] =>
  ((request?.body as { readonly messages?: readonly { readonly content: Content }[] } | undefined)?.messages ?? []).flatMap(
    ({ content }) => (typeof content === 'string' ? [] : content.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')),
  );

describe('what goes back does not depend on the handler', () => {
  const messages = wires.filter(({ id }) => id === 'anthropic-messages');
  const rows = messages.flatMap((wire) =>
    handlers.flatMap(([title, choose]) => (['whole', 'parts'] as const).map((delivery) => [title, delivery, wire, choose] as const)),
  );

  it.each(rows)(
    '[TH-020] %s, %s: signed blocks go back byte for byte over a tool loop of 3, and the judging server takes them',
    async (_title, delivery, wire, choose) => {
      const { requests } = await loop(wire, choose, delivery);
      expect(requests.map(({ status }) => status)).toEqual(says.map(() => 200));
      const last = sealed(requests.at(-1));
      expect(last.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'thinking', 'thinking', 'thinking', 'thinking']);
      for (const block of last) expect(block.type === 'thinking' ? block.signature : block.data).toMatch(/./);
      // Append-only: what went back once goes back the same each time.
      for (const request of requests) expect(last.slice(0, sealed(request).length)).toEqual(sealed(request));
    },
  );

  it.each(wires.map((wire) => [wire.id, wire] as const))('[TH-020] %s: every request is the same, byte for byte', async (_id, wire) => {
    for (const delivery of ['whole', 'parts'] as const) {
      const without = await loop(wire, () => undefined, delivery);
      expect(without.requests.map(({ status }) => status)).toEqual(says.map(() => 200));
      // Its thinking, or what stands for it, does go back.
      expect(bodiesOf(without.requests).at(-1)).toMatch(/Third\.|encrypted_content|thoughtSignature/);
      for (const [title, choose] of handlers) {
        const { requests, failures } = await loop(wire, choose, delivery);
        expect([title, delivery, bodiesOf(requests)]).toEqual([title, delivery, bodiesOf(without.requests)]);
        expect([title, failures.length > 0]).toEqual([title, title === 'one that throws']);
      }
    }
  });
});

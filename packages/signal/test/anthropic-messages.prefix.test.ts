import {
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInput,
  type MessagePart,
  type SignalOptions,
  type StepRequest,
  type StepResult,
  sequentialIds,
  type ToolDescriptor,
} from '@vouch/contracts';
import { type LabContent, scripted, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSignal, type Signal } from '../src/index.ts';
import { modelRows } from '../src/registry/models.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { drain } from './support/clients.ts';
import {
  type Block,
  bytesOf,
  call,
  deliveries,
  findBerth,
  hidden,
  messagesClient,
  messagesServer,
  said,
  storedRun,
  thinkingIn,
  thought,
} from './support/messages-wire.ts';

type Delivery = (typeof deliveries)[number];

const bound = 'claude-opus-5-5';
const unbound = 'claude-opus-4-8';
const tool: ToolDescriptor = {
  name: 'find_berth',
  description: 'Finds a berth.',
  jsonSchema: { type: 'object', properties: { pier: { type: 'integer' } } },
};

/** Thinking, text, a call, thinking between calls, another call. */
const turn = [thought('Low.', 'a'), hidden('b'), said('Looking.'), call('one'), thought('', 'c'), call('two', { pier: 8, deck: [1] })];
const thinkingOf = (blocks: readonly Block[]): readonly Block[] =>
  blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
const given = thinkingOf(turn);
/** With a block between its thoughts that the server writes for itself. */
const searching: readonly Block[] = [
  thought('Low.', 'a'),
  { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'tide', limit: 3 } },
  thought('', 'b'),
  call('one'),
];

const ids = sequentialIds();
const start: readonly MessageInput[] = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Which pier is free?' },
];

async function stepOf(client: Signal<string>, request: StepRequest, delivery: Delivery): Promise<StepResult> {
  if (delivery === 'whole') return client.step(request);
  const done = (await drain(client.stepStream(request))).at(-1);
  if (done?.type !== 'done') throw new Error('the step ended without a result');
  return done.result;
}

const resultsOf = ({ parts }: Message): readonly MessageInput[] =>
  parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ role: 'tool', toolCallId: part.callId, name: part.name, content: '{"free":true}' } as const] : [],
  );

interface Situation {
  readonly model?: string;
  readonly content?: readonly Block[];
  readonly change?: (messages: readonly MessageInput[]) => readonly MessageInput[];
  readonly tools?: readonly ToolDescriptor[];
  readonly request?: Partial<StepRequest>;
}

/** The thinking that the call after the results holds, and what stayed out of it. The turn goes through JSON first, as a store keeps it. */
async function secondCall(delivery: Delivery, { model = bound, content = turn, change, tools = [tool], request }: Situation = {}) {
  const server = messagesServer(content, [said('Pier 7.')]);
  const client = messagesClient(server, model);
  const first = await stepOf(client, { messages: start, tools: [tool] }, delivery);
  const message = assistantMessage({ parts: first.parts, calls: first.toolCalls }, { provider: 'anthropic', model, ids });
  const stored = JSON.parse(JSON.stringify(message)) as Message;
  const messages = [...start, stored, ...resultsOf(stored)];
  const second = await stepOf(client, { messages: change?.(messages) ?? messages, tools, ...request }, delivery);
  const body = server.bodies[1];
  if (body === undefined) throw new Error('the second call was not sent');
  return {
    body,
    thinking: thinkingIn(body),
    withheld: second.withheld,
    reasons: [...new Set(second.withheld.map(({ reason }) => reason))],
  };
}

const replaced = (from: string, to: string) => (messages: readonly MessageInput[]) =>
  messages.map((one) => ('content' in one && one.content === from ? ({ ...one, content: to } as MessageInput) : one));

/** Changes the parts of the model's turn. */
const edited = (change: (part: MessagePart) => MessagePart | undefined) => (messages: readonly MessageInput[]) =>
  messages.map((one) => ('parts' in one ? { ...one, parts: one.parts.flatMap((part) => change(part) ?? []) } : one));

/** As a store gives it back that keeps the members of an object in an order of its own. */
const reordered = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject).map(([name, inner]) => [name, reordered(inner)] as const);
  return Object.fromEntries(members.toReversed());
};

describe('which models bind their thinking to what stands before it', () => {
  it('[fp-L] stands on their rows', () => {
    const names = modelRows.filter(({ prefixBoundThinking }) => prefixBoundThinking === true).map(({ id }) => id);
    expect(names.sort()).toEqual([
      'anthropic/claude-fable-5-1',
      'anthropic/claude-fable-5-2',
      'anthropic/claude-haiku-5-5',
      'anthropic/claude-opus-5-5',
      'anthropic/claude-sonnet-5-5',
    ]);
  });
});

describe.each(deliveries)('thinking of a model that binds it: %s', (delivery) => {
  it('[fp-L] [TH-015] the system text changes after the first tool: the second call holds no thinking, and says what stayed out and why', async () => {
    const { body, thinking, withheld } = await secondCall(delivery, { change: replaced('Be short.', 'Be kind.') });
    expect(body.system).toBe('Be kind.');
    expect(thinking).toEqual([]);
    expect(withheld).toHaveLength(given.length);
    for (const one of withheld)
      expect(one).toEqual({ partId: expect.any(String), shape: 'messages-bound-block', reason: 'prefix-changed' });
    expect(new Set(withheld.map(({ partId }) => partId)).size).toBe(given.length);
    // The rest of the turn stands.
    expect(body.messages[1]).toEqual({ role: 'assistant', content: turn.filter((block) => !given.includes(block)) });
  });

  it('[fp-L] [TH-014] nothing changes: all of it goes back, byte for byte and in its places', async () => {
    const { body, withheld } = await secondCall(delivery);
    expect(body.messages[1]).toEqual({ role: 'assistant', content: turn });
    expect(withheld).toEqual([]);
  });

  it('[fp-L] [TH-014] a model that does not bind it gets it back under any system text', async () => {
    const changed = await secondCall(delivery, { model: unbound, change: replaced('Be short.', 'Be kind.'), tools: [] });
    expect(changed.body.system).toBe('Be kind.');
    expect(changed.thinking).toEqual(given);
    expect(changed.withheld).toEqual([]);
  });

  it.each<[string, Situation]>([
    ['the user’s question', { change: replaced('Which pier is free?', 'Which pier is taken?') }],
    [
      'a system text more',
      { change: (messages) => [...messages.slice(0, 1), { role: 'system', content: 'Be kind.' }, ...messages.slice(1)] },
    ],
    ['who said it', { change: ([, ...rest]) => [{ role: 'user', content: 'Be short.' }, ...rest] }],
    ['no system text', { change: (messages) => messages.slice(1) }],
    ['a message less', { change: ([system, , ...rest]) => [system as MessageInput, ...rest] }],
    ['what a tool is described as', { tools: [{ ...tool, description: 'Finds a free berth.' }] }],
    ['what a tool takes', { tools: [{ ...tool, jsonSchema: { type: 'object', properties: { pier: { type: 'string' } } } }] }],
    ['a tool more', { tools: [tool, { ...tool, name: 'free_berth' }] }],
    ['no tool', { tools: [] }],
  ])('[fp-L] [TH-015] it stays out after another prefix: %s', async (_title, situation) => {
    expect(await secondCall(delivery, situation)).toMatchObject({ thinking: [], reasons: ['prefix-changed'] });
  });

  it('[fp-L] [TH-015] the order of the tools is part of the prefix', async () => {
    const other = { ...tool, name: 'free_berth' };
    const server = messagesServer([thought('Low.', 'a'), call('one')], [said('Pier 7.')]);
    const client = messagesClient(server, bound);
    const first = await stepOf(client, { messages: start, tools: [tool, other] }, delivery);
    const message = assistantMessage({ parts: first.parts, calls: first.toolCalls }, { provider: 'anthropic', model: bound, ids });
    const messages = [...start, message, ...resultsOf(message)];
    for (const tools of [
      [tool, other],
      [other, tool],
    ])
      await stepOf(client, { messages, tools }, delivery);
    expect(server.bodies.slice(1).map((body) => thinkingIn(body).length)).toEqual([1, 0]);
  });

  it.each<[string, Situation]>([
    ['the output limit', { request: { options: { maxOutputTokens: 99 } } }],
    ['the choice of a tool', { request: { toolChoice: 'auto' } }],
    ['caching', { request: { options: { promptCache: '5m' } } }],
    ['an effort', { request: { options: { thinking: { effort: 'low' } } } }],
    [
      'the order in which a store gives members back',
      { content: searching, change: (messages) => reordered(messages as unknown as JsonValue) as never },
    ],
  ])('[fp-L] [TH-014] it goes back beside another: %s', async (_title, situation) => {
    const { thinking, withheld } = await secondCall(delivery, situation);
    expect(thinking).toEqual(thinkingOf(situation.content ?? turn));
    expect(withheld).toEqual([]);
  });

  it('[fp-L] [TH-015] of a turn all goes or none: an edit between two of its thoughts keeps both out, one behind the last keeps none', async () => {
    const between = await secondCall(delivery, {
      change: edited((part) => (part.type === 'text' ? { ...part, text: 'Looking at it.' } : part)),
    });
    expect(between).toMatchObject({ thinking: [], reasons: ['prefix-changed'] });
    const repaired = await secondCall(delivery, {
      change: edited((part) => (part.type === 'tool-call' && part.callId === 'one' ? { ...part, arguments: '{"pier":9}' } : part)),
    });
    expect(repaired).toMatchObject({ thinking: [], reasons: ['prefix-changed'] });
    const behind = await secondCall(delivery, {
      change: edited((part) => (part.type === 'tool-call' && part.callId === 'two' ? { ...part, arguments: '{"pier":9}' } : part)),
    });
    expect(behind).toMatchObject({ thinking: given, reasons: [] });
  });

  it('[fp-L] [TH-015] without its stamp nothing says what it was given after: it stays out', async () => {
    const lost = await secondCall(delivery, { change: edited(({ carry: _lost, ...part }) => part as MessagePart) });
    expect(lost).toMatchObject({ thinking: [], reasons: ['incomplete'] });
    const kept = await secondCall(delivery, { model: unbound, change: edited(({ carry: _lost, ...part }) => part as MessagePart) });
    expect(kept).toMatchObject({ thinking: given, reasons: [] });
  });

  it('[fp-L] [TH-015] to another model it stays out as another’s, whatever stands before it', async () => {
    const server = messagesServer(turn, [said('Pier 7.')]);
    const first = await stepOf(messagesClient(server, bound), { messages: start, tools: [tool] }, delivery);
    const message = assistantMessage({ parts: first.parts, calls: first.toolCalls }, { provider: 'anthropic', model: bound, ids });
    const messages = [...start, message, ...resultsOf(message)];
    const second = await stepOf(messagesClient(server, 'claude-sonnet-5-5'), { messages, tools: [tool] }, delivery);
    expect(thinkingIn(server.bodies[1] as never)).toEqual([]);
    expect(new Set(second.withheld.map(({ reason }) => reason))).toEqual(new Set(['other-model']));
  });

  it('[fp-L] [TH-015] a turn of thinking alone goes out with it, and comes to nothing without it', async () => {
    const content = [thought('Low.', 'a')];
    const asked = { role: 'user', content: 'So?' } as const;
    const roles = async (change?: Situation['change']) => {
      const { body } = await secondCall(delivery, { content, change: (messages) => [...(change?.(messages) ?? messages), asked] });
      return body.messages.map(({ role }) => role);
    };
    expect(await roles()).toEqual(['user', 'assistant', 'user']);
    expect(await roles(replaced('Be short.', 'Be kind.'))).toEqual(['user', 'user']);
  });

  it('[fp-L] [TH-014] [TH-015] a run only appends: a server that judges it takes every call, and the next question too', async () => {
    const steps = 4;
    const model = scripted((request): LabContent => {
      const at = request.messages.filter(({ role }) => role === 'assistant').length;
      if (at >= steps) return { thinking: [{ text: 'All seen.' }], text: 'Pier 7.' };
      const calls = [0, 1].map((index) => ({ name: 'find_berth', arguments: JSON.stringify({ pier: at + index }) }));
      return { thinking: [{ text: `Turn ${at}.` }, { text: 'And then?', beforeCall: 1 }], text: 'Looking.', toolCalls: calls };
    });
    const lab = await startLab({ model });
    onTestFinished(() => lab.close());
    const client = createSignal('anthropic', { model: bound, apiKey: 'k', baseUrl: lab.baseUrl, ids: sequentialIds(), maxTurns: 20 })
      .systemPrompt('Be short.')
      .tools([findBerth]);
    const history = await storedRun(client, delivery);
    await storedRun(client.history(history), delivery, 'Sure?');
    const held = lab.requests().map(({ body }) => thinkingIn(body as never).length);
    expect(lab.requests().map(({ status }) => status)).toEqual(Array(steps + 2).fill(200));
    expect(held).toEqual([0, 2, 4, 6, 8, 9]);
    // Another system text for the next question: none of it is told any more.
    await storedRun(client.systemPrompt('Be kind.').history(history), delivery, 'Sure?');
    const changed = lab.requests().at(-1);
    expect(changed?.status).toBe(200);
    expect(thinkingIn(changed?.body as never)).toEqual([]);
  });

  it('[fp-L] [TH-015] what stayed out leaves the thinking behind it where it was', async () => {
    const server = messagesServer([thought('One.', 'a'), call('one')], [thought('Two.', 'b'), call('two')], [said('Pier 7.')]);
    const client = messagesClient(server, bound);
    const options: SignalOptions = {};
    const kind = replaced('Be short.', 'Be kind.');
    let messages: readonly MessageInput[] = start;
    for (const change of [(list: readonly MessageInput[]) => list, kind, kind]) {
      const { parts, toolCalls } = await stepOf(client, { messages: change(messages), tools: [tool], options }, delivery);
      const message = assistantMessage({ parts, calls: toolCalls }, { provider: 'anthropic', model: bound, ids });
      messages = [...messages, message, ...resultsOf(message)];
    }
    // The first thought was given under another text than the second.
    expect(server.bodies.map((body) => thinkingIn(body))).toEqual([[], [], [thought('Two.', 'b')]]);
  });
});

describe('an official SDK in place of the network', () => {
  it('[fp-L] [TH-015] its answers are stamped and judged the same', async () => {
    const bodies: JsonObject[] = [];
    const create = async (body: JsonObject): Promise<unknown> => {
      bodies.push(body);
      return JSON.parse(bytesOf(bodies.length === 1 ? turn : [said('Pier 7.')], undefined));
    };
    const client = createSignal('anthropic', { model: bound, apiKey: 'k', client: { messages: { create } } });
    const { parts, toolCalls } = await client.step({ messages: start, tools: [tool] });
    const message = assistantMessage({ parts, calls: toolCalls }, { provider: 'anthropic', model: bound, ids });
    const messages = [...start, message, ...resultsOf(message)];
    const same = await client.step({ messages, tools: [tool] });
    const changed = await client.step({ messages: replaced('Be short.', 'Be kind.')(messages), tools: [tool] });
    expect(bodies.slice(1).map((body) => thinkingIn(body as never))).toEqual([given, []]);
    expect([same, changed].map(({ withheld }) => withheld.length)).toEqual([0, given.length]);
  });
});

describe('what it costs', () => {
  it('[fp-L] a model that binds nothing has nothing stamped', async () => {
    const { body } = await secondCall('whole', { model: unbound });
    expect(thinkingIn(body)).toEqual(given);
    const server = messagesServer(turn, [said('Pier 7.')]);
    const { parts } = await stepOf(messagesClient(server, unbound), { messages: start, tools: [tool] }, 'whole');
    const shapes = parts.flatMap((part) => (part.type === 'carry' ? [part.carry.shape] : []));
    expect(new Set(shapes)).toEqual(new Set(['messages-block']));
  });

  it('[fp-L] a stamp is a digest, and tells nothing of the texts', async () => {
    const server = messagesServer(turn, [said('Pier 7.')]);
    const { parts } = await stepOf(messagesClient(server, bound), { messages: start, tools: [tool] }, 'whole');
    const stamps = parts.flatMap((part) => (part.type === 'carry' ? [(part.carry.data as JsonObject).prefix] : []));
    expect(stamps).toHaveLength(given.length);
    for (const stamp of stamps) expect(stamp).toMatch(/^[0-9a-f]{16}$/);
    // The first two stand after the same, the third after a text and a call.
    expect(stamps[0]).toBe(stamps[1]);
    expect(stamps[2]).not.toBe(stamps[0]);
  });
});

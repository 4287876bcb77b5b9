import {
  type Carry,
  type JsonObject,
  type Message,
  type MessagePart,
  type ResponsesDialect,
  sequentialIds,
  systemClock,
  type WithheldPart,
} from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdapterEndpoint, ProviderRequest } from '../src/adapters/adapter.ts';
import { responsesBody } from '../src/adapters/openai-responses/request.ts';
import { openaiResponses } from '../src/adapters/openai-responses.ts';
import { createHttp } from '../src/net/http.ts';
import { responsesDialect, translatedResponsesDialect } from '../src/registry.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { callsOf, createTurn, partsOf, takePart } from '../src/step/assemble.ts';

const ids = sequentialIds();
const author = { provider: 'p', model: 'm', ids };

type Item = JsonObject & { readonly type: string };

const reasoning = (id: string, sealed: string | undefined, ...steps: readonly string[]): Item => ({
  type: 'reasoning',
  id,
  summary: steps.map((text) => ({ type: 'summary_text', text })),
  ...(sealed === undefined ? {} : { encrypted_content: sealed }),
});
const message = (id: string, text: string, more: JsonObject = {}): Item => ({
  type: 'message',
  id,
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});
const call = (id: string, args = '{"pier":7}'): Item => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'find_berth',
  arguments: args,
  status: 'completed',
});

/** The bytes of a response, whole or as a stream in pieces of `size` characters. */
function bytesOf(output: readonly Item[], size: number | undefined): string {
  const response = { id: 'resp_1', object: 'response', status: 'completed', output };
  if (size === undefined) return JSON.stringify(response);
  const pieces = (text: string): readonly string[] => [...text.matchAll(new RegExp(`[^]{1,${size}}`, 'g'))].map(([piece]) => piece);
  const events = output.flatMap((item, output_index) => {
    const at = { output_index, item_id: item.id };
    const said =
      item.type === 'message'
        ? pieces((item.content as readonly { text: string }[]).map(({ text }) => text).join('')).map((delta) => ({
            type: 'response.output_text.delta',
            ...at,
            delta,
          }))
        : item.type === 'function_call'
          ? pieces(String(item.arguments)).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta }))
          : (item.summary as readonly { text: string }[]).flatMap(({ text }, summary_index) =>
              pieces(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, summary_index, delta })),
            );
    const { encrypted_content: _sealed, ...shell } = item;
    return [
      { type: 'response.output_item.added', output_index, item: { ...shell, summary: [], content: [], arguments: '' } },
      ...said,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  return [...events, { type: 'response.completed', response }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** What a turn with this output becomes in the history, after a trip through JSON. */
async function turnOf(output: readonly Item[], size?: number, dialect: ResponsesDialect = responsesDialect): Promise<Message> {
  const fetch = async (): Promise<Response> => new Response(bytesOf(output, size));
  const forever = Number.POSITIVE_INFINITY;
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [] });
  const endpoint: AdapterEndpoint = { provider: 'p', baseUrl: 'http://p.test', dialect, http, ids };
  const request: ProviderRequest = { model: 'm', messages: [], delivery: size === undefined ? 'whole' : 'parts' };
  const turn = createTurn(() => ids('call'), ['find_berth']);
  for await (const list of openaiResponses(endpoint).send(request, { signal: new AbortController().signal }))
    for (const part of list) takePart(turn, part, []);
  const calls = callsOf(turn).map(({ id, name, argsText }) => ({ id, name, argsText, args: {} as JsonObject }));
  const parts = partsOf(turn);
  return JSON.parse(JSON.stringify(assistantMessage({ parts, calls: calls as never }, author))) as Message;
}

const sent = (messages: readonly Message[], more: Partial<ProviderRequest> = {}, provider = 'p') =>
  responsesBody({ model: 'm', messages, delivery: 'whole', ...more }, { provider, dialect: responsesDialect });

describe('what the server gave goes back as it came', () => {
  const anyText = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
  const opaque = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' });
  const group = fc.record({
    thoughts: fc.array(fc.record({ sealed: opaque, steps: fc.array(anyText, { maxLength: 3 }) }), { maxLength: 2 }),
    said: fc.option(anyText),
    phase: fc.option(fc.constantFrom('commentary', 'final_answer')),
    pier: fc.nat(),
  });
  const outputOf = (groups: readonly (typeof group extends fc.Arbitrary<infer Group> ? Group : never)[], turn: number): readonly Item[] =>
    groups.flatMap(({ thoughts, said, phase, pier }, place) => {
      const id = `${turn}_${place}`;
      return [
        ...thoughts.map(({ sealed, steps }, index) => reasoning(`rs_${id}_${index}`, sealed, ...steps)),
        said === null ? call(`call_${id}`, `{ "pier":${pier} }`) : message(`msg_${id}`, said, phase === null ? {} : { phase }),
      ];
    });

  it('[TH-002] [TH-014] any encrypted text, any chunking, any number of turns, through JSON: the same bytes', async () => {
    const turns = fc.array(fc.array(group, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }), async (drawn, size) => {
        const outputs = drawn.map(outputOf);
        const history = await Promise.all(outputs.map((output) => turnOf(output, size)));
        const { body, withheld } = sent(history);
        expect(withheld).toEqual([]);
        expect(JSON.stringify(body.input)).toBe(JSON.stringify(outputs.flat()));
      }),
      { numRuns: 200 },
    );
  });
});

describe('what the server would refuse stays out, and is reported', () => {
  const output = [
    reasoning('rs_1', 'gAAA', 'Low'),
    call('call_a'),
    call('call_b', '{"pier":8}'),
    reasoning('rs_2', 'gBBB'),
    message('msg_1', 'Pier 7.'),
  ];
  const edit = (turn: Message, change: (part: MessagePart) => MessagePart | undefined): Message => ({
    ...turn,
    parts: turn.parts.flatMap((part) => change(part) ?? []),
  });
  const types = (input: unknown): readonly string[] =>
    (input as readonly JsonObject[]).map(({ type, id }) => `${String(type)}${id === undefined ? '' : '+id'}`);
  const reasons = (withheld: readonly WithheldPart[]): readonly string[] => [...new Set(withheld.map(({ reason }) => reason))];
  const isCall = (part: MessagePart, id: string): boolean => part.type === 'tool-call' && part.callId === id;
  const bare = ['function_call', 'function_call', 'message'];

  it('[TH-015] to another model, and to another provider: everything, and no id', async () => {
    const turn = await turnOf(output);
    const otherModel = sent([turn], { model: 'n' });
    expect(types(otherModel.body.input)).toEqual(bare);
    expect(reasons(otherModel.withheld)).toEqual(['other-model']);
    const otherProvider = sent([turn], {}, 'q');
    expect(types(otherProvider.body.input)).toEqual(bare);
    expect(reasons(otherProvider.withheld)).toEqual(['other-provider']);
    const owners = turn.parts.filter(({ carry }) => carry !== undefined).map(({ id }) => id);
    expect([...new Set(otherProvider.withheld.map(({ partId }) => partId))]).toEqual(owners);
  });

  it('[TH-015] carries of another wire', async () => {
    const carry: Carry = { owner: { kind: 'item', id: 'x' }, shape: 'reasoning-content', provider: 'p', model: 'm', data: 'Low.' };
    const turn = edit(await turnOf([message('msg_1', 'Pier 7.')]), (part) => ({ ...part, carry: [carry] }));
    const { body, withheld } = sent([turn]);
    expect(types(body.input)).toEqual(['message']);
    expect(withheld).toMatchObject([{ type: 'withheld', shape: 'reasoning-content', reason: 'other-provider' }]);
  });

  it('[TH-015] reasoning whose call is gone takes the ids of what came after it along', async () => {
    const turn = edit(await turnOf(output), (part) => (isCall(part, 'call_a') ? undefined : part));
    const { body, withheld } = sent([turn]);
    expect(types(body.input)).toEqual(['function_call', 'reasoning+id', 'message+id']);
    expect(withheld).toMatchObject([
      { shape: 'responses-item', reason: 'incomplete' },
      { shape: 'responses-behind', reason: 'incomplete' },
    ]);
  });

  it('[TH-015] a message that was edited goes out as edited, without its reasoning; arguments as edited, with it', async () => {
    const turn = await turnOf(output);
    const edited = sent([edit(turn, (part) => (part.type === 'text' ? { ...part, text: 'Pier 8.' } : part))]);
    expect(types(edited.body.input)).toEqual(['reasoning+id', 'function_call+id', 'function_call+id', 'message']);
    expect(JSON.stringify(edited.body.input)).toContain('Pier 8.');
    expect(JSON.stringify(edited.body.input)).not.toContain('Pier 7.');
    expect(reasons(edited.withheld)).toEqual(['edited']);
    const repaired = sent([edit(turn, (part) => (isCall(part, 'call_a') ? ({ ...part, arguments: '{"pier":9}' } as MessagePart) : part))]);
    expect((repaired.body.input as readonly JsonObject[])[1]).toEqual({ ...call('call_a'), arguments: '{"pier":9}' });
    expect(repaired.withheld).toEqual([]);
    const renamed = sent([edit(turn, (part) => (isCall(part, 'call_a') ? ({ ...part, name: 'other' } as MessagePart) : part))]);
    expect(types(renamed.body.input)).toEqual(['function_call', 'function_call', 'reasoning+id', 'message+id']);
  });

  it('[TH-014] [TH-015] reasoning without encrypted content goes back only where the server keeps it', async () => {
    const turn = await turnOf([reasoning('rs_1', undefined, 'Low'), call('call_a')]);
    const without = sent([turn]);
    expect(types(without.body.input)).toEqual(['function_call']);
    expect(reasons(without.withheld)).toEqual(['incomplete']);
    const kept = responsesBody(
      { model: 'm', messages: [turn], delivery: 'whole' },
      { provider: 'p', dialect: { ...responsesDialect, store: true } },
    );
    expect(types(kept.body.input)).toEqual(['reasoning+id', 'function_call+id']);
    expect(kept.withheld).toEqual([]);
  });

  it.each([
    ['whole', undefined],
    ['streamed', 3],
  ])(
    '[TH-015] reasoning of an endpoint that is not asked to encrypt it: none is kept, and its loss is reported, %s',
    async (_title, size) => {
      const turn = await turnOf(output, size, translatedResponsesDialect);
      const carries = turn.parts.flatMap(({ carry = [] }) => carry);
      expect(carries.map(({ data }) => data)).toEqual([null, null]);
      const one = (dialect: ResponsesDialect) =>
        responsesBody({ model: 'm', messages: [turn], delivery: 'whole' }, { provider: 'p', dialect });
      // Whatever the endpoint is said to take by then, there is nothing to give it.
      for (const dialect of [translatedResponsesDialect, responsesDialect, { ...responsesDialect, store: true }]) {
        const { body, withheld } = one(dialect);
        expect(types(body.input)).toEqual(bare);
        expect(withheld.map(({ reason, shape }) => [reason, shape])).toEqual([
          ['incomplete', 'responses-lost'],
          ['incomplete', 'responses-lost'],
        ]);
      }
      const alone = await turnOf([message('msg_1', 'Pier 7.'), reasoning('rs_2', undefined, 'And then')], size, translatedResponsesDialect);
      expect(reasons(sent([alone]).withheld)).toEqual(['incomplete']);
      const none = await turnOf([call('call_a'), message('msg_1', 'Pier 7.')], size, translatedResponsesDialect);
      expect(sent([none]).withheld).toEqual([]);
    },
  );

  it('[TH-014] [TH-015] reasoning that produced nothing is kept and never sent', async () => {
    const turn = await turnOf([message('msg_1', 'Pier 7.'), reasoning('rs_2', 'gBBB', 'And then')]);
    const { body, withheld } = sent([turn]);
    expect(types(body.input)).toEqual(['message+id']);
    expect(withheld).toMatchObject([{ shape: 'responses-item', reason: 'incomplete' }]);
  });

  it('[TH-014] an answer by arguments that stands as text goes out as text', async () => {
    const parts = (await turnOf([reasoning('rs_1', 'gAAA'), call('call_a')])).parts;
    const [own] = parts;
    const turn: Message = {
      role: 'assistant',
      parts: [
        {
          id: 'x',
          origin: { kind: 'caller' },
          trust: 'user',
          type: 'text',
          text: '{"pier":7}',
          ...(own?.carry === undefined ? {} : { carry: own.carry }),
        },
      ],
    };
    const { body, withheld } = sent([turn]);
    expect(body.input).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '{"pier":7}', annotations: [] }] },
    ]);
    expect(reasons(withheld)).toEqual(['incomplete']);
  });

  it('[TH-013] thinking blocks stand in the order of the response, bound to their message', async () => {
    const turn = await turnOf(
      [reasoning('rs_1', 'gAAA', 'One', 'Two'), call('call_a'), reasoning('rs_2', 'gBBB', 'Three'), call('call_b')],
      2,
    );
    expect(turn.parts.map((part) => (part.type === 'thinking' ? part.block.content : part.type))).toEqual([
      'One',
      'Two',
      'tool-call',
      'Three',
      'tool-call',
    ]);
  });
});

import type { Carry, ChatDialect, Message, MessagePart, PartBase } from '@vouch/contracts';
import { SignalError, sequentialIds, UnsupportedThinkingError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import type { ProviderRequest, WireEndpoint } from './adapter.ts';
import { chatBody } from './openai-chat/request.ts';
import { endpointHeaders, endpointUrl } from './request/address.ts';
import { openDialect } from './test-support/drive.ts';

const ids = sequentialIds();
const model = { kind: 'model', provider: 'harbour', model: 'm' } as const;
const base = (more: Partial<PartBase> = {}): PartBase => ({ id: ids('p'), origin: { kind: 'caller' }, trust: 'user', ...more });
const text = (value: string): MessagePart => ({ ...base(), type: 'text', text: value });
const call = (callId: string, name = 'find_berth', args = '{"pier":7}', carry?: readonly Carry[]): MessagePart => ({
  ...base(carry === undefined ? {} : { carry }),
  type: 'tool-call',
  callId,
  name,
  arguments: args,
});
const result = (callId: string, value = 'free'): MessagePart => ({
  ...base(),
  type: 'tool-result',
  callId,
  name: 'find_berth',
  text: value,
  outcome: 'succeeded',
});
const thinking = (content: string, origin: PartBase['origin'] = model): MessagePart => ({
  ...base({ origin }),
  type: 'thinking',
  block: { type: 'thinking', content },
});
const user = (...parts: readonly MessagePart[]): Message => ({ role: 'user', parts });
const assistant = (...parts: readonly MessagePart[]): Message => ({ role: 'assistant', parts });
const tool = (...parts: readonly MessagePart[]): Message => ({ role: 'tool', parts });
const tools = [{ name: 'find_berth', description: 'Finds', jsonSchema: { type: 'object' } }];

function body(request: Partial<ProviderRequest>, dialect: Partial<ChatDialect> = {}) {
  const endpoint: Pick<WireEndpoint<'openai-chat'>, 'dialect' | 'provider'> = {
    provider: 'harbour',
    dialect: { ...openDialect, ...dialect },
  };
  return chatBody({ model: 'm', messages: [user(text('hi'))], delivery: 'whole', ...request }, endpoint);
}
const wire = (messages: readonly Message[], dialect: Partial<ChatDialect> = {}) =>
  body({ messages }, dialect).messages as readonly { readonly [key: string]: unknown }[];

describe('[SG-030] messages', () => {
  it('maps every role', () => {
    const messages: Message[] = [
      { role: 'system', parts: [text('Be '), text('brief.')] },
      user(text('Which?')),
      assistant(text('Let me see.'), call('a'), call('b', 'list_piers', '')),
      tool(result('a', 'pier 7'), result('b', '[]')),
      assistant(text('Pier 7.')),
    ];
    expect(wire(messages)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Which?' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'find_berth', arguments: '{"pier":7}' } },
          { id: 'b', type: 'function', function: { name: 'list_piers', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'pier 7' },
      { role: 'tool', tool_call_id: 'b', content: '[]' },
      { role: 'assistant', content: 'Pier 7.' },
    ]);
    expect(wire(messages.slice(0, 1), { systemRole: 'developer' })[0]?.role).toBe('developer');
  });

  it('sends null for the content of a turn of calls only, and a refusal as what was said', () => {
    expect(wire([assistant(call('a'))])[0]?.content).toBeNull();
    expect(wire([assistant({ ...base(), type: 'refusal', text: 'No.' })])[0]?.content).toBe('No.');
    expect(wire([assistant()])[0]?.content).toBe('');
  });

  it('sends images in their place', () => {
    const png = { ...base(), type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } } as const;
    const url = { ...base(), type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } } as const;
    expect(wire([user(text('a'), png, text('b'), url)])[0]?.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'text', text: 'b' },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    ]);
  });

  it('[path-B36] maps foreign call ids to nine letters and digits, the same in call and result, each to its own', () => {
    const messages = [
      assistant(call('call_b7x'), call('call_b7y'), call('abcDEF123')),
      tool(result('call_b7x'), result('call_b7y'), result('abcDEF123')),
    ];
    const read = () => {
      const [turn, ...results] = wire(messages, { toolCallIds: 'nine-alphanumeric' });
      return [((turn?.tool_calls ?? []) as { id: string }[]).map(({ id }) => id), results.map(({ tool_call_id }) => tool_call_id)];
    };
    const [inCall, inResult] = read();
    expect(inCall).toEqual(inResult);
    expect(inCall?.every((id) => /^[a-zA-Z0-9]{9}$/.test(String(id)))).toBe(true);
    expect(new Set(inCall).size).toBe(3);
    expect(inCall?.[2]).toBe('abcDEF123');
    expect(read()[0]).toEqual(inCall);
  });
});

describe('[path-D25] reasoning goes back as the dialect says', () => {
  const afterTools: Partial<ChatDialect> = { reasoningReplay: 'after-tool-calls', reasoningReplayField: 'reasoning_content' };
  const carried = (data: Carry['data'], shape = 'reasoning-content', by: Partial<Carry> = {}): Carry => ({
    owner: { kind: 'item', id: 'c1' },
    shape,
    provider: 'harbour',
    model: 'm',
    data,
    ...by,
  });
  const conversation = (carry?: readonly Carry[]): Message[] => [
    user(text('one')),
    assistant(text('No tools here.')),
    user(text('two')),
    assistant(call('a', 'find_berth', '{}', carry)),
    tool(result('a')),
    assistant(text('Done.')),
    user(text('three')),
    assistant(text('Again without.')),
  ];
  const fieldOf = (messages: readonly Message[], dialect: Partial<ChatDialect>, field = 'reasoning_content') =>
    wire(messages, dialect)
      .filter(({ role }) => role === 'assistant')
      .map((message) => message[field]);

  it('from the first call of a turn on, also when it is empty', () => {
    expect(fieldOf(conversation(), afterTools)).toEqual([undefined, '', '', undefined]);
    expect(fieldOf(conversation([carried('low tide')]), afterTools)).toEqual([undefined, 'low tide', '', undefined]);
  });

  it('never, where the dialect has no field for it', () => {
    expect(JSON.stringify(wire(conversation([carried('low tide')])))).not.toContain('low tide');
  });

  it('always, where there is some', () => {
    const always: Partial<ChatDialect> = { reasoningReplay: 'always', reasoningReplayField: 'reasoning' };
    expect(fieldOf(conversation([carried('low tide', 'reasoning')]), always, 'reasoning')).toEqual([
      undefined,
      'low tide',
      undefined,
      undefined,
    ]);
  });

  it('details go back as they came', () => {
    const details = [{ type: 'reasoning.text', text: 'low', signature: 'c2ln', index: 0 }];
    const rule: Partial<ChatDialect> = { reasoningReplay: 'always', reasoningReplayField: 'reasoning_details' };
    expect(
      fieldOf(conversation([carried('low', 'reasoning'), carried(details, 'reasoning-details')]), rule, 'reasoning_details')[1],
    ).toEqual(details);
  });

  it('not to another provider or model than gave it', () => {
    expect(fieldOf(conversation([carried('secret', 'reasoning-content', { model: 'other' })]), afterTools)[1]).toBe('');
    expect(fieldOf(conversation([carried('secret', 'reasoning-content', { provider: 'other' })]), afterTools)[1]).toBe('');
  });

  it('from the thinking of the message, where nothing was carried', () => {
    const turn = (part: MessagePart) => [user(text('x')), assistant(part, call('a')), tool(result('a'))];
    expect(fieldOf(turn(thinking('low tide')), afterTools)).toEqual(['low tide']);
    expect(fieldOf(turn(thinking('low tide', { kind: 'model', provider: 'other', model: 'm' })), afterTools)).toEqual(['']);
  });

  it('what the endpoint added to a call goes back with that call', () => {
    const extras = { extra_content: { google: { thought_signature: 'c2ln' } } };
    const carry: Carry = { owner: { kind: 'call', id: 'b' }, shape: 'chat-call-extras', provider: 'harbour', model: 'm', data: extras };
    const [turn] = wire([assistant(call('a', 'find_berth', '{}', [carry]), call('b'))]);
    expect(turn?.tool_calls).toMatchObject([{ id: 'a' }, { id: 'b', ...extras }]);
    expect(((turn?.tool_calls ?? []) as object[])[0]).not.toHaveProperty('extra_content');
  });
});

describe('[SG-030] the rest of the body', () => {
  it('says which delivery it wants, and asks for usage in streams where the endpoint knows how', () => {
    expect(body({})).toEqual({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: false });
    expect(body({ delivery: 'parts' })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(body({ delivery: 'parts' }, { streamUsageOption: false })).not.toHaveProperty('stream_options');
  });

  it('[def-B23] bounds the output by the field that the endpoint knows', () => {
    expect(body({ options: { maxOutputTokens: 9 } }, { outputLimitField: 'max_tokens' })).toMatchObject({ max_tokens: 9 });
    expect(body({ options: { maxOutputTokens: 9 } }, { outputLimitField: 'max_tokens' })).not.toHaveProperty('max_completion_tokens');
    expect(body({ options: { maxOutputTokens: 9 } })).toMatchObject({ max_completion_tokens: 9 });
  });

  it('[SG-030] maps sampling, and refuses what the endpoint has no field for', () => {
    const options = { temperature: 0, topP: 0.5, stopSequences: ['x'], seed: 3, parallelToolCalls: false };
    expect(body({ options, tools })).toMatchObject({ temperature: 0, top_p: 0.5, stop: ['x'], seed: 3, parallel_tool_calls: false });
    expect(body({ options })).not.toHaveProperty('parallel_tool_calls');
    expect(() => body({ options, tools }, { parallelToolCallsField: false })).toThrow(/parallelToolCallsField/);
    expect(body({ options: { parallelToolCalls: true }, tools }, { parallelToolCallsField: false })).not.toHaveProperty(
      'parallel_tool_calls',
    );
    expect(body({ options }, { seedField: 'random_seed' })).toMatchObject({ random_seed: 3 });
    const { seedField: _seedField, ...noSeed } = openDialect;
    const seeded = { model: 'm', messages: [], delivery: 'whole', options } as const;
    expect(() => chatBody(seeded, { provider: 'p', dialect: noSeed })).toThrow(/no field for a seed/);
  });

  it('[sig-S11] asks for reasoning only with an effort, in the endpoint’s words', () => {
    const reasoningRequest = { reasoning_format: 'parsed' };
    expect(body({}, { reasoningRequest })).not.toHaveProperty('reasoning_format');
    expect(body({ delivery: 'parts', options: { reasoningEffort: 'low' } }, { reasoningRequest })).toMatchObject({
      reasoning_effort: 'low',
      reasoning_format: 'parsed',
    });
    expect(
      body(
        { options: { reasoningEffort: 'low' } },
        { effortField: 'reasoning.effort', reasoningRequest: { reasoning: { exclude: false } } },
      ),
    ).toMatchObject({
      reasoning: { effort: 'low', exclude: false },
    });
  });

  it('[SG-030] a model that takes no sampling parameters is sent none, and the effort none asks to be shown no reasoning', () => {
    for (const options of [{ temperature: 0.2 }, { topP: 0.9 }])
      expect(() => body({ options, facts: { samplingParameters: 'no' } })).toThrow(SignalError);
    const dialect = { effortField: 'reasoning.effort', reasoningRequest: { reasoning: { enabled: true } } } as const;
    expect(body({ options: { reasoningEffort: 'none' } }, dialect).reasoning).toEqual({ effort: 'none' });
  });

  it('[TH-006] [TH-016] says thinking by its effort, off by the effort none, and refuses what it has no word for', () => {
    expect(body({ thinking: { mode: 'adaptive', effort: 'low' } })).toMatchObject({ reasoning_effort: 'low' });
    expect(body({ thinking: { mode: 'off' } })).toMatchObject({ reasoning_effort: 'none' });
    // The model decides: nothing is said.
    expect(body({ thinking: { mode: 'adaptive' } })).not.toHaveProperty('reasoning_effort');
    expect(() => body({ thinking: { mode: 'budget', budget: 2_048 } })).toThrow(UnsupportedThinkingError);
    const refused = [
      () => body({ options: { reasoningEffort: 'low' } }, { effortField: 'none' }),
      () => body({ thinking: { mode: 'off' } }, { effortField: 'none' }),
      () => body({ thinking: { mode: 'off' }, facts: { reasoningEfforts: ['low', 'high'] } }),
      () => body({ thinking: { mode: 'adaptive', effort: 'low' }, options: { reasoningEffort: 'high' } }),
    ];
    for (const send of refused) expect(send).toThrow(SignalError);
  });

  it.each<[ProviderRequest['toolChoice'], Partial<ChatDialect['toolChoice']>, unknown]>([
    ['auto', {}, 'auto'],
    ['none', {}, 'none'],
    ['none', { none: false }, undefined],
    ['required', {}, 'required'],
    ['required', { required: 'any' }, 'any'],
    ['required', { required: 'unsupported' }, undefined],
    [{ name: 'find_berth' }, {}, { type: 'function', function: { name: 'find_berth' } }],
    [{ name: 'find_berth' }, { named: false }, 'required'],
    [{ name: 'other' }, { named: false }, undefined],
  ])('the choice %j with %j is %j', (toolChoice, rules, expected) => {
    const sent = body(
      { tools, ...(toolChoice === undefined ? {} : { toolChoice }) },
      { toolChoice: { ...openDialect.toolChoice, ...rules } },
    );
    expect(sent.tool_choice).toEqual(expected);
    expect(sent.tools).toEqual([
      { type: 'function', function: { name: 'find_berth', description: 'Finds', parameters: { type: 'object' } } },
    ]);
  });

  it('sends no choice without tools', () => {
    expect(body({ toolChoice: 'none' })).not.toHaveProperty('tool_choice');
  });

  it('spells the response format as the endpoint knows it', () => {
    const schema = { type: 'object' };
    const responseFormat = { type: 'json_schema', name: 'berth', schema, strict: true } as const;
    expect(body({ responseFormat }).response_format).toEqual({ type: 'json_schema', json_schema: { name: 'berth', schema, strict: true } });
    expect(body({ responseFormat }, { schemaFormat: 'json_object_with_schema' }).response_format).toEqual({ type: 'json_object', schema });
    expect(body({ responseFormat }, { schemaFormat: 'unsupported' })).not.toHaveProperty('response_format');
    expect(body({ responseFormat: { type: 'json_object' } }).response_format).toEqual({ type: 'json_object' });
    expect(body({ responseFormat: { type: 'json_object' } }, { jsonObjectFormat: false })).not.toHaveProperty('response_format');
  });

  it('adds the row’s fields and the caller’s own; a clash is a mistake of the caller', () => {
    expect(body({ options: { extraBody: { top_k: 4 } } }, { body: { safe: true } })).toMatchObject({ top_k: 4, safe: true });
    for (const field of ['model', 'messages', 'stream', 'safe']) {
      expect(() => body({ options: { extraBody: { [field]: 1 } } }, { body: { safe: true } })).toThrow(SignalError);
    }
  });
});

describe('address and headers', () => {
  it('joins base, path and query', () => {
    expect(endpointUrl({ baseUrl: 'https://x.test/v1/', dialect: openDialect })).toBe('https://x.test/v1/chat/completions');
    expect(endpointUrl({ baseUrl: 'https://x.test', dialect: { ...openDialect, query: { 'api-version': '1 2' } } })).toBe(
      'https://x.test/chat/completions?api-version=1+2',
    );
    const withPassword = (): string => endpointUrl({ baseUrl: 'https://me:canary-77@x.test/v1', dialect: openDialect });
    expect(withPassword).toThrow(SignalError);
    expect(withPassword).not.toThrow('canary-77');
    expect(() => endpointUrl({ baseUrl: 'nowhere', dialect: openDialect })).toThrow(SignalError);
  });

  it('carries the key as the endpoint wants it', () => {
    expect(endpointHeaders({ apiKey: 'k', dialect: openDialect }, 'whole')).toMatchObject({ authorization: 'Bearer k' });
    expect(endpointHeaders({ apiKey: 'k', dialect: { ...openDialect, auth: 'api-key-header' } }, 'whole')).toMatchObject({
      'api-key': 'k',
    });
    for (const headers of [
      endpointHeaders({ apiKey: 'k', dialect: { ...openDialect, auth: 'none' } }, 'whole'),
      endpointHeaders({ dialect: openDialect }, 'whole'),
    ]) {
      expect(JSON.stringify(headers)).not.toContain('k"');
    }
    expect(endpointHeaders({ dialect: { ...openDialect, headers: { 'x-title': 'T' } } }, 'parts')).toMatchObject({
      'x-title': 'T',
      'accept-encoding': 'identity',
    });
  });
});

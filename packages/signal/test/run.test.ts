import { type Message, SignalError, type StreamEvent, textOf } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Signal } from '../src/index.ts';
import { bench, drain, plain, withGrammar, withTools } from './support/clients.ts';
import type { Answer } from './support/stub-server.ts';

const schema = z.object({ label: z.string(), score: z.number() });
const good = '{"label":"ok","score":2}';
const bad = '{"label":"ok","score":"two"}';

const lastOf = <Value>(events: readonly StreamEvent<Value>[]): StreamEvent<Value> => {
  const last = events.at(-1);
  if (last === undefined) throw new Error('no event');
  return last;
};
const typesOf = (events: readonly StreamEvent<unknown>[]): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
const rolesOf = (history: readonly Message[]): string[] => history.map(({ role }) => role);

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  input: z.object({ zone: z.string() }),
  execute: ({ zone }) => ({ zone, time: '12:00' }),
});
const callOf = (args: string, name = 'clock', id = 'c1'): Answer => ({ calls: [{ id, name, args }], usage: [20, 5] });

describe('free text', () => {
  it('[sig-L1] streams the text and ends in done with response, history and usage', async () => {
    const { client } = bench([{ content: 'The tide turns at noon.', usage: [9, 6] }]);
    const events = await drain(client.stream('When?'));
    expect(typesOf(events)).toEqual(['text', 'done']);
    expect(lastOf(events)).toMatchObject({
      type: 'done',
      response: 'The tide turns at noon.',
      meta: { usage: { inputTokens: 9, outputTokens: 6, totalTokens: 15, reported: true }, retries: 0, finish: 'stop', model: 'model-1' },
    });
    const done = lastOf(events);
    expect(done.type === 'done' && rolesOf(done.history)).toEqual(['user', 'assistant']);
  });

  it('[sig-L7] complete gives the same, without retries', async () => {
    const { client } = bench([{ content: 'Noon.' }]);
    const { response, meta } = await client.complete('When?');
    expect(response).toBe('Noon.');
    expect(meta.retries).toBe(0);
  });

  it('[SG-080] text that ends by length is what the model said, and meta says so', async () => {
    const { response, meta } = await bench([{ content: 'Noon, or', finish: 'length' }]).client.complete('When?');
    expect(response).toBe('Noon, or');
    expect(meta.finish).toBe('length');
  });

  it('[path-C15] [SG-082] a prompt that a filter refuses is a refusal, whole and streamed, and is sent once', async () => {
    const inner = { code: 'ResponsibleAIPolicyViolation', content_filter_result: { violence: { filtered: true, severity: 'medium' } } };
    const filtered: Answer = {
      status: 400,
      body: { error: { code: 'content_filter', message: 'Filtered.', status: 400, innererror: inner } },
    };
    const { client, server } = bench([filtered, filtered]);
    const refused = { kind: 'refused', reason: 'refusal', evidence: { provider: { status: 400, providerCode: 'content_filter' } } };
    expect(await client.schema(schema).tryComplete('Rate it.')).toMatchObject({ ok: false, failure: refused });
    expect(lastOf(await drain(client.schema(schema).stream('Rate it.')))).toMatchObject({ type: 'error', failure: refused });
    expect(server.requests).toHaveLength(2);
  });

  it('[def-B4] nothing at all is never a success', async () => {
    const { client } = bench([{ content: '' }]);
    expect(await client.tryComplete('When?')).toMatchObject({ ok: false, failure: { kind: 'no_output', reason: 'empty' } });
    const rejection: Answer = { status: 400, body: { error: { message: 'no', code: 'tool_use_failed', failed_generation: '' } } };
    const recovered = await bench([rejection], { wire: ['failed-generation'] }).client.tryComplete('When?');
    expect(recovered).toMatchObject({ ok: false, failure: { kind: 'rejected' } });
  });
});

describe('a schema', () => {
  it('[sig-L2] a conforming answer is parsed', async () => {
    const events = await drain(
      bench([{ content: good }])
        .client.schema(schema)
        .stream('Rate it.'),
    );
    expect(lastOf(events)).toMatchObject({ type: 'done', response: { label: 'ok', score: 2 } });
  });

  it('[sig-L3] [SG-055] a bad answer is corrected: the retry is announced, the model sees its own text, the messages are internal', async () => {
    const { client, server } = bench([{ content: bad }, { content: good }]);
    const retried: number[] = [];
    const events = await drain(
      client
        .schema(schema)
        .onRetry((_error, attempt) => retried.push(attempt))
        .stream('Rate it.'),
    );
    expect(typesOf(events)).toEqual(['text', 'retry', 'text', 'done']);
    expect(events.find((event) => event.type === 'retry')).toMatchObject({ attempt: 1 });
    expect(retried).toEqual([1]);
    const sent = server.requests[1]?.body.messages ?? [];
    expect(sent.at(-2)).toMatchObject({ role: 'assistant', content: bad });
    expect(sent.at(-1)?.content).toContain('/score');
    const done = lastOf(events);
    if (done.type !== 'done') throw new Error('not done');
    expect(done.history.map(({ role, internal }) => [role, internal])).toEqual([
      ['user', undefined],
      ['assistant', true],
      ['user', true],
      ['assistant', undefined],
    ]);
    expect(done.meta).toMatchObject({ retries: 1, wire: [{}, { rung: 'parse' }] });
    expect(done.meta.requests).toHaveLength(2);
  });

  it('[sig-L4] an answer that stays bad ends in error', async () => {
    const events = await drain(
      bench([{ content: bad }])
        .client.schema(schema)
        .retries(1)
        .stream('Rate it.'),
    );
    expect(typesOf(events)).toEqual(['text', 'retry', 'text', 'error']);
    expect(lastOf(events)).toMatchObject({
      failure: { kind: 'invalid_output', reason: 'schema_mismatch', evidence: { issues: [{ path: '/score' }], attempts: [{}, {}] } },
    });
  });

  it('[sig-L8] [def-B16] without retries complete throws at once, and onRetry is not called', async () => {
    const { client, server } = bench([{ content: bad }]);
    let called = 0;
    const run = client
      .schema(schema)
      .retries(0)
      .onRetry(() => {
        called += 1;
      });
    await expect(run.complete('Rate it.')).rejects.toMatchObject({ name: 'SignalError', code: 'E_INVALID_OUTPUT' });
    expect(called).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('[def-B16] onRetry is called once for each retry that follows', async () => {
    const attempts: number[] = [];
    const run = bench([{ content: bad }])
      .client.schema(schema)
      .retries(2)
      .onRetry((_error, attempt) => attempts.push(attempt));
    const result = await run.tryComplete('Rate it.');
    expect(attempts).toEqual([1, 2]);
    expect(result.ok).toBe(false);
  });

  it('transforms are applied once, and the history keeps what was written', async () => {
    let transforms = 0;
    const counted = z.object({
      when: z.string().transform((text) => {
        transforms += 1;
        return text.length;
      }),
    });
    const client = bench([{ content: '{"when":"noon"}' }]).client.schema(counted);
    const before = transforms;
    const { response, history } = await client.complete('When?');
    expect(response).toEqual({ when: 4 });
    // The gate's own run gave the response.
    expect(transforms - before).toBe(1);
    expect(textOf(history.at(-1) as Message)).toBe('{"when":"noon"}');
  });

  it('a transform that throws is a typed failure with evidence', async () => {
    const picky = z.object({ when: z.string() });
    const refusing = {
      jsonSchema: { type: 'object' },
      validate: (value: unknown) => (picky.safeParse(value).success ? ({ ok: true } as const) : ({ ok: false, issues: [] } as const)),
      parse: (): never => {
        throw new RangeError('no such hour');
      },
    };
    const result = await bench([{ content: '{"when":"noon"}' }])
      .client.schema(refusing)
      .retries(0)
      .tryComplete('When?');
    expect(result).toMatchObject({
      ok: false,
      failure: {
        kind: 'invalid_output',
        reason: 'schema_mismatch',
        evidence: { issues: [{ code: 'transform' }], attempts: [{ text: { text: '{"when":"noon"}' } }] },
      },
    });
  });
});

describe('tools', () => {
  it('[sig-L5] [sig-L9] runs the call, feeds the result back, and sums the usage', async () => {
    const { client, server } = bench([callOf('{"zone":"UTC"}'), { content: 'It is noon.', usage: [30, 4] }]);
    const seen: unknown[] = [];
    const events = await drain(
      client
        .tools([clock])
        .onToolCall((name, args) => seen.push([name, args]))
        .stream('What time is it?'),
    );
    expect(typesOf(events)).toEqual(['tool_call_delta', 'tool_start', 'tool_end', 'text', 'done']);
    expect(seen).toEqual([['clock', { zone: 'UTC' }]]);
    expect(lastOf(events)).toMatchObject({
      response: 'It is noon.',
      meta: {
        usage: { inputTokens: 50, outputTokens: 9, totalTokens: 59, reported: true },
        toolCalls: [{ callId: 'c1', name: 'clock', args: { zone: 'UTC' }, result: { zone: 'UTC', time: '12:00' }, outcome: 'succeeded' }],
      },
    });
    expect(server.requests[1]?.body.messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '{"zone":"UTC","time":"12:00"}' },
    ]);
  });

  it('[sig-L6] an endpoint without tools is refused before any request', async () => {
    const { client, server } = bench([{ content: 'x' }], { capabilities: { nativeTools: 'no' } });
    await expect(drain(client.tools([clock]).stream('What time is it?'))).rejects.toMatchObject({
      code: 'E_UNSUPPORTED_TOOLS',
      kind: 'configuration',
    });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ['an unknown tool', callOf('{}', 'sundial'), 'sundial'],
    ['arguments that miss the schema', callOf('{"zone":5}'), '/zone'],
    ['arguments that are no JSON', callOf('UTC please'), 'clock'],
  ])('[SG-080] %s is told to the model and fails nothing', async (_title, turn, told) => {
    const { client, server } = bench([turn, { content: 'Sorry.' }]);
    const { response, meta } = await client.tools([clock]).complete('What time is it?');
    expect(response).toBe('Sorry.');
    expect(meta.toolCalls).toMatchObject([{ outcome: 'failed' }]);
    expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining(told) });
  });

  it.each([
    ['succeeded', callOf('{"zone":"UTC"}'), { result: { zone: 'UTC', time: '12:00' } }],
    ['failed', callOf('{"zone":5}'), { result: expect.stringContaining('/zone') }],
    ['failed', callOf('{}', 'sundial'), { name: 'sundial', result: expect.stringContaining('unknown tool') }],
  ])('[SG-080] tool_start is followed by one tool_end, with outcome %s', async (outcome, turn, end) => {
    const events = await drain(
      bench([turn, { content: 'x' }])
        .client.tools([clock])
        .stream('What time is it?'),
    );
    const pair = events.filter(({ type }) => type === 'tool_start' || type === 'tool_end');
    expect(pair).toMatchObject([
      { type: 'tool_start', callId: 'c1' },
      { type: 'tool_end', callId: 'c1', outcome, ...end },
    ]);
  });

  it('[SG-080] each of the calls that run at once ends when it ends, and the record keeps their order', async () => {
    const turn: Answer = { calls: ['slow', 'fast'].map((id) => ({ id, name: 'wait', args: `{"id":"${id}"}` })) };
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      input: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        if (id === 'slow') await released;
        return id;
      },
    });
    const ended: string[] = [];
    const { client } = bench([turn, { content: 'x' }], {}, { toolExecution: 'parallel', tools: [wait] });
    for await (const event of client.stream('Wait.')) {
      if (event.type === 'tool_end') ended.push(event.callId);
      // Were the ends held back until the slowest, this would never come.
      if (event.type === 'tool_end' && event.callId === 'fast') release();
      if (event.type === 'done') expect(event.meta.toolCalls.map(({ callId }) => callId)).toEqual(['slow', 'fast']);
    }
    expect(ended).toEqual(['fast', 'slow']);
  });

  it('[SG-080] [SG-086] a tool that throws is told to the model, bounded', async () => {
    const broken = defineTool({
      name: 'clock',
      description: 'Breaks.',
      input: z.object({}),
      execute: () => {
        throw new Error('x'.repeat(10_000));
      },
    });
    const { client, server } = bench([callOf('{}'), { content: 'Sorry.' }]);
    await client.tools([broken]).complete('What time is it?');
    const told = String(server.requests[1]?.body.messages.at(-1)?.content);
    expect(told.length).toBeLessThan(800);
    expect(told).toContain('more characters, sha256');
  });

  it('[SG-080] a result that JSON cannot say is told to the model as a failure', async () => {
    const odd = defineTool({ name: 'clock', description: 'Counts.', input: z.object({}), execute: () => 5n });
    const { meta } = await bench([callOf('{}'), { content: 'Sorry.' }])
      .client.tools([odd])
      .complete('What time is it?');
    expect(meta.toolCalls).toMatchObject([{ outcome: 'failed', result: expect.stringContaining('BigInt') }]);
  });

  it('[SG-080] a fatal tool ends the run', async () => {
    const fatal = defineTool({
      name: 'clock',
      description: 'Breaks.',
      input: z.object({}),
      fatal: true,
      execute: async () => {
        throw new Error('power cut');
      },
    });
    const turn: Answer = {
      calls: [
        { id: 'c1', name: 'clock', args: '{}' },
        { id: 'c2', name: 'clock', args: '{}' },
      ],
    };
    const { client, server } = bench([turn, { content: 'never' }]);
    const result = await client.tools([fatal]).tryComplete('What time is it?');
    expect(result).toMatchObject({
      ok: false,
      failure: {
        kind: 'aborted',
        code: 'E_TOOL_EXECUTION',
        message: expect.stringMatching(/^The tool "clock" ended the run: .*power cut/),
      },
    });
    expect(server.requests).toHaveLength(1);
    const history = result.ok ? [] : (result.failure.history ?? []);
    expect(history.slice(-2).map(({ parts }) => parts[0])).toMatchObject([
      { type: 'tool-result', callId: 'c1', outcome: 'failed' },
      { type: 'tool-result', callId: 'c2', outcome: 'cancelled' },
    ]);
  });

  it('[def-B28] empty arguments are an empty object', async () => {
    const now = defineTool({
      name: 'now',
      description: 'Tells the time.',
      input: z.object({}),
      execute: (input) => `got ${JSON.stringify(input)}`,
    });
    const { client } = bench([callOf('', 'now'), { content: 'Noon.' }]);
    const { meta } = await client.tools([now]).complete('What time is it?');
    expect(meta.toolCalls).toMatchObject([{ outcome: 'succeeded', result: 'got {}' }]);
  });

  it('[SG-080] calls run in order, and at once only when that was asked for', async () => {
    const turn: Answer = { calls: ['c1', 'c2'].map((id) => ({ id, name: 'mark', args: `{"id":"${id}"}` })) };
    const log: string[] = [];
    const mark = defineTool({
      name: 'mark',
      description: 'Marks.',
      input: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        log.push(`start ${id}`);
        await Promise.resolve();
        await Promise.resolve();
        log.push(`end ${id}`);
        return id;
      },
    });
    await bench([turn, { content: 'x' }])
      .client.tools([mark])
      .complete('Mark.');
    expect(log.splice(0)).toEqual(['start c1', 'end c1', 'start c2', 'end c2']);
    const parallel = bench([turn, { content: 'x' }], {}, { toolExecution: 'parallel', tools: [mark] });
    const { meta } = await parallel.client.complete('Mark.');
    expect(log).toEqual(['start c1', 'start c2', 'end c1', 'end c2']);
    expect(meta.toolCalls.map(({ callId }) => callId)).toEqual(['c1', 'c2']);
  });

  it('[SG-080] [SG-055] a model that calls tools for ever meets the bound of 10 calls, and the history is not lost', async () => {
    const { client, server } = bench([callOf('{"zone":"UTC"}')]);
    const result = await client.tools([clock]).retries(1).tryComplete('What time is it?');
    expect(result).toMatchObject({ ok: false, failure: { kind: 'limit', reason: 'limit_exceeded', code: 'E_MAX_ITERATIONS' } });
    expect(server.requests).toHaveLength(10);
    const { history } = result.ok ? result : result.failure;
    expect(history === undefined ? [] : rolesOf(history)).toEqual([
      'user',
      ...Array.from({ length: 10 }, () => ['assistant', 'tool']).flat(),
    ]);
  });

  it('[SG-080] maxTurns counts model calls beside the corrections that were sent', async () => {
    const tooMany = bench([callOf('{"zone":"UTC"}'), { content: bad }, callOf('{"zone":"UTC"}')], {}, { maxTurns: 2 });
    const failed = await tooMany.client.tools([clock]).schema(schema).tryComplete('Rate it.');
    expect(failed).toMatchObject({
      ok: false,
      failure: { code: 'E_MAX_ITERATIONS', message: expect.stringContaining('2 model calls beside 1') },
    });
    expect(tooMany.server.requests).toHaveLength(3);
    const enough = bench([callOf('{"zone":"UTC"}'), { content: bad }, { content: good }], {}, { maxTurns: 2 });
    expect(await enough.client.tools([clock]).schema(schema).tryComplete('Rate it.')).toMatchObject({ ok: true });
  });

  it('[SG-072] a cut call is not run, nor the complete one beside it; the model is asked again', async () => {
    const ran: unknown[] = [];
    const remove = defineTool({
      name: 'remove',
      description: 'Removes rows.',
      input: z.object({ table: z.string(), where: z.string().optional() }),
      execute: (input) => ran.push(input),
    });
    const cut: Answer = {
      calls: [
        { id: 'c1', name: 'remove', args: '{"table":"a","where":"id=1"}' },
        { id: 'c2', name: 'remove', args: '{"table":"b","wh' },
      ],
      finish: 'length',
    };
    const { client } = bench([cut]);
    const result = await client.tools([remove]).retries(1).tryComplete('Tidy up.');
    expect(ran).toEqual([]);
    expect(result).toMatchObject({
      ok: false,
      failure: {
        kind: 'truncated',
        evidence: {
          salvagedCalls: [
            { name: 'remove', complete: true },
            { name: 'remove', complete: false },
          ],
        },
      },
    });
  });

  it('[def-B1] [SG-067] a declared call that an error body cut is not run either', async () => {
    const ran: unknown[] = [];
    const remove = defineTool({
      name: 'delete_rows',
      description: 'Removes rows.',
      input: z.object({ table: z.string(), where: z.string().optional() }),
      execute: (input) => ran.push(input),
    });
    const failed_generation = '{"name":"delete_rows","arguments":{"table":"boats","whe';
    const rejection: Answer = { status: 400, body: { error: { message: 'no', code: 'tool_use_failed', failed_generation } } };
    const { client, server } = bench([rejection, { content: 'Done.' }], { wire: ['failed-generation'] });
    const { response } = await client.tools([remove]).complete('Tidy up.');
    expect(ran).toEqual([]);
    expect(response).toBe('Done.');
    expect(String(server.requests[1]?.body.messages.at(-1)?.content)).toContain('delete_rows');
  });

  it('[SG-068] a call that was written as text runs, and goes back as a call without that text', async () => {
    const written = '<tool_call>{"name":"clock","arguments":{"zone":"UTC"}}</tool_call>';
    const { client, server } = bench([{ content: written }, { content: 'Noon.' }]);
    const { meta } = await client.tools([clock]).complete('When?');
    expect(meta.toolCalls).toMatchObject([{ name: 'clock', outcome: 'succeeded' }]);
    expect(server.requests[1]?.body.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'clock' } }] },
      { role: 'tool' },
    ]);
  });

  it('[SG-007] tools, tool choice and response format are the same in every request of a run', async () => {
    const runs: [Signal<unknown>, ReturnType<typeof bench>][] = [plain, withTools, withGrammar].map((capabilities) => {
      const b = bench([callOf('{"zone":"UTC"}'), { content: bad }, { content: good }], { capabilities });
      return [b.client.tools([clock]).schema(schema), b];
    });
    for (const [client, { server }] of runs) {
      const { meta } = await client.complete('Rate the time.');
      expect(meta.retries).toBe(1);
      const fixed = server.requests.map(({ body: { messages: _messages, ...rest } }) => rest);
      expect(fixed).toHaveLength(3);
      expect(fixed[1]).toEqual(fixed[0]);
      expect(fixed[2]).toEqual(fixed[0]);
      for (const [index, { body }] of server.requests.entries()) {
        const before = server.requests[index - 1]?.body.messages ?? [];
        expect(body.messages.slice(0, before.length)).toEqual(before);
      }
    }
  });
});

describe('a refused response format', () => {
  const refusal = (message: string): Answer => ({
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: 'response_format' } },
  });

  it.each([
    ['nativeJsonSchema', [], 'This model does not support response format `json_schema`.'],
    ['toolsWithStructuredOutput', [clock], 'json_schema cannot be combined with tool calling'],
  ] as const)('[SG-007] [path-A13] fails with the fact to correct, %s, and nothing is downgraded', async (fact, tools, message) => {
    const { client, server } = bench([refusal(message)], { capabilities: withGrammar });
    const result = await client.tools(tools).schema(schema).tryComplete('Rate it.');
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'provider', evidence: { note: `registry fact: ${fact}`, provider: { status: 400 } } },
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('history', () => {
  it('[def-B11] [SG-055] round trips without growing a system prompt or keeping corrections', async () => {
    const { client, server } = bench([{ content: bad }, { content: good }, { content: bad }, { content: good }, { content: good }]);
    const run = client.systemPrompt('Be brief.').schema(schema);
    const first = await run.complete('One.');
    const second = await run.history(first.history).complete('Two.');
    const third = await run.history(second.history).complete('Three.');
    expect(second.history.filter(({ role }) => role === 'system')).toEqual([]);
    expect(third.history.map(({ role, internal }) => [role, internal])).toEqual(
      ['user', 'assistant', 'user', 'assistant', 'user', 'assistant'].map((role) => [role, undefined]),
    );
    const systems = server.requests.map(({ body }) => body.messages.filter(({ role }) => role === 'system').length);
    expect(new Set(systems).size).toBe(1);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages).split('Be brief.')).toHaveLength(2);
  });

  it("[def-B12] [SG-055] an answer that came by arguments is kept as the assistant's content", async () => {
    const { client } = bench([{ calls: [{ id: 'c1', name: 'respond', args: good }] }], { capabilities: withTools });
    const { response, history } = await client.schema(schema).complete('Rate it.');
    expect(response).toEqual({ label: 'ok', score: 2 });
    expect(history.at(-1)).toMatchObject({ role: 'assistant', parts: [{ type: 'text', text: good }] });
  });

  it('[def-B12] a failed attempt by arguments is shown to the model too', async () => {
    const attempt = (args: string): Answer => ({ calls: [{ id: 'c1', name: 'respond', args }] });
    const { client, server } = bench([attempt(bad), attempt(good)], { capabilities: withTools });
    await client.schema(schema).complete('Rate it.');
    expect(server.requests[1]?.body.messages.at(-2)).toMatchObject({ role: 'assistant', content: bad });
  });

  it('[SG-008] two runs of one client share nothing but configuration', async () => {
    const { client, server } = bench([{ content: 'a' }, { content: 'b' }]);
    await Promise.all([client.complete('First.'), client.complete('Second.')]);
    expect(server.requests.map(({ body }) => body.messages)).toEqual([
      [{ role: 'user', content: 'First.' }],
      [{ role: 'user', content: 'Second.' }],
    ]);
  });
});

describe('failures', () => {
  const failing: readonly (readonly [string, Answer, object])[] = [
    ['a refusal', { refusal: 'I cannot help.' }, { kind: 'refused', reason: 'refusal', code: 'E_REFUSED' }],
    ['a content filter', { content: '{"la', finish: 'content_filter' }, { kind: 'refused', reason: 'refusal' }],
    [
      'a budget that reasoning used up',
      { reasoning: 'hmm', content: '', finish: 'length' },
      { kind: 'truncated', evidence: { note: 'reasoning_budget' } },
    ],
    ['a cut answer', { content: '{"label":"ok","sco', finish: 'length' }, { kind: 'truncated', reason: 'truncated' }],
    ['two answers', { content: `${good}\n{"label":"no","score":1}` }, { kind: 'invalid_output', reason: 'ambiguous' }],
    ['prose', { content: 'It is fine.' }, { kind: 'no_output' }],
  ];

  it.each(failing)('[SG-081] [SG-082] %s is a typed failure, the same for complete and stream', async (_title, answer, expected) => {
    const whole = await bench([answer]).client.schema(schema).retries(0).tryComplete('Rate it.');
    expect(whole).toMatchObject({ ok: false, failure: expected });
    const streamed = lastOf(await drain(bench([answer]).client.schema(schema).retries(0).stream('Rate it.')));
    expect(streamed).toEqual({ type: 'error', failure: whole.ok ? undefined : whole.failure });
    expect(whole.ok ? undefined : JSON.parse(JSON.stringify(whole.failure))).toEqual(whole.ok ? undefined : whole.failure);
  });

  it('[SG-081] complete throws the failure that tryComplete gives', async () => {
    const run = bench([{ content: bad }])
      .client.schema(schema)
      .retries(0);
    const tried = await run.tryComplete('Rate it.');
    const error = await run.complete('Rate it.').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SignalError);
    expect((error as SignalError).failure).toEqual(tried.ok ? undefined : tried.failure);
  });

  it('[SG-081] the evidence has each attempt with its wire report, all usage, the digest and the finish reason', async () => {
    const result = await bench([
      { content: bad, usage: [10, 2] },
      { content: 'no', usage: [12, 3] },
    ])
      .client.schema(schema)
      .retries(1)
      .tryComplete('Rate it.');
    expect(result).toMatchObject({
      ok: false,
      failure: {
        evidence: {
          attempts: [
            {
              source: 'content',
              text: { text: bad },
              reason: 'schema_mismatch',
              finishReason: 'stop',
              wire: { source: 'content' },
              usage: { totalTokens: 12 },
            },
            { text: { text: 'no' }, reason: 'no_candidate', usage: { totalTokens: 15 } },
          ],
          usage: { inputTokens: 22, outputTokens: 5, totalTokens: 27, reported: true },
          requestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
          finishReason: 'stop',
        },
      },
    });
  });

  it('[SG-081] [SG-087] a provider failure has cause, retryable and the attempts before it', async () => {
    const result = await bench([{ content: bad }, { status: 401, body: { error: { message: 'bad key' } } }])
      .client.schema(schema)
      .tryComplete('Rate it.');
    expect(result).toMatchObject({
      ok: false,
      failure: {
        kind: 'provider',
        cause: 'auth',
        retryable: false,
        evidence: { provider: { status: 401 }, attempts: [{ reason: 'schema_mismatch' }, { reason: 'provider_error' }] },
      },
    });
  });

  it.each([
    ['text had begun', { content: '{"label":"o', end: 'cut' } as const, { kind: 'truncated', reason: 'truncated' }],
    ['a call had begun', { calls: [{ id: 'c', name: 'respond', args: '{"label"' }], end: 'cut' } as const, { kind: 'truncated' }],
    ['nothing had come', { end: 'cut' } as const, { kind: 'provider', cause: 'transport', retryable: true }],
    ['reasoning alone had come', { reasoning: 'hmm', end: 'cut' } as const, { kind: 'provider', cause: 'transport' }],
  ])('[SG-035] [SG-081] a stream cut without a finish when %s', async (_title, answer, expected) => {
    const client = bench([answer], { capabilities: withTools })
      .client.schema(schema)
      .retries(0)
      .options({ network: { retries: 0 } });
    expect(lastOf(await drain(client.stream('Rate it.')))).toMatchObject({ type: 'error', failure: expected });
  });

  it('[SG-063] a lossy answer is evidence by default, and output under lossy, marked', async () => {
    const cut: Answer = { content: '{"label":"ok","score":2,"note":"lat', finish: 'length' };
    const run = bench([cut]).client.schema(schema).retries(0);
    const refused = await run.tryComplete('Rate it.');
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'truncated', evidence: { salvaged: { label: 'ok', score: 2 } } } });
    const lossy = await run.accept('lossy').tryComplete('Rate it.');
    expect(lossy).toMatchObject({ ok: true, response: { label: 'ok', score: 2 }, meta: { wire: [{ loss: 'truncated' }] } });
  });

  it('a body over the limit is kind limit, with the request behind it', async () => {
    const { client } = bench([{ content: 'x'.repeat(5_000) }], {}, { maxBodyBytes: 1_000 });
    const result = await client.tryComplete('Go.');
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'limit', code: 'E_LIMIT', evidence: { requestDigest: expect.any(String) } },
    });
  });

  it('[SG-081] a mistake of the caller is thrown by every verb, before any request', async () => {
    const { client, server } = bench([{ content: good }]);
    const mistaken = client.options({ extraBody: { model: 'another' } });
    const expected = { kind: 'configuration', code: 'E_CONFIGURATION' };
    await expect(mistaken.tryComplete('Go.')).rejects.toMatchObject(expected);
    await expect(mistaken.complete('Go.')).rejects.toMatchObject(expected);
    await expect(drain(mistaken.stream('Go.'))).rejects.toMatchObject(expected);
    await expect(mistaken.step({ messages: [] })).rejects.toMatchObject(expected);
    expect(server.requests).toHaveLength(0);
  });

  it('[def-B17] stream delivers every failure of the run as its last event, and throws for configuration alone', async () => {
    const down: Answer = { status: 400, body: {} };
    for (const answer of [down, { content: bad }, { refusal: 'no' }] satisfies Answer[]) {
      const events = await drain(bench([answer]).client.schema(schema).retries(0).stream('Rate it.'));
      expect(lastOf(events).type).toBe('error');
    }
    const { client } = bench([{ content: good }]);
    const asked = client.model('').stream('Rate it.');
    await expect(drain(asked)).rejects.toMatchObject({ code: 'E_MISSING_MODEL' });
  });
});

describe('meta', () => {
  it('[SG-069] [def-B22] each wire report reaches the caller', async () => {
    const { meta } = await bench([{ content: `Sure:\n\`\`\`json\n${good}\n\`\`\`` }])
      .client.schema(schema)
      .complete('Rate it.');
    expect(meta.wire).toMatchObject([{ source: 'content', loss: 'noise' }]);
    expect(meta.wire[0]?.edits.length).toBeGreaterThan(0);
  });

  it('[def-B9] a run with one unreported turn does not claim its sum', async () => {
    const { client } = bench([
      { ...(callOf('{"zone":"UTC"}') as object), usage: null },
      { content: 'Noon.', usage: [30, 4] },
    ]);
    const { meta } = await client.tools([clock]).complete('When?');
    expect(meta.usage).toEqual({ inputTokens: 30, outputTokens: 4, totalTokens: 34, reported: false });
  });

  it('[def-B27] tool choice, finish reason and refusal are to be had from complete', async () => {
    const { client, server } = bench([{ content: 'Noon.', finish: 'stop' }], {}, { toolChoice: 'none', tools: [clock] });
    const { meta } = await client.complete('When?');
    expect(server.requests[0]?.body.tool_choice).toBe('none');
    expect(meta.finish).toBe('stop');
    const refused = await bench([{ refusal: 'I cannot help.' }]).client.tryComplete('When?');
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'refused', evidence: { attempt: { text: { text: 'I cannot help.' } } } } });
  });
});

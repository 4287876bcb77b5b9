import type { MessageInput } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClientOptions, defineTool, type SignalError, type Tool } from '../src/index.ts';
import { createTurn, partsOf, takePart } from '../src/step/assemble.ts';
import { sampleValue } from '../src/transport/accept/sample-value.ts';
import { bench, drain, plain, withTools } from './support/clients.ts';
import type { Answer } from './support/stub-server.ts';

const call: Answer = { calls: [{ id: 'c1', name: 't', args: '{"x":1}' }] };
const anyObject = { jsonSchema: { type: 'object' }, validate: () => ({ ok: true }) as const };
const tool = (execute: (input: unknown) => unknown): Tool => defineTool({ name: 't', description: 'A tool.', input: anyObject, execute });

function throwing(value: unknown): () => never {
  return () => {
    throw value;
  };
}

const oddMessage = Object.assign(new Error('x'), { message: 5 });
const silent = Object.defineProperty(new Error('x'), 'message', { get: throwing(new Error('no')) });

describe('foreign code that misbehaves', () => {
  it.each([
    ['an object without a text', Object.create(null)],
    ['an error whose message is a number', oddMessage],
    ['an error whose message cannot be read', silent],
    ['an object whose toString throws', { toString: throwing(new Error('no')) }],
  ])('[SG-080] a tool that throws %s has failed, and the run goes on', async (_title, thrown) => {
    const { client } = bench([call, { content: 'done' }], { capabilities: withTools }, { tools: [tool(throwing(thrown))] });
    const result = await client.tryComplete('Go.');
    expect(result).toMatchObject({ ok: true, response: 'done', meta: { toolCalls: [{ outcome: 'failed' }] } });
  });

  it('[SG-080] what a tool does to its input shows neither in the record nor in the events', async () => {
    const spoil = tool((input) => Object.assign(input as object, { x: 99 }));
    const { client } = bench([call, { content: 'done' }], { capabilities: withTools }, { tools: [spoil] });
    const events = await drain(client.stream('Go.'));
    expect(events.find(({ type }) => type === 'tool_start')).toMatchObject({ args: { x: 1 } });
    expect(events.at(-1)).toMatchObject({ type: 'done', meta: { toolCalls: [{ args: { x: 1 } }] } });
  });

  it.each(['onToolCall', 'onRetry'] as const)('[SG-081] an %s that throws is a configuration failure with its cause', async (hook) => {
    const cause = new Error('the hook broke');
    const answers: readonly Answer[] = hook === 'onToolCall' ? [call] : [{ content: 'no JSON' }];
    const { client } = bench(answers, { capabilities: withTools }, { tools: [tool(() => 1)], [hook]: throwing(cause) });
    const error = await client
      .schema(z.object({ a: z.number() }))
      .tryComplete('Go.')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'configuration', cause });
  });

  it.each([
    ['validate', { validate: throwing(oddMessage) }],
    [
      'validate, with issues that cannot be read',
      {
        validate: throwing({
          get issues() {
            return throwing(oddMessage)();
          },
        }),
      },
    ],
    ['parse', { validate: () => ({ ok: true }) as const, parse: throwing(Object.create(null)) }],
    ['parse, with an odd message', { validate: () => ({ ok: true }) as const, parse: throwing(oddMessage) }],
  ])('[SG-054] a schema whose %s throws refuses the value, and nothing else is thrown', async (_title, functions) => {
    const { client } = bench([{ content: '{"a":1}' }], { capabilities: plain }, { retries: 0 });
    const result = await client.schema({ jsonSchema: { type: 'object' }, ...functions }).tryComplete('Go.');
    expect(result).toMatchObject({ ok: false, failure: { reason: 'schema_mismatch' } });
  });

  it('[SG-054] issues with a path of endless length are bounded', async () => {
    const issues = [{ path: { length: 1e9 }, code: 'odd', expected: 'x', received: 'y' }];
    const schema = { jsonSchema: { type: 'object' }, validate: () => ({ ok: false, issues: issues as never[] }) as const };
    const { client } = bench([{ content: '{"a":1}' }], { capabilities: plain }, { retries: 0 });
    expect(await client.schema(schema).tryComplete('Go.')).toMatchObject({ ok: false, failure: { reason: 'schema_mismatch' } });
  });

  it.each([
    [
      'a getter that throws',
      {
        type: 'object',
        get properties() {
          return throwing(oddMessage)();
        },
      },
    ],
    ['a proxy that throws', new Proxy({ type: 'object' }, { ownKeys: throwing(oddMessage) })],
    ['a value that JSON has not', { type: 'object', properties: { a: { const: 10n } } }],
  ])('[SG-054] a JSON Schema with %s is a configuration error', (_title, jsonSchema) => {
    const { client } = bench([]);
    const build = (): unknown => client.schema({ jsonSchema, validate: () => ({ ok: true }) });
    expect(build).toThrow(expect.objectContaining({ kind: 'configuration', code: 'E_UNSUPPORTED_SCHEMA' }) as SignalError);
  });

  it('[SG-054] a schema that refers to itself many times is sampled within its bound', () => {
    const names = Array.from({ length: 40 }, (_, index) => `k${index}`);
    const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])) };
    expect(JSON.stringify(sampleValue(schema, 0)).length).toBeLessThan(2_000_000);
  });
});

describe('calls', () => {
  it('[SG-034] many calls of one turn are each placed once', () => {
    const turn = createTurn(() => 'id', ['t']);
    const count = 50_000;
    for (let index = 0; index < count; index += 1) {
      takePart(turn, { type: 'function-call-delta', index, id: `c${index}`, name: 't', arguments: '{}' }, []);
    }
    expect(partsOf(turn)).toHaveLength(count);
  });

  it.each([
    ['unsafe_key', '{"__proto__":{"a":1}}'],
    ['lossy_value', '{"n":12345678901234567891}'],
  ])('[SG-055] whole arguments refused as %s are not called cut off in the correction', async (reason, args) => {
    const answers: readonly Answer[] = [{ calls: [{ id: 'c1', name: 't', args }] }, { content: 'done' }];
    const seen: SignalError[] = [];
    const onRetry = (error: SignalError): number => seen.push(error);
    const { client, server } = bench(answers, { capabilities: withTools }, { tools: [tool(() => 1)], onRetry });
    expect(await client.tryComplete('Go.')).toMatchObject({ ok: true });
    expect(seen).toMatchObject([{ failure: { reason } }]);
    expect(server.requests[1]?.body.messages.at(-1)?.content).toContain('was not accepted');
    expect(server.requests[1]?.body.messages.at(-1)?.content).not.toContain('cut off');
  });
});

describe('options that mean nothing', () => {
  it.each([
    [{ accept: 'bogus' }],
    [{ transport: 'bogus' }],
    [{ toolExecution: 'bogus' }],
    [{ options: { timeout: { total: Number.NaN } } }],
    [{ options: { timeout: { idle: -1 } } }],
    [{ options: { network: { retries: 1.5 } } }],
    [{ options: { network: { maxDelay: -1 } } }],
    [{ options: { temperature: Number.NaN } }],
    [{ options: { maxOutputTokens: Number.POSITIVE_INFINITY } }],
  ])('[SG-005] %j is refused when the client is made', (options) => {
    expect(() => bench([], {}, options as ClientOptions)).toThrow(expect.objectContaining({ code: 'E_CONFIGURATION' }) as SignalError);
  });

  it('[SG-037] a step refuses a time limit that is no time, before any request', async () => {
    const { client, server } = bench([{ content: 'x' }]);
    const request = { messages: [{ role: 'user', content: 'Go.' }], options: { timeout: { total: Number.NaN } } } as const;
    await expect(client.step(request)).rejects.toMatchObject({ kind: 'configuration' });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    [[null]],
    [[5]],
    [[{ role: 'user', parts: null }]],
    [[{ role: 'user', content: [{ type: 'text' }] }]],
    [[{ role: 'user', content: [{ type: 'sound', source: {} }] }]],
  ])('[SG-005] a history %j is refused before any request', async (history) => {
    const { client, server } = bench([{ content: 'x' }]);
    await expect(client.history(history as unknown as MessageInput[]).tryComplete('Go.')).rejects.toMatchObject({
      code: 'E_CONFIGURATION',
    });
    expect(server.requests).toHaveLength(0);
  });

  it('[SG-005] a client does not change with the lists that it was made of', async () => {
    const tools: Tool[] = [];
    const history: MessageInput[] = [];
    const { client, server } = bench([{ content: 'x' }], { capabilities: withTools }, { tools, history });
    tools.push(tool(() => 1));
    history.push({ role: 'user', content: 'Late.' });
    await client.complete('Go.');
    expect(server.requests[0]?.body.tools).toBeUndefined();
    expect(server.requests[0]?.body.messages).toHaveLength(1);
  });

  it('[SG-005] a tool choice that names no tool is refused before any request', async () => {
    const { client, server } = bench(
      [{ content: 'x' }],
      { capabilities: withTools },
      { tools: [tool(() => 1)], toolChoice: { name: 'other' } },
    );
    await expect(client.tryComplete('Go.')).rejects.toMatchObject({ code: 'E_UNSUPPORTED_TOOLS' });
    expect(server.requests).toHaveLength(0);
  });

  it('[SG-050] forceTool without a schema is refused and not ignored', async () => {
    const { client } = bench([{ content: 'x' }], { capabilities: withTools }, { forceTool: true });
    await expect(client.tryComplete('Go.')).rejects.toMatchObject({ code: 'E_UNSUPPORTED_TRANSPORT' });
  });
});

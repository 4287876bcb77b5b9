import type { JsonObject, JsonValue, StepResult } from '@vouch/contracts';
import { type LabContent, scripted, startLab } from '@vouch/lab';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMessageReassembly } from '../src/adapters/anthropic-messages/whole.ts';
import { createContentReassembly } from '../src/adapters/gemini/whole.ts';
import { createLineReassembly } from '../src/adapters/ollama/whole.ts';
import { createCompletionReassembly } from '../src/adapters/openai-chat/whole.ts';
import { createItemsReassembly } from '../src/adapters/openai-responses/whole.ts';
import { createProviderParts } from '../src/adapters/response/provider-parts.ts';
import { createSignal } from '../src/index.ts';
import { thinkingHandlerFor } from '../src/reasoning/thinking.ts';
import { responsesDialect } from '../src/registry/dialects.ts';
import { chatWires } from './support/chat-wires.ts';
import { drain, plain } from './support/clients.ts';

const said: LabContent = {
  thinking: [{ text: 'Low tide é 🚀, so the deep piers.' }, { text: 'And the second?', beforeCall: 1 }],
  text: 'Looking at both of them.',
  toolCalls: [
    { name: 'find_berth', arguments: '{"pier":7,"note":"a long note that comes in pieces"}' },
    { name: 'find_berth', arguments: '{"pier":8}' },
  ],
};

const own = new Set(['id', 'responseId', 'created', 'item_id', 'call_id', 'signature', 'encrypted_content', 'thoughtSignature']);

/** Ids, seals and times of a response are its own; what is null or empty, a stream may leave unsaid. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (field, inner: unknown) => {
      if (inner === null || (Array.isArray(inner) && inner.length === 0)) return undefined;
      if (!own.has(field) && !/(_duration|createTime|_at)$/.test(field)) return inner;
      return typeof inner === 'string' && inner !== '' ? 'set' : typeof inner;
    }),
  );

describe('a response that was streamed, put together', () => {
  it.each(chatWires.map((wire) => [wire.id, wire] as const))('[TH-021] %s: is what the service sends whole', async (id, wire) => {
    const refOf = async (delivery: 'whole' | 'parts'): Promise<StepResult> => {
      const lab = await startLab({ model: scripted([said]) });
      onTestFinished(() => lab.close());
      const chosen = id === 'openai-responses' ? { adapter: id, dialect: responsesDialect } : wire.provider;
      const provider = typeof chosen === 'function' ? chosen(lab) : chosen;
      const client = createSignal({ baseUrl: lab.baseUrl, model: 'm', capabilities: plain, ...provider }).options({
        thinking: { mode: 'adaptive' },
      });
      const tools = [{ name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object' } }] as const;
      const request = { messages: [{ role: 'user', content: 'Where?' }], tools, providerChunks: true } as const;
      if (delivery === 'whole') return client.step(request);
      const done = (await drain(client.stepStream(request))).at(-1);
      if (done?.type !== 'done') throw new Error('no done');
      return done.result;
    };
    const [whole, streamed] = [await refOf('whole'), await refOf('parts')];
    expect(comparable(streamed.providerRef)).toEqual(comparable(whole.providerRef));
    const handler = thinkingHandlerFor(createSignal({ baseUrl: 'http://x.test', model: 'm', adapter: id }).describe());
    expect(handler?.normalize(whole.providerRef).length).toBeGreaterThan(0);
  });
});

const reassemblies = {
  'anthropic-messages': createMessageReassembly,
  gemini: createContentReassembly,
  ollama: createLineReassembly,
  'openai-chat': createCompletionReassembly,
  'openai-responses': createItemsReassembly,
};
const rows = Object.entries(reassemblies);

describe('what is hostile', () => {
  it.each(rows)('%s: anything that may stand in an event gives a response, and reaches no prototype', (_id, create) => {
    const words = [
      '__proto__',
      'constructor',
      'toString',
      'choices',
      'delta',
      'message',
      'index',
      'content',
      'parts',
      'candidates',
      'output',
      'item',
    ];
    const types = [
      'content_block_start',
      'content_block_delta',
      'message_delta',
      'input_json_delta',
      'text_delta',
      'response.output_text.delta',
    ];
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<JsonValue>(null, '', 'x', 0, 1, 1e9, -1, true, ...types),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.array(fc.tuple(fc.constantFrom('type', ...words), tie('tree')), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
      ),
    }));
    const event = tree.map(
      (value): JsonObject =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? (value as JsonObject)
          : { type: 'x', index: 0, delta: value, choices: [value], message: value },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const reassembly = create();
        const before = JSON.stringify(events);
        for (const one of events) reassembly.take(one);
        expect(Object.getPrototypeOf(reassembly.whole())).toBe(Object.prototype);
        expect(typeof JSON.stringify(reassembly.whole())).toBe('string');
        expect(JSON.stringify(events)).toBe(before);
        expect(({} as { x?: unknown }).x).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it.each(rows)('%s: an event may be nested as deep as a body is long', (_id, create) => {
    const deep = JSON.parse(`{"choices":[{"delta":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`) as JsonObject;
    const parts = createProviderParts('parts', create());
    const given: Parameters<typeof parts.take>[1] = [];
    parts.take(deep, given);
    parts.take(deep, given);
    expect(given).toHaveLength(2);
    expect(parts.end()).toMatchObject([{ type: 'provider-response' }]);
  });
});

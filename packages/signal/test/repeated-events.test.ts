import type { ChatWireId, JsonObject, StepResult } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createSignal } from '../src/index.ts';

const tool = { name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object' } };
const sse = (events: readonly JsonObject[]): string =>
  events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('');

async function ask(adapter: ChatWireId, body: string, type = 'text/event-stream'): Promise<StepResult> {
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': type } });
  const client = createSignal({ baseUrl: 'http://harbour.test/v1', adapter, model: 'm' }, { fetch, apiKey: 'k' });
  for await (const event of client.stepStream({ messages: [{ role: 'user', content: 'Where?' }], tools: [tool] }))
    if (event.type === 'done') return event.result;
  throw new Error('no result');
}

const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find_berth' };
const added = { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } };
const delta = { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta: '{"pier":7}' };
const done = { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: '{"pier":7}' } };
const completed = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [done.item] } };

const start = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'find_berth', input: {} } };
const input = { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"pier":7}' } };
const messages = (...middle: readonly JsonObject[]): string =>
  sse([
    {
      type: 'message_start',
      message: { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    },
    ...middle,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]);

const part = { functionCall: { id: 'f1', name: 'find_berth', args: { pier: 7 } } };
const chunk = (more: JsonObject = {}): JsonObject => ({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }] });
const line = (more: JsonObject): string =>
  `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '', tool_calls: [{ id: 'c1', function: { name: 'find_berth', arguments: { pier: 7 } } }] }, ...more })}\n`;
const last = `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' })}\n`;

describe('an event that comes twice', () => {
  it.each<[ChatWireId, string, string]>([
    ['openai-responses', 'added', sse([added, added, delta, done, completed])],
    ['openai-responses', 'done', sse([added, delta, done, done, completed])],
    ['anthropic-messages', 'content_block_start', messages(start, start, input)],
    ['gemini', 'a call', `data: ${JSON.stringify(chunk())}\n\ndata: ${JSON.stringify(chunk({ finishReason: 'STOP' }))}\n\n`],
    ['ollama', 'a call', line({ done: false }) + line({ done: false }) + last],
  ])('[SG-034] %s, %s: the call runs once, with its input', async (adapter, _what, body) => {
    const { outcome } = await ask(adapter, body, adapter === 'ollama' ? 'application/x-ndjson' : undefined);
    expect(outcome).toMatchObject({ kind: 'tool_calls', calls: [{ name: 'find_berth', args: { pier: 7 } }] });
    expect(outcome?.kind === 'tool_calls' && outcome.calls).toHaveLength(1);
  });

  it('[SG-034] the same call under two ids is two', async () => {
    const other = { ...part, functionCall: { ...part.functionCall, id: 'f2' } };
    const body = `data: ${JSON.stringify({ candidates: [{ content: { parts: [part, other] }, finishReason: 'STOP' }] })}\n\n`;
    const { outcome } = await ask('gemini', body);
    expect(outcome?.kind === 'tool_calls' && outcome.calls).toHaveLength(2);
  });
});

it('[TH-015] a run says what its requests left out', async () => {
  const fetch = async (): Promise<Response> =>
    new Response(
      JSON.stringify({
        id: 'm1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'Pier 7.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
      {
        headers: { 'content-type': 'application/json' },
      },
    );
  const client = createSignal({ baseUrl: 'http://harbour.test', adapter: 'anthropic-messages', model: 'm' }, { fetch, apiKey: 'k' });
  const origin = { kind: 'model', provider: 'other', model: 'x' } as const;
  const carry = [
    {
      owner: { kind: 'item', id: 'b1' },
      shape: 'messages-block',
      provider: 'other',
      model: 'x',
      data: { type: 'thinking', thinking: 'Low.', signature: 's' },
    },
  ] as const;
  const block = { type: 'thinking', content: 'Low.', signature: 's' } as const;
  const earlier = {
    role: 'assistant',
    parts: [
      { id: 'p1', origin, trust: 'user', type: 'thinking', block, carry },
      { id: 'p2', origin, trust: 'user', type: 'text', text: 'Pier 6.' },
    ],
  } as const;
  const { meta } = await client.history([{ role: 'user', content: 'Where?' }, earlier]).complete('And now?');
  expect(meta.withheld).toMatchObject([{ partId: 'p1', reason: 'other-provider' }]);
});

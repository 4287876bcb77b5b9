import { describe, expect, it } from 'vitest';
import { messagesDialect } from '../registry/dialects.ts';
import { type ChatAdapterPort, chatAdapterCases } from './adapter.cases.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { loadAdapter } from './load.ts';

const stopWords = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' } as const;

const port: ChatAdapterPort = {
  create: anthropicMessages,
  dialect: messagesDialect,
  answer(turn, delivery) {
    const content = [
      ...(turn.thinking === undefined ? [] : [{ type: 'thinking' as const, thinking: turn.thinking, signature: 'c2ln' }]),
      ...(turn.text === undefined ? [] : [{ type: 'text' as const, text: turn.text }]),
      ...(turn.calls ?? []).map((call) => ({ type: 'tool_use' as const, id: call.id, name: call.name, args: call.args })),
    ];
    const stop_reason = turn.finish in stopWords ? stopWords[turn.finish as keyof typeof stopWords] : turn.finish;
    const usage = turn.usage === undefined ? undefined : { input_tokens: turn.usage.input, output_tokens: turn.usage.output };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
    if (delivery === 'whole') {
      const blocks = content.map((block) =>
        // As it stands in the source: the arguments are part of the body.
        block.type === 'tool_use'
          ? `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":${block.args}}`
          : JSON.stringify(block),
      );
      const rest = JSON.stringify({ ...message, stop_reason, stop_sequence: null, usage });
      return { contentType: 'application/json', body: `${rest.slice(0, -1)},"content":[${blocks.join(',')}]}` };
    }
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: usage && { ...usage, output_tokens: 1 } } },
      { type: 'ping' },
      ...content.flatMap((block, index) => {
        const [begin, pieces] =
          block.type === 'tool_use'
            ? [
                { type: block.type, id: block.id, name: block.name, input: {} },
                [...block.args].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
              ]
            : block.type === 'text'
              ? [{ type: block.type, text: '' }, [...block.text].map((text) => ({ type: 'text_delta', text }))]
              : [
                  { type: block.type, thinking: '', signature: '' },
                  [
                    ...[...block.thinking].map((thinking) => ({ type: 'thinking_delta', thinking })),
                    { type: 'signature_delta', signature: block.signature },
                  ],
                ];
        return [
          { type: 'content_block_start', index, content_block: begin },
          ...pieces.map((delta) => ({ type: 'content_block_delta', index, delta })),
          { type: 'content_block_stop', index },
        ];
      }),
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        ...(usage === undefined ? {} : { usage: { output_tokens: usage.output_tokens } }),
      },
      { type: 'message_stop' },
    ];
    return {
      contentType: 'text/event-stream',
      body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    };
  },
  error: (message) => JSON.stringify({ type: 'error', error: { type: 'api_error', message } }),
};

describe('anthropic-messages keeps what every chat adapter must', () => {
  it.each(chatAdapterCases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    await one.run(port);
  });

  it('[SG-030] is loaded by its id', async () => {
    expect(await loadAdapter('anthropic-messages')).toBe(anthropicMessages);
  });
});

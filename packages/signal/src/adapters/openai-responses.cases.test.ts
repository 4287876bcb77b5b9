import { describe, expect, it } from 'vitest';
import { responsesDialect } from '../registry/dialects.ts';
import { type ChatAdapterPort, chatAdapterCases } from './adapter.cases.ts';
import { loadAdapter } from './load.ts';
import { openaiResponses } from './openai-responses.ts';

const port: ChatAdapterPort = {
  create: openaiResponses,
  dialect: responsesDialect,
  answer(turn, delivery) {
    const output = [
      ...(turn.thinking === undefined
        ? []
        : [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: turn.thinking }], encrypted_content: 'gAAA' }]),
      ...(turn.text === undefined
        ? []
        : [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: turn.text, annotations: [] }],
            },
          ]),
      ...(turn.calls ?? []).map((call, index) => ({
        type: 'function_call',
        id: `fc_${index}`,
        call_id: call.id,
        name: call.name,
        arguments: call.args,
        status: 'completed',
      })),
    ];
    const usage =
      turn.usage === undefined
        ? undefined
        : { input_tokens: turn.usage.input, output_tokens: turn.usage.output, total_tokens: turn.usage.input + turn.usage.output };
    const response = { id: 'resp_1', object: 'response', status: 'completed', error: null, output, usage };
    if (delivery === 'whole') return { contentType: 'application/json', body: JSON.stringify(response) };
    const events = [
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
      ...output.flatMap((item, output_index) => {
        const at = { item_id: item.id, output_index };
        const shell = { ...item, ...('content' in item ? { content: [] } : {}), ...('arguments' in item ? { arguments: '' } : {}) };
        const said =
          'summary' in item
            ? [...(turn.thinking ?? '')].map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta }))
            : 'content' in item
              ? [...(turn.text ?? '')].map((delta) => ({ type: 'response.output_text.delta', ...at, content_index: 0, delta }))
              : [...('arguments' in item ? item.arguments : '')].map((delta) => ({
                  type: 'response.function_call_arguments.delta',
                  ...at,
                  delta,
                }));
        return [
          { type: 'response.output_item.added', output_index, item: shell },
          ...said,
          { type: 'response.output_item.done', output_index, item },
        ];
      }),
      { type: 'response.completed', response },
    ];
    return {
      contentType: 'text/event-stream',
      body: events
        .map((event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`)
        .join(''),
    };
  },
  error: (message) => JSON.stringify({ error: { message } }),
};

describe('openai-responses keeps what every chat adapter must', () => {
  it.each(chatAdapterCases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    await one.run(port);
  });

  it('[SG-030] is loaded by its id', async () => {
    expect(await loadAdapter('openai-responses')).toBe(openaiResponses);
  });
});

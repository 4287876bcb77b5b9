// One answer in the bytes of each wire, streamed and whole: the same words, one delta an event.
import { chatBody, chatEvents } from './chat-wire.mjs';

/**
 * @typedef {object} WireBodies
 * @property {(deltas: readonly string[]) => string[]} events the stream's events, each with its end
 * @property {(text: string) => string} whole the body of a whole answer
 * @property {string} streamType its content type
 */

/** @param {string} name @param {object} data */
const named = (name, data) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;

/** @param {string} text @param {number} output */
function responsesAnswer(text, output) {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1764540000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'model-2026-11',
    output: [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens: 120,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120 + output,
    },
  };
}

/** @param {readonly string[]} deltas */
function responsesEvents(deltas) {
  const text = deltas.join('');
  const done = responsesAnswer(text, deltas.length);
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const events = [
    ['response.created', { response: { ...done, status: 'in_progress', output: [], usage: null } }],
    ['response.output_item.added', { output_index: 0, item }],
    ['response.content_part.added', { ...at, part }],
    ...deltas.map((delta) => ['response.output_text.delta', { ...at, delta, logprobs: [] }]),
    ['response.output_text.done', { ...at, text, logprobs: [] }],
    ['response.content_part.done', { ...at, part: { ...part, text } }],
    ['response.output_item.done', { output_index: 0, item: done.output[0] }],
    ['response.completed', { response: done }],
  ];
  return events.map(([name, data], sequence_number) => named(String(name), { sequence_number, .../** @type {object} */ (data) }));
}

const messagesHead = { id: 'msg_01', type: 'message', role: 'assistant', model: 'model-2026-11' };

/** @param {readonly string[]} deltas */
const messagesEvents = (deltas) => [
  named('message_start', {
    message: { ...messagesHead, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 120, output_tokens: 1 } },
  }),
  named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...deltas.map((text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  named('content_block_stop', { index: 0 }),
  named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: deltas.length } }),
  named('message_stop', {}),
];

/** @param {string} text */
const messagesAnswer = (text) => ({
  ...messagesHead,
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 120, output_tokens: 300 },
});

/** @param {string} text @param {number} output @param {boolean} last */
const generated = (text, output, last) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...(last ? { finishReason: 'STOP' } : {}), index: 0 }],
  usageMetadata: { promptTokenCount: 120, candidatesTokenCount: output, totalTokenCount: 120 + output },
  modelVersion: 'model-2026-11',
  responseId: 'r1',
});

/** @param {string} content @param {object} more */
const said = (content, more) => ({
  model: 'model-2026-11',
  created_at: '2026-11-30T10:00:00.1Z',
  message: { role: 'assistant', content },
  ...more,
});
const saidLast = { done: true, done_reason: 'stop', total_duration: 900_000_000, prompt_eval_count: 120, eval_count: 300 };

/** @type {Readonly<Record<'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'ollama', WireBodies>>} */
export const wireBodies = {
  'openai-chat': { events: chatEvents, whole: chatBody, streamType: 'text/event-stream' },
  'openai-responses': {
    events: responsesEvents,
    whole: (text) => JSON.stringify(responsesAnswer(text, 300)),
    streamType: 'text/event-stream',
  },
  'anthropic-messages': {
    events: messagesEvents,
    whole: (text) => JSON.stringify(messagesAnswer(text)),
    streamType: 'text/event-stream',
  },
  gemini: {
    events: (deltas) => deltas.map((text, at) => `data: ${JSON.stringify(generated(text, at + 1, at === deltas.length - 1))}\r\n\r\n`),
    whole: (text) => JSON.stringify(generated(text, 300, true)),
    streamType: 'text/event-stream',
  },
  ollama: {
    events: (deltas) => [
      ...deltas.map((text) => `${JSON.stringify(said(text, { done: false }))}\n`),
      `${JSON.stringify(said('', saidLast))}\n`,
    ],
    whole: (text) => JSON.stringify(said(text, saidLast)),
    streamType: 'application/x-ndjson',
  },
};

// Answers in the bytes of the chat wire, whole and as streams, and a `fetch` that gives them.

const words = 'the order was shipped to a new address and will arrive within three working days after payment Zürich naïve'.split(' ');

/** As much running text as asked for, one word a delta. @param {number} count @returns {string[]} */
export const deltasOfProse = (count) => Array.from({ length: count }, (_, at) => ` ${words[(at * 7 + (at >> 3)) % words.length]}`);

/** A text in so many deltas. @param {string} text @param {number} count @returns {string[]} */
export function deltasOfText(text, count) {
  const size = text.length / count;
  return Array.from({ length: count }, (_, at) => text.slice(Math.round(at * size), Math.round((at + 1) * size)));
}

const head = {
  id: 'chatcmpl-BkT4k2jv8mGZ',
  object: 'chat.completion.chunk',
  created: 1764540000,
  model: 'model-2026-11',
  service_tier: 'default',
  system_fingerprint: 'fp_50cad350e4',
};

/** The events of a stream, each with its blank line. @param {readonly string[]} deltas @returns {string[]} */
export function chatEvents(deltas) {
  /** @param {object} value */
  const event = (value) => `data: ${JSON.stringify({ ...head, ...value })}\n\n`;
  /** @param {object} delta @param {string | null} finish */
  const choice = (delta, finish) => event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null });
  const usage = { prompt_tokens: 120, completion_tokens: deltas.length, total_tokens: 120 + deltas.length };
  return [
    choice({ role: 'assistant', content: '', refusal: null }, null),
    ...deltas.map((content) => choice({ content }, null)),
    choice({}, 'stop'),
    event({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** A whole answer. @param {string} content @returns {string} */
export const chatBody = (content) =>
  JSON.stringify({
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 120, completion_tokens: 300, total_tokens: 420 },
  });

const encoder = new TextEncoder();

/** Events as chunks of so many. @param {readonly string[]} events @param {number} perChunk @returns {Uint8Array[]} */
export function chunksOfEvents(events, perChunk) {
  const chunks = [];
  for (let at = 0; at < events.length; at += perChunk) chunks.push(encoder.encode(events.slice(at, at + perChunk).join('')));
  return chunks;
}

/** Bytes in chunks of a size. @param {Uint8Array} bytes @param {number} size @returns {Uint8Array[]} */
export function cutBytes(bytes, size) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

/** A response that streams the chunks as they are asked for. @param {readonly Uint8Array[]} chunks @param {string} [type] */
export function streamResponse(chunks, type = 'text/event-stream') {
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      const chunk = chunks[at];
      at += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return new Response(body, { headers: { 'content-type': type } });
}

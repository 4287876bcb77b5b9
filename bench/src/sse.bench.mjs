// Decoding event streams, against the most used parser. Both start from bytes, so the peer gets the platform's streaming decoder.
import { createSseParser, decodeSse } from '@vouch/signal/net';
import { createParser } from 'eventsource-parser';
import { chatEvents, chunksOfEvents, cutBytes, deltasOfProse } from './harness/chat-wire.mjs';

const events = chatEvents(deltasOfProse(10_000));
const bytes = new TextEncoder().encode(events.join(''));
const large = new TextEncoder().encode(`data: ${JSON.stringify({ text: deltasOfProse(1_000_000).join('').slice(0, 5_000_000) })}\n\n`);

/** @type {readonly (readonly [string, string, readonly Uint8Array[]])[]} */
const inputs = [
  ['16kb-chunks', 'a chat stream of 10 000 events in chunks of 16 KB', cutBytes(bytes, 16_384)],
  ['one-event-chunks', 'a chat stream of 10 000 events, one a chunk', chunksOfEvents(events, 1)],
  ['large-event', 'one event of 5 MB in chunks of 16 KB', cutBytes(large, 16_384)],
  ['large-event-at-once', 'one event of 5 MB in one chunk', [large]],
];

/** @param {readonly Uint8Array[]} chunks */
function parseOurs(chunks) {
  let size = 0;
  const parser = createSseParser({
    onEvent(event) {
      size += event.data.length;
    },
  });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return size;
}

/** @param {readonly Uint8Array[]} chunks */
function parseTheirs(chunks) {
  let size = 0;
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent(event) {
      size += event.data.length;
    },
  });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return size;
}

/** @param {readonly Uint8Array[]} chunks */
async function* arriving(chunks) {
  yield* chunks;
}

/** The peer as an iteration, the shortest way to write one. @param {AsyncIterable<Uint8Array>} chunks */
async function* decodeTheirs(chunks) {
  const decoder = new TextDecoder();
  /** @type {import('eventsource-parser').EventSourceMessage[]} */
  let ready = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const given = ready;
    ready = [];
    yield* given;
  }
}

/** @param {AsyncIterable<{ readonly data: string }>} decoded */
async function drain(decoded) {
  let size = 0;
  for await (const event of decoded) size += event.data.length;
  return size;
}

export const benches = inputs.map(([name, title, chunks]) => {
  if (parseOurs(chunks) !== parseTheirs(chunks)) throw new Error('both sides must give the same data');
  return {
    name: `sse-${name}`,
    title,
    subjects: [
      { name: 'createSseParser', run: () => parseOurs(chunks) },
      { name: 'eventsource-parser', run: () => parseTheirs(chunks) },
      { name: 'decodeSse', run: () => drain(decodeSse(arriving(chunks))) },
      { name: 'eventsource-parser iterated', run: () => drain(decodeTheirs(arriving(chunks))) },
    ],
    ratios: [
      { of: 'createSseParser', to: 'eventsource-parser', limit: 1, requirement: 'SG-033' },
      { of: 'decodeSse', to: 'eventsource-parser iterated', limit: 1, requirement: 'SG-033' },
    ],
  };
});

// What a delta of a stream costs on its way through all layers, against the least that could be done with its bytes.
import { createSignal } from '@vouch/signal';
import { z } from 'zod';
import { chatEvents, chunksOfEvents, deltasOfProse, deltasOfText, streamResponse } from './harness/chat-wire.mjs';

const deltas = 1_000;
const schema = z.object({ items: z.array(z.object({ sku: z.string(), title: z.string(), quantity: z.int(), paid: z.boolean() })) });
const items = Array.from({ length: 70 }, (_, at) => ({ sku: `sku-${at}`, title: `item number ${at}`, quantity: at, paid: at % 2 === 0 }));

/** @param {string} text */
function deltaOf(text) {
  const event = JSON.parse(text);
  const content = event.choices[0]?.delta?.content;
  return typeof content === 'string' ? content.length : 0;
}

/** Reader, streaming decoder, split at blank lines, one parse an event. @param {readonly Uint8Array[]} chunks */
async function floor(chunks) {
  const reader = streamResponse(chunks).body?.getReader();
  if (reader === undefined) return 0;
  const decoder = new TextDecoder();
  let pending = '';
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pending += decoder.decode(next.value, { stream: true });
    let at = 0;
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n', at)) {
      const data = pending.slice(at + 'data: '.length, end);
      at = end + 2;
      if (data !== '[DONE]') size += deltaOf(data);
    }
    pending = pending.slice(at);
  }
  return size;
}

/**
 * @param {'text' | 'schema'} kind
 * @param {number} perChunk
 */
async function streamBench(kind, perChunk) {
  const texts = kind === 'text' ? deltasOfProse(deltas) : deltasOfText(JSON.stringify({ items }), deltas);
  const chunks = chunksOfEvents(chatEvents(texts), perChunk);
  const options = { fetch: async () => streamResponse(chunks), apiKey: 'key' };
  const plain = createSignal({ baseUrl: 'https://models.example/v1', model: 'model' }, options);
  const client = kind === 'text' ? plain : plain.schema(schema);
  const drain = async () => {
    let size = 0;
    for await (const event of client.stream('What was ordered?')) {
      if (event.type === 'text') size += event.text.length;
      if (event.type === 'error') throw new Error(event.failure.message);
    }
    return size;
  };
  if ((await drain()) !== (await floor(chunks))) throw new Error('both sides must give the same text');
  return {
    name: `stream-${kind}-${perChunk}-a-chunk`,
    title: `${deltas} deltas, ${perChunk} a chunk, ${kind === 'text' ? 'free text' : 'a schema to conform to'}`,
    subjects: [
      { name: 'stream()', run: drain },
      { name: 'read, decode, split, parse', run: () => floor(chunks) },
    ],
    ratios: [{ of: 'stream()', to: 'read, decode, split, parse', limit: 2, requirement: 'SG-083' }],
  };
}

export const benches = [
  await streamBench('text', 1),
  await streamBench('text', 10),
  await streamBench('schema', 1),
  await streamBench('schema', 10),
];

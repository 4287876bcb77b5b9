// What a delta and a call cost on each wire, beside that wire's official client reading the same bytes.
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { createSignal } from '@vouch/signal';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { chunksOfEvents, deltasOfProse, streamResponse } from './harness/chat-wire.mjs';
import { wireBodies } from './harness/wire-bodies.mjs';

const deltas = deltasOfProse(1_000);
const text = deltas.join('');
const model = 'model-2026-11';
const prompt = 'What was ordered?';
const base = 'https://models.example';

/** @typedef {keyof typeof wireBodies} Wire */
/** @typedef {{ readonly stream: () => Promise<number>, readonly call: () => Promise<number> }} Peer Each gives the length of the text. */

/** @param {Wire} wire @param {boolean} streamed @returns {() => Response} */
function answers(wire, streamed) {
  const { events, whole, streamType } = wireBodies[wire];
  const chunks = chunksOfEvents(events(deltas), 1);
  const body = whole(text);
  return () => (streamed ? streamResponse(chunks, streamType) : new Response(body, { headers: { 'content-type': 'application/json' } }));
}

/** @param {Wire} wire */
function fetchOf(wire) {
  const streamed = answers(wire, true);
  const whole = answers(wire, false);
  /** @param {unknown} url @param {RequestInit} [init] */
  return async (url, init) => {
    const asksParts =
      String(url).includes('streamGenerateContent') || (typeof init?.body === 'string' && init.body.includes('"stream":true'));
    return asksParts ? streamed() : whole();
  };
}

/** @template Chunk @param {AsyncIterable<Chunk>} chunks @param {(chunk: Chunk) => string | null | undefined} textOf */
async function lengthOf(chunks, textOf) {
  let size = 0;
  for await (const chunk of chunks) size += textOf(chunk)?.length ?? 0;
  return size;
}

/** @param {Wire} wire @returns {Peer} */
function ours(wire) {
  const client = createSignal({ baseUrl: `${base}/v1`, adapter: wire, model }, { fetch: fetchOf(wire), apiKey: 'key' });
  return {
    async stream() {
      let size = 0;
      for await (const event of client.stream(prompt)) {
        if (event.type === 'text') size += event.text.length;
        if (event.type === 'error') throw new Error(event.failure.message);
      }
      return size;
    },
    call: async () => (await client.complete(prompt)).response.length,
  };
}

/** @returns {Peer} */
function openaiChat() {
  const { completions } = new OpenAI({ apiKey: 'key', baseURL: base, fetch: fetchOf('openai-chat') }).chat;
  /** @type {{ role: 'user', content: string }[]} */
  const messages = [{ role: 'user', content: prompt }];
  return {
    stream: async () => lengthOf(await completions.create({ model, messages, stream: true }), (chunk) => chunk.choices[0]?.delta.content),
    call: async () => (await completions.create({ model, messages })).choices[0]?.message.content?.length ?? 0,
  };
}

/** @returns {Peer} */
function openaiResponses() {
  const { responses } = new OpenAI({ apiKey: 'key', baseURL: base, fetch: fetchOf('openai-responses') });
  return {
    stream: async () =>
      lengthOf(await responses.create({ model, input: prompt, stream: true }), (event) =>
        event.type === 'response.output_text.delta' ? event.delta : '',
      ),
    call: async () => (await responses.create({ model, input: prompt })).output_text.length,
  };
}

/** @returns {Peer} */
function anthropic() {
  const { messages } = new Anthropic({ apiKey: 'key', baseURL: base, fetch: fetchOf('anthropic-messages') });
  const request = { model, max_tokens: 4_096, messages: [{ role: /** @type {const} */ ('user'), content: prompt }] };
  return {
    stream: async () =>
      lengthOf(await messages.create({ ...request, stream: true }), (event) =>
        event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
      ),
    call: async () => {
      const [block] = (await messages.create(request)).content;
      return block?.type === 'text' ? block.text.length : 0;
    },
  };
}

/** It takes no fetch of one's own: the platform's is replaced for this process. @returns {Peer} */
function google() {
  globalThis.fetch = /** @type {typeof fetch} */ (fetchOf('gemini'));
  const { models } = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: base } });
  return {
    stream: async () => lengthOf(await models.generateContentStream({ model, contents: prompt }), (chunk) => chunk.text),
    call: async () => (await models.generateContent({ model, contents: prompt })).text?.length ?? 0,
  };
}

/** @returns {Peer} */
function ollama() {
  const client = new Ollama({ host: base, fetch: /** @type {typeof fetch} */ (fetchOf('ollama')) });
  const messages = [{ role: 'user', content: prompt }];
  return {
    stream: async () => lengthOf(await client.chat({ model, messages, stream: true }), (part) => part.message.content),
    call: async () => (await client.chat({ model, messages, stream: false })).message.content.length,
  };
}

const peers = /** @type {const} */ ({
  'openai-chat': { name: 'openai', open: openaiChat },
  'openai-responses': { name: 'openai', open: openaiResponses },
  'anthropic-messages': { name: '@anthropic-ai/sdk', open: anthropic },
  gemini: { name: '@google/genai', open: google },
  ollama: { name: 'ollama', open: ollama },
});

/**
 * @param {Wire} wire
 * @param {'stream' | 'call'} kind
 * @returns {import('./harness/bench.mjs').PreparedBench}
 */
function wireBench(wire, kind) {
  const name = `wire-${kind}-${wire}`;
  return {
    name,
    async prepare() {
      const peer = peers[wire];
      const theirs = peer.open()[kind];
      const own = ours(wire)[kind];
      for (const run of [own, theirs]) if ((await run()) !== text.length) throw new Error(`${name}: both sides must give the same text`);
      const what = kind === 'stream' ? `${deltas.length} deltas, one a chunk` : `a whole answer of ${Math.round(text.length / 1_000)} KB`;
      return {
        name,
        title: `${wire}, ${what}`,
        subjects: [
          { name: 'vouch', run: own },
          { name: peer.name, run: theirs },
        ],
        ratios: [{ of: 'vouch', to: peer.name, limit: 1 }],
      };
    },
  };
}

const wires = /** @type {Wire[]} */ (Object.keys(peers));
export const benches = wires.flatMap((wire) => [wireBench(wire, 'stream'), wireBench(wire, 'call')]);

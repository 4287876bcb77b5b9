// The memory of many streams that are open at once, measured in this process from before they are opened until each has brought its first piece.
import { createSignal } from '@vouch/signal';
import { z } from 'zod';

/**
 * @typedef {object} Usage of one stream, in bytes
 * @property {number} heapUsed
 * @property {number} rss
 */

const collect = () => {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
};

/**
 * @param {'signal' | 'fetch'} side
 * @param {string} baseUrl of a server that begins an answer and leaves it open
 * @param {number} count
 * @returns {Promise<Usage>}
 */
export async function measureStreams(side, baseUrl, count) {
  /** @type {() => Promise<unknown>} */
  const open = side === 'signal' ? signalStream(baseUrl) : fetchStream(baseUrl);
  /** @type {unknown[]} */
  const held = [];
  // The first connections load and compile what all others share.
  for (let warm = 0; warm < 20; warm += 1) held.push(await open());
  collect();
  const before = process.memoryUsage();
  held.push(...(await Promise.all(Array.from({ length: count }, open))));
  collect();
  const after = process.memoryUsage();
  if (held.length !== count + 20) throw new Error('a stream did not open');
  return { heapUsed: (after.heapUsed - before.heapUsed) / count, rss: (after.rss - before.rss) / count };
}

/** @param {string} baseUrl */
function signalStream(baseUrl) {
  const answers = createSignal({ baseUrl, apiKey: 'bench', model: 'bench' }).schema(z.strictObject({ text: z.string() }));
  return async () => {
    const stream = answers.stream('Begin.')[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await stream.next();
      if (done === true || value.type === 'error') throw new Error('the stream ended');
      if (value.type === 'text') return stream;
    }
  };
}

/** @param {string} baseUrl */
function fetchStream(baseUrl) {
  return async () => {
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{}' });
    if (response.body === null) throw new Error('no body');
    const reader = response.body.getReader();
    const { done } = await reader.read();
    if (done) throw new Error('the stream ended');
    return reader;
  };
}

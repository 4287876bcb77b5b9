// What an open stream holds: 1,000 of ours at once, against 1,000 bare readers of the same bodies. Each side in fresh processes of its own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { evaluateInChild } from './harness/child.mjs';

const count = 1_000;
const first = {
  id: 'x',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { role: 'assistant', content: '{"text": "begun' }, finish_reason: null }],
};
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(first)}\n\n`);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// The server's answers stay open; it must not keep this process.
server.unref();
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const baseUrl = `http://127.0.0.1:${address.port}`;

/** @typedef {import('./harness/stream-memory.mjs').Usage} Usage */

/**
 * @param {'signal' | 'fetch'} side
 * @param {keyof Usage} figure
 */
async function sample(side, figure) {
  const call = `measureStreams(${JSON.stringify(side)}, ${JSON.stringify(baseUrl)}, ${count})`;
  const source = `import { measureStreams } from './stream-memory.mjs';
    process.stdout.write(JSON.stringify(await ${call}), () => process.exit());`;
  const usage = /** @type {Usage} */ (await evaluateInChild(source, ['--expose-gc']));
  return usage[figure];
}

/**
 * @param {keyof Usage} figure
 * @param {number} [limit]
 * @returns {import('./harness/bench.mjs').Bench}
 */
const memoryBench = (figure, limit) => ({
  name: `memory-${figure}`,
  title: `${figure} of one of ${count} open streams`,
  subjects: [
    { name: 'stream()', unit: 'bytes', sample: () => sample('signal', figure) },
    { name: 'fetch body reader', unit: 'bytes', sample: () => sample('fetch', figure) },
  ],
  ratios: [{ of: 'stream()', to: 'fetch body reader', ...(limit === undefined ? {} : { limit }) }],
  rounds: 3,
});

// The collector's heap hardly varies; what the system counts as resident does.
export const benches = [memoryBench('heapUsed', 2.2), memoryBench('rss')];

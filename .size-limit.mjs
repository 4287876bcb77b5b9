// Ceilings of what a page that imports an entry loads: bundled with contracts, minified, gzipped. About a tenth above what was measured when
// the entry was first whole. A raise says why, beside the number.
const entry = (name, path, limit) => ({ name, path, limit, gzip: true });

export default [
  // Assembler of tool calls, SHA-256 and the message forms; types weigh nothing.
  entry('@vouch/contracts', 'packages/contracts/dist/index.js', '6.5 kB'),
  // The whole client: registry, five wires, schema fitting, and the response side, which is a third of it. A bundler that splits leaves four of the
  // wires to be loaded when they are asked for. Raised from 84: four wires more, with what they carry back and the fits of their schemas.
  entry('@vouch/signal', 'packages/signal/dist/index.js', '120 kB'),
  // Five wires with their readers of streams, over net. Raised from 18.5, which held one.
  // Raised from 44: each puts a streamed response together for a thinking handler.
  entry('@vouch/signal/adapters', 'packages/signal/dist/adapters.js', '46 kB'),
  // Raised from 8.5: it also exports the reading of Retry-After, which whoever shares an endpoint needs.
  // Raised from 9: a body's reads without an iterator between, and the faults of four more services.
  entry('@vouch/signal/net', 'packages/signal/dist/net.js', '10 kB'),
  // Scanner, relaxed reader, dialects of text calls and the competition of readings.
  // Raised from 30 for the same.
  entry('@vouch/signal/repair', 'packages/signal/dist/repair.js', '36 kB'),
  // Raised from 3.5: what is no stream is refused as a configuration failure, like every mistake of a caller.
  entry('@vouch/signal/partial', 'packages/signal/dist/partial.js', '5 kB'),
  // Seven handlers, and what they share with the wires that carry reasoning back.
  entry('@vouch/signal/thinking', 'packages/signal/dist/reasoning/thinking.js', '4 kB'),
  entry('@vouch/signal/count', 'packages/signal/dist/count.js', '3 kB'),
];

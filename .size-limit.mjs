// Ceilings of what a page that imports an entry loads: bundled with contracts, minified, gzipped. About a tenth above what was measured when
// the entry was first whole. A raise says why, beside the number.
const entry = (name, path, limit) => ({ name, path, limit, gzip: true });

export default [
  // Assembler of tool calls, SHA-256 and the message forms; types weigh nothing.
  entry('@vouch/contracts', 'packages/contracts/dist/index.js', '6.5 kB'),
  // The whole client: registry, one adapter, schema fitting, and the response side, which is a third of it.
  // Raised from 76: rules for parts of larger values, calls that have only begun, and checked keyword calls.
  entry('@vouch/signal', 'packages/signal/dist/index.js', '84 kB'),
  // One wire with its reader of streams, over net. Raised from 17.5: whole chunks are decoded at once, with one timer and one listener a body.
  entry('@vouch/signal/adapters', 'packages/signal/dist/adapters.js', '18.5 kB'),
  // Raised from 8.5: it also exports the reading of Retry-After, which whoever shares an endpoint needs.
  entry('@vouch/signal/net', 'packages/signal/dist/net.js', '9 kB'),
  // Scanner, relaxed reader, dialects of text calls and the competition of readings.
  // Raised from 30 for the same.
  entry('@vouch/signal/repair', 'packages/signal/dist/repair.js', '36 kB'),
  entry('@vouch/signal/partial', 'packages/signal/dist/partial.js', '3.5 kB'),
  entry('@vouch/signal/count', 'packages/signal/dist/count.js', '3 kB'),
];

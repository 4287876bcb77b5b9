// Ceilings of what a page that imports an entry loads: minified and compressed, contracts included. A raise says why, beside the number.
const entry = (name, path, limit) => ({ name, path, limit, gzip: true });

export default [entry('@vouch/contracts', 'packages/contracts/dist/index.js', '4 kB')];

// What an application ships: each entry bundled for a browser with splitting and minifying, gzipped; what is loaded at once and what only on demand.
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const entries = ['@vouch/signal', '@vouch/signal/repair', '@vouch/signal/partial'];

/**
 * @param {string} entry
 * @returns {Promise<readonly { readonly name: string, readonly bytes: number }[]>} what is loaded at once, in one sum, then each lazy chunk
 */
async function sizesOf(entry) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: import.meta.dirname, sourcefile: 'entry.js' },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    outdir: 'out',
    // An optional peer: the application brings it, or does not.
    external: ['zod'],
  });
  const chunks = new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents, { level: 9 }).length]));
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const first = [...outputs].find(([, { entryPoint }]) => entryPoint === '<stdin>' || entryPoint?.endsWith('entry.js') === true)?.[0];
  if (first === undefined) throw new Error(`the bundle of ${entry} has no entry`);
  const atOnce = new Set([first]);
  for (const chunk of atOnce) {
    for (const { path, kind, external } of outputs.get(chunk)?.imports ?? [])
      if (kind === 'import-statement' && external !== true) atOnce.add(basename(path));
  }
  const lazy = [...chunks.keys()].filter((chunk) => !atOnce.has(chunk)).toSorted();
  return [
    { name: `${entry}: at once`, bytes: [...atOnce].reduce((sum, chunk) => sum + (chunks.get(chunk) ?? 0), 0) },
    ...lazy.map((chunk) => ({
      name: `${entry}: on demand, ${chunk.startsWith('chunk-') ? chunk : chunk.replace(/-[A-Z0-9]{8}\.js$/, '')}`,
      bytes: chunks.get(chunk) ?? 0,
    })),
  ];
}

const sizes = (await Promise.all(entries.map(sizesOf))).flat();

/** @type {readonly import('./harness/bench.mjs').Bench[]} */
export const benches = [
  {
    name: 'bundle',
    title: 'gzipped, for a browser, zod left out',
    subjects: sizes.map(({ name, bytes }) => ({ name, unit: 'bytes', sample: () => bytes })),
    ratios: [],
    // A size does not vary.
    rounds: 1,
  },
];

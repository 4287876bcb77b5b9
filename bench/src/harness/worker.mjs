// The child that measures one bench of a file, so that no bench warms or spoils the engine for another, and sends the result to its parent. Without a
// bench's name it sends the names that the file has.
import { pathToFileURL } from 'node:url';
import { measureBench } from './measure.mjs';

const [file = '', benchName, rounds = '', milliseconds = '', quick = ''] = process.argv.slice(2);
/** @type {{ readonly benches: readonly (import('./bench.mjs').Bench | import('./bench.mjs').PreparedBench)[] }} */
const { benches } = await import(pathToFileURL(file).href);
if (benchName === undefined) process.send?.(benches.map(({ name }) => name));
else {
  const found = benches.find(({ name }) => name === benchName);
  if (found === undefined) throw new Error(`no bench ${benchName} in ${file}`);
  const bench = 'prepare' in found ? await found.prepare() : found;
  process.send?.(await measureBench(bench, { rounds: Number(rounds), milliseconds: Number(milliseconds), quick: quick === 'true' }));
}
process.disconnect?.();

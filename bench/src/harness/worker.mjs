// The child that measures the benches of one file, so that no file warms or spoils the engine for another. Sends each result to its parent.
import { pathToFileURL } from 'node:url';
import { measureBench } from './measure.mjs';

const [file = '', rounds = '', milliseconds = ''] = process.argv.slice(2);
/** @type {{ readonly benches: readonly import('./bench.mjs').Bench[] }} */
const { benches } = await import(pathToFileURL(file).href);
for (const bench of benches) {
  const result = await measureBench(bench, { rounds: Number(rounds), milliseconds: Number(milliseconds) });
  process.send?.(result);
}
process.disconnect?.();

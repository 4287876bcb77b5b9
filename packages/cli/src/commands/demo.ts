import { Command, Option } from 'commander';
import type { DemoOptions } from '../demo/run-demo.ts';
import { integerOption, largestSeed } from '../number-options.ts';
import type { CliIo } from '../terminal/cli-io.ts';

const help = `
The documents, their schemas and the known answers are in examples/. The answers
come from the lab's reader, which is not a language model, over every wire that
the lab speaks; most are damaged on the way by a pathology of its catalogue.
Every value is compared with the known answer. No key and no network are needed.
Exit code 1 when a value was silently wrong, which must not happen.

Examples:
  vouch demo
  vouch demo --seed 7 --no-animation
  vouch demo --json > rows.jsonl`;

/** `vouch demo`: the main job, on documents with known answers. */
export function demoCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('demo')
    .summary('extract sample documents over misbehaving wires, without a key')
    .description('Extracts the sample documents over wires that misbehave, and counts what was right, failed typed, or silently wrong.')
    .addOption(new Option('--seed <n>', 'pairs documents and pathologies otherwise').argParser(integerOption(1, largestSeed)).default(1))
    .option('--json', 'one JSON line per document and one for the summary')
    .option('--no-animation', 'do not redraw the table while it runs')
    .addHelpText('after', help)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../demo/run-demo.ts');
      finish(await runDemo(options, io));
    });
}

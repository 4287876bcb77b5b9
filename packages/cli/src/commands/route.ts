import { Command } from 'commander';
import type { RouteOptions } from '../route/run-route.ts';
import type { CliIo } from '../terminal/cli-io.ts';

const help = `
Each line of the file is one case:
  { id, raw, finish, schema, channel?, tools?, exitTool? }
Each line printed is { id, outcome }, where outcome is { kind: "value", value },
{ kind: "tool_calls", calls } or { kind: "failure", reason }. No strategies, and
repairs without loss only.

The repository's cases, and what scores outcomes, are in
packages/signal/fixtures/corpus.

Examples:
  vouch route --cases conformance.jsonl > outcomes.jsonl
  node score.mjs conformance.jsonl --results outcomes.jsonl`;

/** `vouch route`: what the response side makes of texts, without a model. */
export function routeCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('route')
    .summary('route corpus cases: texts in, outcomes out')
    .description('Reads cases, one JSON object a line, and prints what the router makes of each response text.')
    .option('--cases <file>', 'needed: JSONL file of cases, or - for stdin')
    .option('--json', 'print a summary as one JSON line on stderr')
    .addHelpText('after', help)
    .action(async (options: RouteOptions) => {
      const { runRoute } = await import('../route/run-route.ts');
      finish(await runRoute(options, io));
    });
}

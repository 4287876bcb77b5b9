import type { ChatWireId } from '@vouch/contracts';
import { Command, Option } from 'commander';
import type { ConformanceOptions } from '../conformance/run-conformance.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** A record, so that the compiler asks for a wire that is added. */
const wires = Object.keys({
  'openai-chat': true,
  'openai-responses': true,
  'anthropic-messages': true,
  gemini: true,
  ollama: true,
} satisfies { readonly [Wire in ChatWireId]: true });

const help = `
It calls the endpoint as the client does and says of each check what was asked,
what was expected and what came: holds, differs, refused (a typed error that
says no), no verdict (the model did not do its part, so nothing was measured) or
not asked (nothing was sent; with the reason). How many calls and about how many
tokens it will take is said first.
Every answer is bounded. It measures the endpoint and judges no model. What the
client reads in spite of a fault counts as held; only what comes through tells.

Without --api-key-env no key is sent; the key itself is never shown. Without
--model the one model that the endpoint lists is asked. --like PROVIDER takes
the dialect of a provider of \`vouch providers\`; without it only fields are sent
that every server of the wire takes.

Against \`vouch lab\` up to five checks differ, since its reader is no language
model: it sees no picture, takes every model name, goes on over stop sequences
and fills a nested schema only with what the text labels (whole and streamed).
Nine or so get no verdict: it repeats no text and calls no tool by itself.

Ctrl-C ends the call under way and prints what is done. Exit codes: 0 every
check that was asked holds, 1 one of them does not (or none could be asked), 2
wrong use, 130 interrupted. The report has evidence, but no payload and no key.

Examples:
  vouch conformance --list
  vouch conformance --wire openai-chat --base-url http://localhost:8080/v1
  vouch conformance --wire ollama --base-url http://localhost:11434 \\
    --model NAME --skip image
  vouch conformance --wire openai-responses --like openai-responses \\
    --base-url https://HOST/v1 --model NAME --api-key-env MY_KEY \\
    --out report.md
  vouch conformance --wire gemini --base-url https://HOST/v1beta \\
    --model NAME --api-key-env MY_KEY --only text-stream usage --json`;

/** `vouch conformance`: what a live endpoint does of what its wire promises. */
export function conformanceCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('conformance')
    .summary('check what a live endpoint does of what its wire promises')
    .description('Asks a live endpoint everything that its wire promises, and prints a dated report of what held.')
    .option('--base-url <url>', 'needed: the address under which the paths of the wire are')
    .addOption(new Option('--wire <wire>', 'needed: the protocol that it speaks').choices(wires))
    .option('--model <name>', 'the model, as the endpoint calls it')
    .option('--api-key-env <name>', 'the environment variable that holds the key')
    .option('--like <provider>', 'send what this provider of the registry takes')
    .option('--only <id...>', 'ask only these checks')
    .option('--skip <id...>', 'leave out these checks')
    .option('--list', 'print the ids of the checks, and end')
    .option('--json', 'JSON lines on stdout: { plan }, one a check, { summary }')
    .option('--out <file>', 'write the report to this file too, as Markdown; it may replace an earlier report')
    .addHelpText('after', help)
    .action(async (options: ConformanceOptions) => {
      const { runConformance } = await import('../conformance/run-conformance.ts');
      finish(await runConformance(options, io));
    });
}

import { Command, Option } from 'commander';
import type { ExtractOptions } from '../extract/options.ts';
import { integerOption, largestSeed } from '../number-options.ts';
import type { CliIo } from '../terminal/cli-io.ts';

const help = `
Each document gives one JSON line:
  { path, value, key, model, usage, wire }    the value conforms to the schema
  { path, failure, key, model, usage, wire }  or why there is none:
                                { kind, reason, code, message, evidence }
usage counts the tokens (reported: by the provider). wire is what was made of
the answer's text:
  rung   how the value was found: parse, the text as it came; extract, cut out
         of prose or a fence; call, in a tool call; relaxed, repair-… or close…,
         after repairs of the JSON itself; +name, one step more
  loss   the worst of the edits: none; noise, what is no content was removed;
         reencoded, the same content spelled otherwise; truncated, content may
         be missing (a value only with --accept lossy)
  edits  each repair in order: { mechanism, loss, span, path, before, after },
         span being offsets into the answer's text
  notes  what else was seen
key is a digest of what was asked, and absent when nothing was. On stdout the
lines have the order of the documents. Progress, failures and a summary go to
stderr. Without --model and --base-url the lab's reader answers; it fills a
schema from labelled lines and is not a language model. Keys are read from the
environment (see: vouch providers), never shown.

--out FILE is for runs that take long. Each line is on the disk as soon as its
document is done, in the order of finishing. Run the same command again after
Ctrl-C, SIGTERM, a crash or a power cut: what is done is not asked about again.
Done is a document whose line has the key of the present question: its text, the
schema (of a module: the JSON Schema that it converts to; checks and transforms
in its code cannot be seen), the validator, model, address, prompt, --accept,
--instruction, --seed and --max-output-tokens. One that failed is left as well,
unless --retry failed is given. But a failure of kind provider by a wrong key or
address, a limit, an overload or a broken connection says nothing about the
document: the next run asks again. A new line replaces the document's old one;
replaced values go to FILE.replaced.jsonl. Lines of other documents stay. One
run at a time writes a file (FILE.lock). A pipe or a device is written to as
stdout is.

A provider that limits its rate pauses the whole run, as long as it asks.
Documents that still find no room are put back behind the others, and given up
only after 8 such rounds in a row without any answer, with rests from 5 seconds
to 2 minutes between them. What was not sent by then is asked about by the next
run of the same --out.

Examples:
  vouch extract --schema examples/schemas/invoice.mjs \\
    examples/documents/invoice-*.txt
  vouch extract --schema total.json --model openai/gpt-4o \\
    --instruction 'Only the final total, in euros' inbox/*.txt
  vouch extract --schema invoice.schema.json --model groq/MODEL \\
    --prices prices.json --out invoices.jsonl inbox/*.txt
  vouch extract --schema invoice.schema.json --model groq/MODEL \\
    --out invoices.jsonl --retry failed inbox/*.txt
  vouch extract --schema invoice.schema.json --model groq/MODEL \\
    --watch --out invoices.jsonl inbox/*.txt
  vouch extract --schema order.mjs --base-url http://localhost:8080/v1 \\
    --model NAME - < order.txt
  vouch extract --schema order.mjs --model groq/MODEL --record tapes orders/*
  vouch extract --schema order.mjs --model groq/MODEL --replay tapes orders/*`;

/** `vouch extract`: conforming values from documents. */
export function extractCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('extract')
    .summary('extract conforming values from documents')
    .description('Extracts a value that conforms to a schema from each document, or says by a typed failure why not.')
    .argument('<files...>', 'documents in plain text; - is stdin as one document')
    .option('--schema <file>', 'needed: JSON Schema (.json), or a module (.mjs, .js, .mts, .ts) exporting a schema')
    .option('--instruction <text>', 'what to extract, in your words; sent as the system prompt')
    .option('--model <provider/model>', 'a provider of `vouch providers` and its model')
    .option(
      '--base-url <url>',
      'an OpenAI-compatible endpoint; then --model is its model name, and the key is VOUCH_API_KEY or OPENAI_API_KEY',
    )
    .option('--out <file>', 'add the lines to this file, and go on where an earlier run of it stopped; - is stdout')
    .addOption(new Option('--retry <what>', 'with --out: ask again about documents that failed').choices(['failed']))
    .option('--overwrite', 'with --out: discard what the file holds')
    .addOption(new Option('--concurrency <n>', 'documents at once').argParser(integerOption(1, 64)).default(4))
    .addOption(new Option('--accept <grade>', 'which repairs count').choices(['exact', 'repaired', 'lossy']).default('repaired'))
    .addOption(new Option('--retries <n>', 'corrections sent after an answer that does not conform').argParser(integerOption(0, 10)))
    .addOption(new Option('--max-output-tokens <n>', 'bound of one answer').argParser(integerOption(1, 1_000_000)))
    .addOption(new Option('--timeout <seconds>', 'bound of one document').argParser(integerOption(1, 86_400)))
    .addOption(new Option('--seed <n>', 'seed of the sampling, where the provider takes one').argParser(integerOption(0, largestSeed)))
    .option('--prices <file>', 'JSON file of what models cost; then progress and summary tell the money')
    .option('--record <dir>', 'add every exchange with the provider to this directory, without keys; an empty one gives a fresh take')
    .option('--replay <dir>', 'take every answer from such a directory: no key, no network')
    .option('--watch', 'show each value as it grows, while the answer streams; needs a terminal')
    .option('--json', 'only one line on stderr: the summary as JSON')
    .addHelpText('after', help)
    .action(async (files: readonly string[], options: ExtractOptions) => {
      const { runExtract } = await import('../extract/run-extract.ts');
      finish(await runExtract(files, options, io));
    });
}

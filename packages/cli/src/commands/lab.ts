import { Command, Option } from 'commander';
import type { LabCommandOptions } from '../lab/run-lab.ts';
import { integerOption, largestSeed } from '../number-options.ts';
import type { CliIo } from '../terminal/cli-io.ts';

const help = `
It listens on 127.0.0.1 only and speaks five wires, whole and streamed, each at
the paths that its vendor has: Chat Completions and Responses under the base
URL; Messages, generateContent and /api/chat under its origin.

No model of it is a language model:
  reader  fills the JSON Schema of the request from labelled lines of the last
          user message
  rules   follows fixed rules over the whole request: facts by recency,
          instructions by role, tools by their descriptions
  script  gives the replies of FILE, in the order in which requests arrive

A pathology spoils what the answer says, a fault how it is delivered; at most
one of each shows on a request. RATE is the share of the requests that it fits,
0 to 1 (default 1); of several, in a drawn order, each takes its share of what
those before it left. N is the fault's own number. The same seed and requests
give the same bytes.

The base URL is the one line on stdout; all else goes to stderr, one line a
request. With --json stdout has JSON lines instead: { listening }, then
{ request } for each, then { summary }; with --list, { pathology } and { fault }
for each. Ctrl-C or SIGTERM ends it: exit code 130, as everywhere.

The script FILE is a .json array, or a .jsonl file with one reply a line. All
members of a reply may be left out; {} is an empty answer:
  { "text": "Pier 7",
    "toolCalls": [{ "name": "find", "arguments": "{\\"pier\\":7}", "id": "c1" }],
    "reasoning": "Piers have numbers.", "refusal": "No.", "finish": "stop",
    "usage": { "inputTokens": 9, "outputTokens": 4,
               "cachedTokens": 0, "reasoningTokens": 0 },
    "logprobs": [{ "token": "Pier", "logprob": -0.1,
                   "top": [{ "token": "Quay", "logprob": -2.3 }] }] }
"arguments" is a string, as on the wire: it need not be JSON. "id" and "finish"
have defaults, "usage": null leaves the usage out, "logprobs" go out when asked
for. "thinking" is reasoning in pieces: [{ "text", "redacted", "summary" (list),
"beforeCall" (index) }]. Or bytes as they are, without any wire:
  { "raw": { "status": 200, "headers": { "content-type": "text/plain" },
             "chunks": ["one", "two"], "ending": "cut" } }
"ending" is end, cut (FIN), reset (RST), stall or keep-open; "framing" is
chunked, close or bytes (the chunks hold the head too); "firstByteMs" and
"chunkDelayMs" are pauses. FILE may be a module (.mjs, .js, .mts, .ts), which is
run: its default or \`replies\` is such an array, or a function (request,
{ index, seed }) => reply. A mistake in FILE is told with its reply or line and
its place. Past the last reply comes a 500 that says so.

Examples:
  vouch lab
  vouch lab --list
  vouch lab --pathology C10:0.5 S3 --fault rate-limit=2:0.1 split --seed 7
  vouch lab --port 0 --json --model script replies.jsonl --fault stall=3`;

/** `vouch lab`: the fake provider, in the foreground. */
export function labCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('lab')
    .summary('start a fake provider that misbehaves on demand')
    .description('Starts a fake provider on this machine, which spoils answers and deliveries as real ones do, until Ctrl-C.')
    .argument('[file]', 'the replies of --model script')
    .addOption(new Option('--port <n>', '0 takes a free one').argParser(integerOption(0, 65_535)).default(4747))
    .addOption(new Option('--model <name>', 'what answers').choices(['reader', 'rules', 'script']).default('reader'))
    .option('--pathology <spec...>', 'pathologies of the catalogue, each ID or ID:RATE')
    .option('--fault <spec...>', 'faults of the catalogue, each ID, ID=N, ID:RATE or ID=N:RATE')
    .addOption(new Option('--seed <n>', 'decides every draw, id and timestamp').argParser(integerOption(1, largestSeed)).default(1))
    .option('--api-key <key>', 'refuse requests with another key, or none')
    .option('--json', 'JSON lines on stdout, with --list too')
    .option('--list', 'show the catalogue of pathologies and faults, and end')
    .addHelpText('after', help)
    .action(async (file: string | undefined, options: LabCommandOptions) => {
      const { runLab } = await import('../lab/run-lab.ts');
      finish(await runLab(file, options, io));
    });
}

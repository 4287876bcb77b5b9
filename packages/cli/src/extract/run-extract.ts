import { setMaxListeners } from 'node:events';
import { type Clock, systemClock } from '@vouch/contracts';
import type { SchemaInput } from '@vouch/signal';
import { linkSignals } from '@vouch/signal/net';
import { type ChosenModel, chooseModel, labReaderLabel } from '../model/model-choice.ts';
import { openTraffic } from '../model/traffic.ts';
import { readPrices } from '../report/prices.ts';
import { createTally, summaryLine, type Tally } from '../report/tally.ts';
import { createTeller } from '../report/teller.ts';
import { createGateMaker } from '../schema/json-schema-gate.ts';
import { loadSchema } from '../schema/schema-file.ts';
import { type CliIo, exitCodes, takesEscapes } from '../terminal/cli-io.ts';
import { oneLine } from '../terminal/one-line.ts';
import { durationText } from '../terminal/progress-line.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';
import { createAsk } from './ask.ts';
import { createDisplay, type Display } from './display.ts';
import { createKeys } from './document-key.ts';
import { createDoom, noDoom } from './doom.ts';
import { createEndpointPause, type EndpointPause } from './endpoint-pause.ts';
import { distinctFiles, type ExtractOptions, refuseContradictions, refuseWrongNames } from './options.ts';
import { type Output, openOutput, refuseOverwriting } from './output.ts';
import { runDocuments } from './run-documents.ts';

/** A pause of so many milliseconds is said. */
const tellFromMs = 10_000;

/** Extracts from every document and gives the exit code. Throws `UsageError` before anything is sent. */
export async function runExtract(given: readonly string[], options: ExtractOptions, io: CliIo): Promise<number> {
  if (options.schema === undefined) throw new UsageError('--schema is missing', 'give a JSON Schema file or a module: --schema FILE');
  refuseWrongNames(given, options);
  refuseContradictions(options);
  const files = distinctFiles(given, io.cwd);
  const inputs = [...files.filter((file) => file !== '-'), options.schema, ...(options.prices === undefined ? [] : [options.prices])];
  await refuseOverwriting(options.out, inputs, io.cwd);
  const say = createSay(options, io);
  const schema = await readSchema(options.schema, io, say);
  const prices = options.prices === undefined ? undefined : await readPrices(options.prices, io.cwd);
  const clock = io.clock ?? systemClock;
  const traffic = await openTraffic(options, io.env, io.cwd, clock);
  const pause = createEndpointPause({ fetch: traffic.fetch, clock });
  const { isReplayed } = traffic;
  const model = await chooseModel(options, io.env, { fetch: pause.fetch, clock: pause.clock, isReplayed });
  if (prices !== undefined && !prices.models.includes(model.label)) await say(noPriceText(model.label, prices.models));
  const tally = createTally(prices === undefined ? undefined : (usage) => prices.costOf(model.label, usage));
  const display = createDisplay(files.length, options, io, { clock, pausedUntilMs: pause.untilMs, money: tally.money });
  // What is drawn tells of pauses by itself.
  const hasBar = display.watch !== undefined || (files.length > 1 && takesEscapes(io, 'stderr'));
  pause.onChange(watchPauses(tally, hasBar ? async () => undefined : say, clock));
  try {
    const output = await openOutput(options.out, { overwrite: options.overwrite === true, note: say }, io);
    let isClean = false;
    try {
      if (model.isLab && !isReplayed)
        await say(`no --model was given: the answers come from the ${labReaderLabel}, which fills schemas from labelled lines`);
      const exitCode = await extractAll(files, options, io, { model, schema, say, output, pause, clock, tally, isReplayed, display });
      isClean = exitCode !== exitCodes.interrupted;
      return exitCode;
    } finally {
      await output.close({ tidy: isClean });
    }
  } finally {
    await model.close();
    for (const said of await traffic.close()) await say(said);
  }
}

const mostNamed = 5;

function noPriceText(label: string, priced: readonly string[]): string {
  const more = priced.length > mostNamed ? ` and ${priced.length - mostNamed} more` : '';
  return `the prices name ${priced.slice(0, mostNamed).join(', ')}${more}, but not ${label}: what it costs will not be known`;
}

/** Hears of a pause when it begins, when it grows, and (undefined) when it ends. A first long one is said: without a word the run would seem to hang. */
function watchPauses(tally: Tally, say: Say, clock: Clock): (untilMs: number | undefined) => void {
  let isPaused = false;
  let isTold = false;
  return (untilMs) => {
    if (untilMs !== undefined && !isPaused) tally.pause();
    isPaused = untilMs !== undefined;
    const leftMs = (untilMs ?? 0) - clock.now();
    if (isTold || leftMs < tellFromMs) return;
    isTold = true;
    // A terminal that is gone is no reason to stop.
    say(`the provider wants no requests for ${durationText(leftMs)}; every document waits`).catch(() => undefined);
  };
}

type Say = (text: string) => Promise<void>;

function createSay(options: ExtractOptions, io: CliIo): Say {
  const stderr = sinkOf(io.stderr);
  return async (text) => {
    if (!options.json) await stderr.write(`vouch: ${oneLine(text, 1_000)}\n`);
  };
}

async function readSchema(path: string, io: CliIo, say: Say): Promise<SchemaInput> {
  const warnings: string[] = [];
  const schema = await loadSchema(
    path,
    io.cwd,
    createGateMaker((message) => warnings.push(message)),
  );
  for (const warning of warnings) await say(`${path}: ${warning}`);
  return schema;
}

interface Run {
  readonly model: ChosenModel;
  readonly schema: SchemaInput;
  readonly say: Say;
  readonly output: Output;
  readonly pause: EndpointPause;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly isReplayed: boolean;
  readonly display: Display;
}

async function extractAll(files: readonly string[], options: ExtractOptions, io: CliIo, run: Run): Promise<number> {
  const { model, schema, say, output, pause, clock, tally } = run;
  const startedAt = performance.now();
  const tell = createTeller({ ...model.target, isReplayed: run.isReplayed });
  const { watch } = run.display;
  const progress = run.display.start();
  // Aborted by Ctrl-C, and when the lines go nowhere any more.
  const link = linkSignals([io.signal]);
  // Every document under way hears of it: up to 64, a few times each, and none stays.
  setMaxListeners(0, link.signal);
  try {
    await runDocuments(files, {
      model: model.label,
      concurrency: options.concurrency,
      retryFailed: options.retry === 'failed',
      io,
      signal: link.signal,
      keyOf: createKeys(model, schema, options),
      ask: createAsk({ model, schema, options, signal: link.signal, ...(watch === undefined ? {} : { watch }) }),
      output,
      doom: run.isReplayed ? noDoom : createDoom(),
      tally,
      pause,
      clock,
      worked: ({ failure, usage }) => progress.tick({ succeeded: failure === undefined, usage }),
      finishing(line) {
        // The bar and the lines take turns.
        if (line.failure !== undefined || (io.isTTY.stdout && !output.keeps)) progress.pause();
      },
      async finished({ path, failure }) {
        const said = failure === undefined ? undefined : tell(path, failure);
        if (said !== undefined) await say(said);
      },
      skipped: () => progress.skip(1),
      stop: () => link.abort(new Error('the lines go nowhere any more')),
    });
  } finally {
    link.dispose();
    progress.stop();
  }
  const summary = tally.summary(files.length, performance.now() - startedAt);
  if (options.json) await sinkOf(io.stderr).write(`${JSON.stringify({ summary })}\n`);
  else await say(summaryLine(summary));
  if (io.signal.aborted) {
    if (output.keeps) await say('interrupted: the same command goes on where this one stopped');
    return exitCodes.interrupted;
  }
  const hasAll = summary.values + summary.resumed - summary.resumedFailures === files.length;
  return hasAll || output.isClosed() ? exitCodes.fine : exitCodes.failed;
}

import type { AcceptPolicy } from '@vouch/contracts';
import type { SchemaInput } from '@vouch/signal';
import { linkSignals } from '@vouch/signal/net';
import { createGateMaker } from '../schema/json-schema-gate.ts';
import { loadSchema } from '../schema/schema-file.ts';
import { type CliIo, exitCodes } from '../terminal/cli-io.ts';
import { oneLine } from '../terminal/one-line.ts';
import { createProgress } from '../terminal/progress.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';
import { createDoom } from './doom.ts';
import { type Ask, type DocumentOutcome, extractDocument, failedLine } from './extract-document.ts';
import { runInOrder } from './in-order.ts';
import { type ChosenModel, chooseModel, labReaderLabel, type ModelOptions } from './model-choice.ts';
import { type Output, openOutput, refuseOverwriting } from './output.ts';
import { createTally, summaryLine } from './tally.ts';
import { createTeller } from './teller.ts';

/** The options of `vouch extract`. Seconds where named so. */
export interface ExtractOptions extends ModelOptions {
  readonly schema?: string;
  readonly out?: string;
  readonly concurrency: number;
  readonly accept: AcceptPolicy;
  readonly retries?: number;
  readonly maxOutputTokens?: number;
  readonly timeout?: number;
  readonly json?: boolean;
  /** What to extract, in the user's words; goes as the system prompt. */
  readonly instruction?: string;
}

/** Extracts from every document and gives the exit code. Throws `UsageError` before anything is sent. */
export async function runExtract(files: readonly string[], options: ExtractOptions, io: CliIo): Promise<number> {
  if (options.schema === undefined) throw new UsageError('--schema is missing', 'give a JSON Schema file or a module: --schema FILE');
  refuseWrongNames(files, options);
  await refuseOverwriting(options.out, [...files.filter((file) => file !== '-'), options.schema], io.cwd);
  const stderr = sinkOf(io.stderr);
  const say = async (text: string): Promise<void> => {
    if (!options.json) await stderr.write(`vouch: ${oneLine(text, 1_000)}\n`);
  };
  const warnings: string[] = [];
  const schema = await loadSchema(
    options.schema,
    io.cwd,
    createGateMaker((message) => warnings.push(message)),
  );
  for (const warning of warnings) await say(`${options.schema}: ${warning}`);
  const model = await chooseModel(options, io.env);
  try {
    const output = await openOutput(options.out, io);
    const stop = new AbortController();
    const link = linkSignals([io.signal, stop.signal]);
    const { signal } = link;
    const ask = createAsk(model, schema, options, signal);
    try {
      if (model.isLab)
        await say(`no --model was given: the answers come from the ${labReaderLabel}, which fills schemas from labelled lines`);
      return await extractAll(files, options, io, { model, ask, say, output, stop, signal });
    } finally {
      link.dispose();
      await output.close();
    }
  } finally {
    await model.close();
  }
}

interface Run {
  readonly model: ChosenModel;
  readonly ask: Ask;
  readonly say: (text: string) => Promise<void>;
  readonly output: Output;
  /** Stops the run when nobody reads its lines any more. */
  readonly stop: AbortController;
  /** Aborted by Ctrl-C and by `stop`. */
  readonly signal: AbortSignal;
}

async function extractAll(files: readonly string[], options: ExtractOptions, io: CliIo, run: Run): Promise<number> {
  const startedAt = performance.now();
  const tally = createTally();
  const doom = createDoom();
  const tell = createTeller(run.model.target);
  const progress = createProgress(files.length, io, options.json === true);

  const work = async (path: string): Promise<DocumentOutcome> => {
    const hopeless = doom.verdict();
    if (hopeless !== undefined) return { line: failedLine(path, hopeless, run.model.label), sent: false };
    const outcome = await extractDocument(path, { ...io, signal: run.signal }, run.model.label, run.ask);
    const { failure } = outcome.line;
    if (failure?.kind === 'aborted') return outcome;
    if (outcome.sent) doom.watch(failure);
    progress.tick(failure === undefined);
    return outcome;
  };
  const deliver = async ({ line, sent }: DocumentOutcome): Promise<void> => {
    if (line.failure?.kind === 'aborted' || run.output.isClosed()) return;
    tally.add({ ...(line.failure === undefined ? {} : { failure: line.failure }), usage: line.usage, sent });
    const said = line.failure === undefined ? undefined : tell(line.path, line.failure);
    // The bar and the lines take turns.
    if (said !== undefined || (io.isTTY.stdout && (options.out ?? '-') === '-')) progress.pause();
    await run.output.write(`${JSON.stringify(line)}\n`);
    if (run.output.isClosed()) run.stop.abort();
    if (said !== undefined) await run.say(said);
  };

  await runInOrder(files, { concurrency: options.concurrency, signal: run.signal }, work, deliver);
  progress.stop();
  const summary = tally.summary(files.length, performance.now() - startedAt);
  if (options.json) await sinkOf(io.stderr).write(`${JSON.stringify({ summary })}\n`);
  else await run.say(summaryLine(summary));
  if (io.signal.aborted) return exitCodes.interrupted;
  return summary.values === files.length || run.output.isClosed() ? exitCodes.fine : exitCodes.failed;
}

function createAsk(model: ChosenModel, schema: SchemaInput, options: ExtractOptions, signal: AbortSignal): Ask {
  const { seed, maxOutputTokens, timeout, retries, instruction } = options;
  const instructed = instruction === undefined ? model.client : model.client.systemPrompt(instruction);
  const configured = instructed
    .schema(schema)
    .accept(options.accept)
    .options({
      signal,
      ...(seed === undefined ? {} : { seed }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(timeout === undefined ? {} : { timeout: { total: timeout * 1000 } }),
    });
  const client = retries === undefined ? configured : configured.retries(retries);
  return (text) => client.tryComplete(text);
}

function refuseWrongNames(files: readonly string[], { schema, out, instruction }: ExtractOptions): void {
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('stdin (-) is given twice', 'it can be read once');
  if (files.some((file) => file === ''))
    throw new UsageError('the name of a document is empty', 'leave it out, or quote a name that is set');
  for (const [option, text] of Object.entries({ schema, out, instruction }))
    if (text?.trim() === '') throw new UsageError(`--${option} is empty`, `give it a value, or leave --${option} out`);
}

import { createLogUpdate } from 'log-update';
import { runInOrder } from '../extract/in-order.ts';
import { labReaderLabel } from '../model/model-choice.ts';
import { type CliIo, createPaint, exitCodes, takesEscapes } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { type Example, loadExamples } from './examples.ts';
import { slotOf } from './plan.ts';
import { summariseDemo, summaryLines } from './report.ts';
import { type DemoRow, runDocument } from './run-document.ts';
import { demoLine, demoTable, type TableRow } from './table.ts';
import { demoWires } from './wires.ts';

/** The options of `vouch demo`. */
export interface DemoOptions {
  readonly seed: number;
  readonly json?: boolean;
  readonly animation: boolean;
}

const concurrency = 4;
const narrowest = 80;

/** Shows one row after the other, as they come. */
interface Show {
  row(row: DemoRow): Promise<void>;
  end(): Promise<void>;
}

/** Runs every example over misbehaving wires; exit code 1 when any value was silently wrong. */
export async function runDemo(options: DemoOptions, io: CliIo): Promise<number> {
  const startedAt = performance.now();
  const stdout = sinkOf(io.stdout);
  const examples = await loadExamples();
  if (!options.json) {
    await stdout.write(
      `${examples.length} documents go over ${demoWires.length} wires that misbehave. The answers come from the\nlab's reader: it copies labelled values and is not a language model, so the only\nthing on trial here is what becomes of an answer on its way.\n\n`,
    );
  }
  const show = chooseShow(options, io, examples);
  const rows: DemoRow[] = [];
  await runInOrder(
    examples,
    { concurrency, signal: io.signal },
    (example, index) => runDocument(example, slotOf(index, options.seed), options.seed, io.signal),
    async (row) => {
      if (io.signal.aborted) return;
      rows.push(row);
      await show.row(row);
    },
  );
  await show.end();
  const summary = summariseDemo(rows, { seed: options.seed, model: labReaderLabel, durationMs: Math.round(performance.now() - startedAt) });
  if (options.json) await stdout.write(`${JSON.stringify({ summary })}\n`);
  else await stdout.write(`\n${summaryLines(summary).join('\n')}\n`);
  if (io.signal.aborted) return exitCodes.interrupted;
  return summary.silentlyWrong > 0 ? exitCodes.failed : exitCodes.fine;
}

function chooseShow(options: DemoOptions, io: CliIo, examples: readonly Example[]): Show {
  if (options.json) return jsonShow(io);
  if (!takesEscapes(io, 'stdout') || !options.animation) return io.isTTY.stdout ? tableShow(io) : lineShow(io);
  return liveShow(io, examples);
}

function jsonShow(io: CliIo): Show {
  return {
    row: ({ outcome, ...row }) => sinkOf(io.stdout).write(`${JSON.stringify({ ...row, ...outcome })}\n`),
    end: async () => undefined,
  };
}

function lineShow(io: CliIo): Show {
  return { row: (row) => sinkOf(io.stdout).write(`${demoLine(row)}\n`), end: async () => undefined };
}

function columnsOf(io: CliIo): number {
  return Math.max(narrowest, (io.stdout as { columns?: number }).columns ?? narrowest);
}

/** One table at the end, without redrawing. */
function tableShow(io: CliIo): Show {
  const rows: DemoRow[] = [];
  const paint = createPaint(takesEscapes(io, 'stdout'));
  return {
    row: async (row) => {
      rows.push(row);
    },
    end: () => sinkOf(io.stdout).write(`${demoTable(rows, columnsOf(io), paint)}\n`),
  };
}

/** A table that is redrawn with every row. A terminal that is too low shows its end while it runs; the whole of it stays at the end. */
function liveShow(io: CliIo, examples: readonly Example[]): Show {
  const log = createLogUpdate(io.stdout as NodeJS.WriteStream);
  const paint = createPaint(true);
  const rows: TableRow[] = examples.map(({ document }) => ({ document, pending: true }));
  let done = 0;
  const draw = (): void => log(demoTable(rows, columnsOf(io), paint));
  draw();
  return {
    row: async (row) => {
      rows[done] = row;
      done += 1;
      draw();
    },
    end: async () => {
      log.clear();
      log.done();
      await sinkOf(io.stdout).write(`${demoTable(rows.slice(0, done), columnsOf(io), paint)}\n`);
    },
  };
}

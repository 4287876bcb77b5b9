import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonSchema } from '@vouch/contracts';
import { routeCorpusCase } from '@vouch/signal/repair';
import { createGateMaker, type GateMaker } from '../schema/json-schema-gate.ts';
import { type CliIo, exitCodes } from '../terminal/cli-io.ts';
import { oneLine } from '../terminal/one-line.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';
import { parseCorpusLine } from './corpus-line.ts';
import { longestLineBytes, readLines } from './read-lines.ts';

/** The options of `vouch route`. */
export interface RouteOptions {
  readonly cases?: string;
  readonly json?: boolean;
}

/** Routes every case of a file and gives the exit code. A line that is no case throws `UsageError` with its number. */
export async function runRoute(options: RouteOptions, io: CliIo): Promise<number> {
  const { cases: path } = options;
  if (path === undefined) throw new UsageError('--cases is missing', 'give a JSONL file of cases: --cases FILE');
  const stdout = sinkOf(io.stdout);
  const stderr = sinkOf(io.stderr);
  const gates = cachedGates(createGateMaker());
  let lineNumber = 0;
  let cases = 0;
  let crashes = 0;
  for await (const line of await linesOf(path, io)) {
    lineNumber += 1;
    if (line === undefined) {
      throw new UsageError(
        `line ${lineNumber} of ${path} is longer than ${longestLineBytes / 1024 / 1024} MiB`,
        'each line must be one case',
      );
    }
    if (line.trim() === '') continue;
    const parsed = parseCorpusLine(lineNumber === 1 ? line.replace(/^\ufeff/, '') : line);
    if (!parsed.ok)
      throw new UsageError(`line ${lineNumber} of ${path} is no case: ${parsed.message}`, 'each line must be one JSON object');
    cases += 1;
    let outcome: unknown;
    try {
      outcome = routeCorpusCase(parsed.value, gates);
    } catch (error) {
      crashes += 1;
      const reason = error instanceof UsageError ? 'configuration' : 'exception';
      outcome = { kind: 'failure', reason };
      await stderr.write(
        `vouch: case ${oneLine(parsed.value.id, 80)}: ${oneLine(error instanceof Error ? error.message : String(error))}\n`,
      );
    }
    await stdout.write(`${JSON.stringify({ id: parsed.value.id, outcome })}\n`);
    if (io.signal.aborted) return exitCodes.interrupted;
    if (stdout.isClosed()) return exitCodes.fine;
  }
  await stderr.write(
    options.json
      ? `${JSON.stringify({ summary: { cases, crashes } })}\n`
      : `${cases} cases routed${crashes > 0 ? `, ${crashes} could not be` : ''}\n`,
  );
  return crashes > 0 ? exitCodes.failed : exitCodes.fine;
}

async function linesOf(path: string, io: CliIo): Promise<AsyncIterable<string | undefined>> {
  if (path === '-') return readLines(io.stdin, io.signal);
  const file = resolve(io.cwd, path);
  try {
    const handle = await open(file, 'r');
    const facts = await handle.stat();
    await handle.close();
    if (facts.isDirectory()) throw new UsageError(`${path} is a directory`, 'give a JSONL file of cases');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(
      `cannot read the cases: ${missing ? `there is no file ${path}` : `${path} may not be read`}`,
      'give a JSONL file of cases',
    );
  }
  return readLines(createReadStream(file), io.signal);
}

/** Cases share schemas, and compiling one costs more than routing a text. */
function cachedGates(makeGate: GateMaker): GateMaker {
  const made = new Map<string, ReturnType<GateMaker>>();
  return (jsonSchema) => {
    const text = textOf(jsonSchema);
    const known = made.get(text) ?? makeGate(jsonSchema);
    made.set(text, known);
    return known;
  };
}

function textOf(jsonSchema: JsonSchema): string {
  try {
    return JSON.stringify(jsonSchema);
  } catch {
    throw new UsageError('the JSON Schema is nested too deeply');
  }
}

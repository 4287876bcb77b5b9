import { type ChatWireId, systemClock } from '@vouch/contracts';
import { providerRow } from '@vouch/signal';
import { ownVersion } from '../own-version.ts';
import { type CliIo, createPaint, exitCodes, takesEscapes } from '../terminal/cli-io.ts';
import { createDrawing } from '../terminal/drawing.ts';
import { cellText } from '../terminal/one-line.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';
import type { Check, CheckResult } from './check.ts';
import { checks, planOf } from './checks.ts';
import { type EndpointTarget, openEndpoint } from './endpoint.ts';
import { firstModel } from './first-model.ts';
import { headLines, markdownReport, type ReportHead, resultLine, resultRecord, summariseChecks, summaryLine } from './report.ts';
import { refuseForeignFile, writeReport } from './report-file.ts';
import { runChecks } from './run-checks.ts';

/** The options of `vouch conformance`. */
export interface ConformanceOptions {
  readonly baseUrl?: string;
  readonly wire?: ChatWireId;
  readonly model?: string;
  readonly apiKeyEnv?: string;
  readonly like?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly json?: boolean;
  readonly list?: boolean;
  readonly out?: string;
}

/** Asks a live endpoint and prints a dated report. Exit code 0 when every check that was asked holds, 1 when one does not. Throws `UsageError`. */
export async function runConformance(options: ConformanceOptions, io: CliIo): Promise<number> {
  const stdout = sinkOf(io.stdout);
  const chosen = choose(options);
  if (options.list) {
    const lines = chosen.map(({ id, asks, expects }) => (options.json ? JSON.stringify({ id, asks, expects }) : id));
    await stdout.write(`${lines.join('\n')}\n`);
    return exitCodes.fine;
  }
  if (options.out !== undefined) await refuseForeignFile(options.out, io.cwd);
  const target = await targetOf(options, io);
  const plan = planOf(chosen.filter((check) => check.unless?.({ wire: target.wire, hasKey: target.apiKey !== undefined }) === undefined));
  const head = headOf(target);
  const report = async (results: readonly CheckResult[]): Promise<void> => {
    if (options.out !== undefined) await writeReport(options.out, io.cwd, markdownReport(head, results));
  };
  // A file that cannot be written is told before anything is spent.
  await report([]);
  await stdout.write(options.json ? `${JSON.stringify({ plan: { ...head, ...plan } })}\n` : `${headLines(head, plan).join('\n')}\n`);
  const results = await showAll(chosen, target, options, io);
  const summary = summariseChecks(results);
  await stdout.write(options.json ? `${JSON.stringify({ summary })}\n` : `\n${summaryLine(summary)}\n`);
  await report(results);
  if (io.signal.aborted) return exitCodes.interrupted;
  const asked = summary.holds + summary.differs + summary.refused;
  return summary.holds === asked && asked > 0 ? exitCodes.fine : exitCodes.failed;
}

async function showAll(
  chosen: readonly Check[],
  target: EndpointTarget,
  options: ConformanceOptions,
  io: CliIo,
): Promise<readonly CheckResult[]> {
  const paint = createPaint(takesEscapes(io, 'stdout'));
  const drawing = takesEscapes(io, 'stderr') ? createDrawing(io.stderr as NodeJS.WriteStream) : undefined;
  const progress = (done: number): void => {
    const next = chosen[done];
    if (next !== undefined) drawing?.draw(cellText(`${done}/${chosen.length} checks; now ${next.id}`, 79));
  };
  const results: CheckResult[] = [];
  progress(0);
  for await (const result of runChecks(chosen, openEndpoint(target), { clock: target.clock, signal: io.signal })) {
    drawing?.clear();
    results.push(result);
    const line = options.json ? JSON.stringify(resultRecord(result)) : resultLine(result, paint);
    await sinkOf(io.stdout).write(`${line}\n`);
    // Without a reader and without a file, more calls would be paid for nothing.
    if (sinkOf(io.stdout).isClosed() && options.out === undefined) break;
    progress(results.length);
  }
  return results;
}

function choose({ only, skip = [] }: ConformanceOptions): readonly Check[] {
  const known = new Set(checks.map(({ id }) => id));
  const unknown = [...(only ?? []), ...skip].find((id) => !known.has(id));
  if (unknown !== undefined) throw new UsageError(`there is no check "${unknown}"`, 'see: vouch conformance --list');
  const chosen = checks.filter(({ id }) => (only === undefined || only.includes(id)) && !skip.includes(id));
  if (chosen.length === 0) throw new UsageError('no check is left', 'name other ones with --only and --skip');
  return chosen;
}

async function targetOf(options: ConformanceOptions, io: CliIo): Promise<EndpointTarget> {
  const { baseUrl, wire, like, apiKeyEnv } = options;
  if (baseUrl === undefined || wire === undefined) {
    throw new UsageError('--base-url and --wire are needed', 'such as --base-url http://localhost:8080/v1 --wire openai-chat');
  }
  const address = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new UsageError('--base-url is not an http or https address', 'such as --base-url http://localhost:8080/v1');
  }
  if (address.username !== '' || address.password !== '')
    throw new UsageError('--base-url holds a name or a password', 'give the key by --api-key-env');
  const row = like === undefined ? undefined : providerRow(like);
  if (like !== undefined && (row?.kind !== 'chat' || row.dialect.wire !== wire))
    throw new UsageError(`no provider "${like}" speaks ${wire}`, 'see: vouch providers');
  const apiKey = apiKeyEnv === undefined ? undefined : io.env[apiKeyEnv];
  if (apiKeyEnv !== undefined && !apiKey) throw new UsageError(`--api-key-env ${apiKeyEnv}: the variable is not set`, 'set it to the key');
  const reach = {
    wire,
    baseUrl,
    ...(apiKey ? { apiKey } : {}),
    ...(like === undefined ? {} : { like }),
    fetch: ((input, init) => globalThis.fetch(input, init)) as typeof globalThis.fetch,
    clock: io.clock ?? systemClock,
    signal: io.signal,
  };
  return { ...reach, model: options.model ?? (await firstModel(reach, apiKeyEnv)) };
}

function headOf({ wire, baseUrl, model, like, clock }: EndpointTarget): ReportHead {
  const { origin, pathname } = new URL(baseUrl);
  return {
    wire,
    baseUrl: `${origin}${pathname.replace(/\/$/, '')}`,
    model,
    ...(like === undefined ? {} : { like }),
    date: new Date(clock.now()).toISOString(),
    versions: { vouch: ownVersion(), node: process.versions.node },
  };
}

import type { ChatWireId } from '@vouch/contracts';
import { blocks } from '../terminal/blocks.ts';
import type { Paint } from '../terminal/cli-io.ts';
import type { CheckResult, Outcome } from './check.ts';
import type { Plan } from './checks.ts';

/** What a report says of itself. */
export interface ReportHead {
  readonly wire: ChatWireId;
  /** Without query and credentials. */
  readonly baseUrl: string;
  readonly model: string;
  /** The registry row whose dialect was used. */
  readonly like?: string;
  /** ISO 8601. */
  readonly date: string;
  readonly versions: { readonly vouch: string; readonly node: string };
}

/** What a run came to. */
export interface ConformanceSummary {
  readonly holds: number;
  readonly differs: number;
  readonly refused: number;
  readonly noVerdict: number;
  readonly notAsked: number;
  readonly calls: number;
  /** As far as the endpoint reported them. */
  readonly tokens: number;
  readonly durationMs: number;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const scope = 'It measures the endpoint and judges no model: wrong prose of a model is no fault of it.';

/** Counts the results. */
export function summariseChecks(results: readonly CheckResult[]): ConformanceSummary {
  const count = (outcome: Outcome): number => results.filter((result) => result.outcome === outcome).length;
  const sum = (of: (result: CheckResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  return {
    holds: count('holds'),
    differs: count('differs'),
    refused: count('refused'),
    noVerdict: count('no verdict'),
    notAsked: count('not asked'),
    calls: sum(({ calls }) => calls),
    tokens: sum(({ tokens }) => tokens),
    durationMs: sum(({ durationMs }) => durationMs),
  };
}

/** What stands before a run, within 80 columns where the address does. */
export function headLines(head: ReportHead, plan: Plan): readonly string[] {
  return [
    `${head.wire}${head.like === undefined ? '' : ` like ${head.like}`} at ${head.baseUrl}`,
    `model ${head.model}; ${head.date}; vouch ${head.versions.vouch}, node ${head.versions.node}`,
    `${counted(plan.checks, 'check')}: ${counted(plan.calls, 'call')}, about ${counted(plan.tokens, 'token')}.`,
    ...blocks([80], [[scope]]).split('\n'),
    '',
  ];
}

/** One result as it stands on a terminal of 80 columns. */
export function resultLine({ check, outcome, evidence }: CheckResult, paint: Paint): string {
  const colours: { readonly [Name in Outcome]: (text: string) => string } = {
    holds: paint.green,
    differs: paint.red,
    refused: paint.yellow,
    'no verdict': paint.dim,
    'not asked': paint.dim,
  };
  const text = outcome === 'differs' || outcome === 'refused' ? `${evidence}\nasked: ${check.asks}\nexpected: ${check.expects}` : evidence;
  const [first = '', ...rest] = blocks([11, 22, 47], [[outcome, check.id, text]]).split('\n');
  return [first.replace(outcome, colours[outcome]), ...rest].join('\n');
}

/** The last line for people. */
export function summaryLine({ holds, differs, refused, noVerdict, notAsked, calls, tokens, durationMs }: ConformanceSummary): string {
  const spent = `${counted(calls, 'call')}, ${counted(tokens, 'token')} reported, ${(durationMs / 1000).toFixed(1)} s`;
  return `${spent}\nholds ${holds} · differs ${differs} · refused ${refused} · no verdict ${noVerdict} · not asked ${notAsked}`;
}

/** One result for programs. */
export function resultRecord({ check, ...result }: CheckResult): { readonly [field: string]: unknown } {
  return { check: check.id, asked: check.asks, expected: check.expects, ...result };
}

/** How every report begins. */
export const reportBeginning = '# Conformance of ';

/** The report as Markdown. */
export function markdownReport(head: ReportHead, results: readonly CheckResult[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const rows = results.map(
    ({ check, outcome, evidence, durationMs, calls, tokens }) =>
      `| ${check.id} | ${outcome} | ${cell(check.asks)} | ${cell(check.expects)} | ${cell(evidence)} | ${calls} | ${tokens} | ${durationMs} |`,
  );
  return [
    `${reportBeginning}${cell(head.model)} on ${head.wire}`,
    '',
    `- endpoint: \`${head.baseUrl}\`${head.like === undefined ? '' : `, with the dialect of \`${head.like}\``}`,
    `- date: ${head.date}`,
    `- versions: vouch ${head.versions.vouch}, node ${head.versions.node}`,
    `- result: ${summaryLine(summariseChecks(results)).replace('\n', '; ')}`,
    '',
    `${scope} \`refused\`: the endpoint does not take what was asked. \`no verdict\`: it was asked, and what came tells nothing of the endpoint. \`not asked\`: nothing was sent.`,
    '',
    '| check | outcome | asked | expected | evidence | calls | tokens | ms |',
    '|---|---|---|---|---|--:|--:|--:|',
    ...rows,
    '',
  ].join('\n');
}

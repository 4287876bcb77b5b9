import { modelRows, type ProviderRow, providerRows } from '@vouch/signal';
import Table from 'cli-table3';
import { Command } from 'commander';
import { type CliIo, exitCodes } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';

const help = `
"key" says whether one of the variables is set here; keys themselves are never shown. "format" is what the endpoint takes for structured
output: a JSON Schema, any JSON object, or neither; every schema is enforced by the client all the same. Facts carry their source and date.

Examples:
  vouch providers
  vouch providers --json | grep groq`;

/** One provider, as `--json` prints it. */
export interface ProviderFacts {
  readonly id: string;
  readonly kind: ProviderRow['kind'];
  readonly wire: string;
  readonly baseUrl: string | null;
  readonly keyVariables: readonly string[];
  readonly keyRequired: boolean;
  readonly keySet: boolean;
  readonly defaultModel: string | null;
  readonly source: ProviderRow['source'];
  readonly verified: string;
  readonly structuredOutput: {
    readonly format: 'json_schema' | 'json_object' | 'none';
    readonly tools: string;
    readonly validatesToolArgs: string;
  } | null;
  /** Models with measured or documented facts of their own. */
  readonly models: readonly string[];
}

/** `vouch providers`: the registry's rows. */
export function providersCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('providers')
    .summary('list the providers known, and whether their key is set')
    .description('Lists the providers of the registry with their addresses, key variables and facts.')
    .option('--json', 'one JSON array')
    .addHelpText('after', help)
    .action(async (options: { readonly json?: boolean }) => {
      const facts = providerRows.map((row) => factsOf(row, io.env));
      await sinkOf(io.stdout).write(`${options.json ? JSON.stringify(facts, null, 2) : tableOf(facts)}\n`);
      finish(exitCodes.fine);
    });
}

function factsOf(row: ProviderRow, env: CliIo['env']): ProviderFacts {
  return {
    id: row.id,
    kind: row.kind,
    wire: row.kind === 'chat' ? row.dialect.wire : row.adapter,
    baseUrl: row.baseUrl ?? null,
    keyVariables: row.envKeys,
    keyRequired: row.apiKey === 'required',
    keySet: row.envKeys.some((name) => Boolean(env[name])),
    defaultModel: row.defaultModel ?? null,
    source: row.source,
    verified: row.verified,
    structuredOutput: row.kind === 'chat' ? structuredOutputOf(row) : null,
    models: modelRows.filter(({ id }) => id.startsWith(`${row.id}/`)).map(({ id }) => id.slice(row.id.length + 1)),
  };
}

function structuredOutputOf(row: Extract<ProviderRow, { readonly kind: 'chat' }>): NonNullable<ProviderFacts['structuredOutput']> {
  const { dialect, capabilities } = row;
  const format = dialect.schemaFormat !== 'unsupported' ? 'json_schema' : dialect.jsonObjectFormat ? 'json_object' : 'none';
  return { format, tools: capabilities.nativeTools, validatesToolArgs: capabilities.validatesToolArgs };
}

function tableOf(facts: readonly ProviderFacts[]): string {
  const table = new Table({
    head: ['provider\nwire', 'base URL\nkey', 'default model', 'output format\ntools', 'source\ndate'],
    style: { head: [], border: [], 'padding-right': 0 },
  });
  for (const row of facts) {
    const { structuredOutput } = row;
    table.push([
      `${row.id}\n${row.wire}`,
      `${row.baseUrl ?? '(an address of your own)'}\n${keyText(row)}`,
      row.defaultModel ?? '–',
      structuredOutput === null ? '–' : `${structuredOutput.format}\ntools: ${structuredOutput.tools}`,
      `${row.source}\n${row.verified}`,
    ]);
  }
  return table.toString();
}

function keyText(row: ProviderFacts): string {
  const state = row.keySet ? 'set' : row.keyRequired ? 'not set' : 'not set, not needed';
  return row.keyVariables.length === 0 ? 'no key needed' : `${row.keyVariables.join(' or ')}: ${state}`;
}

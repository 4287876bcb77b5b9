import { modelRows, type ProviderRow, providerRows } from '@vouch/signal';
import { Command } from 'commander';
import { blocks } from '../terminal/blocks.ts';
import { type CliIo, exitCodes } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';

const help = `
A key is set when one of its variables is; keys themselves are never shown.
"format" is what the endpoint takes for structured output: a JSON Schema, any
JSON object, or neither; every schema is enforced by the client all the same.
Facts carry their source and date.

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
      await sinkOf(io.stdout).write(`${options.json ? JSON.stringify(facts, null, 2) : listOf(facts)}\n`);
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

function listOf(facts: readonly ProviderFacts[]): string {
  return blocks([21, 59], facts.map(cellsOf));
}

function cellsOf(row: ProviderFacts): string[] {
  const { structuredOutput } = row;
  const can = structuredOutput === null ? [] : [`format: ${structuredOutput.format}; tools: ${structuredOutput.tools}`];
  return [
    row.id,
    [
      `${row.baseUrl ?? '(an address of your own)'}`,
      keyText(row),
      `${row.kind === 'decisions' ? 'not built yet: decisions' : 'wire'}: ${row.wire}${row.defaultModel === null ? '' : `; default model: ${row.defaultModel}`}`,
      ...can,
      `${row.source}, ${row.verified}`,
    ].join('\n'),
  ];
}

function keyText(row: ProviderFacts): string {
  const state = row.keySet ? 'set' : row.keyRequired ? 'not set' : 'not set, not needed';
  return row.keyVariables.length === 0 ? 'no key needed' : `${row.keyVariables.join(' or ')}: ${state}`;
}

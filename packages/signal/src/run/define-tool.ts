import { configurationError, type MaybePromise, type OutputSchema, type ToolDescriptor } from '@vouch/contracts';
import { refuseUnknownNames } from '../step/names.ts';
import { type InferOutput, type SchemaInput, toOutputSchema } from '../transport/output-schema.ts';

/** What a tool gets beside its input. */
export interface ToolContext {
  /** Aborts with the run (SG-037). */
  readonly signal: AbortSignal;
}

/** A tool as one writes it. */
export interface ToolConfig<Schema extends SchemaInput> {
  /** 1 to 64 of `[A-Za-z0-9_-]`, unique in a client. */
  readonly name: string;
  readonly description: string;
  /** Gates the arguments; `execute` gets what its transforms give. */
  readonly input: Schema;
  /** Its result goes to the model: a string as it is, all else as JSON. A throw goes to the model too, bounded. */
  execute(input: InferOutput<Schema>, context: ToolContext): MaybePromise<unknown>;
  /** A throw of `execute` ends the run: kind `aborted` with code `E_TOOL_EXECUTION`. Default false. */
  readonly fatal?: boolean;
}

/** A tool that a run can call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: OutputSchema<unknown>;
  execute(input: unknown, context: ToolContext): MaybePromise<unknown>;
  readonly fatal?: boolean;
}

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** Makes a tool. Throws `E_UNSUPPORTED_TOOLS` for a name that the wires refuse, and `E_UNSUPPORTED_SCHEMA` for an input that is no schema. */
export function defineTool<const Schema extends SchemaInput>(config: ToolConfig<Schema>): Tool {
  if (typeof config !== 'object' || config === null) {
    throw configurationError('E_UNSUPPORTED_TOOLS', 'defineTool takes { name, description, input, execute }.');
  }
  refuseUnknownTool(config);
  if (typeof config.name !== 'string' || !toolName.test(config.name)) {
    throw configurationError(
      'E_UNSUPPORTED_TOOLS',
      `"${config.name}" is no name for a tool. Use 1 to 64 letters, digits, underscores or hyphens.`,
    );
  }
  return {
    name: config.name,
    description: config.description,
    inputSchema: toOutputSchema(config.input),
    // The schema's own parse made the input, so its type is the one that `execute` declares.
    execute: (input, context) => config.execute(input as InferOutput<Schema>, context),
    ...(config.fatal === undefined ? {} : { fatal: config.fatal }),
  };
}

// A record, so that the compiler asks for a name that is added to the type.
const toolFields = Object.keys({
  name: true,
  description: true,
  input: true,
  execute: true,
  fatal: true,
} satisfies { readonly [Name in keyof Required<ToolConfig<SchemaInput>>]: true });

/** Other libraries' words for `input`. */
const inputWords = ['parameters', 'schema', 'input_schema', 'args'];

function refuseUnknownTool(config: object): void {
  const word = inputWords.find((name) => Object.hasOwn(config, name));
  if (word !== undefined) throw configurationError('E_CONFIGURATION', `"${word}" is none of a tool's fields. Did you mean input?`);
  refuseUnknownNames("a tool's fields", config, toolFields);
  if (typeof (config as { readonly execute?: unknown }).execute === 'function') return;
  throw configurationError('E_UNSUPPORTED_TOOLS', 'A tool needs execute, a function that answers its calls: execute: (input) => result.');
}

/** What the model is told of a tool. */
export function describeTool(tool: Tool): ToolDescriptor {
  const { jsonSchema, validate } = tool.inputSchema;
  return { name: tool.name, description: tool.description, jsonSchema, validate };
}

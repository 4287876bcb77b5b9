import {
  type Capabilities,
  configurationError,
  type IdSource,
  type JsonSchema,
  type Message,
  type ResolvedTransport,
  type ResponseFormat,
  type StepOutput,
  type ToolChoice,
  type ToolDescriptor,
  toMessages,
} from '@vouch/contracts';
import { isObjectRoot } from './fit/root-wrap.ts';
import { withoutDialect } from './fit/schema-walk.ts';
import type { ConvertedSchema } from './output-schema.ts';
import { finishProtocol, schemaPrompt } from './protocol.ts';
import { RESPOND_TOOL_NAME, resolveTransport, type TransportSpec } from './resolve.ts';
import { fitSchema, type SchemaSubset } from './schema-fit.ts';

/** What a request is prepared from. */
export interface PrepareInput {
  /** Absent: free text. */
  readonly output?: Pick<ConvertedSchema<unknown>, 'jsonSchema' | 'validate'> & { readonly notes?: readonly string[] };
  readonly tools: readonly ToolDescriptor[];
  readonly capabilities: Capabilities;
  /** Default `auto`. */
  readonly choice?: TransportSpec['choice'];
  readonly forceTool?: boolean;
  /** Subset of the endpoint's dialect. Default `open`. */
  readonly subset?: SchemaSubset;
  readonly ids: IdSource;
}

/** Everything a run sends beside the conversation; the same in every turn of a run (SG-007). */
export interface PreparedRequest {
  /** Absent for free text. */
  readonly resolved?: ResolvedTransport;
  /** Goes after the caller's system prompt and before the conversation; internal, with origin `schema-prompt`. */
  readonly systemMessages: readonly Message[];
  readonly responseFormat?: ResponseFormat;
  /** The caller's tools, then the exit tool. */
  readonly tools: readonly ToolDescriptor[];
  readonly toolChoice?: ToolChoice;
  readonly stepOutput?: StepOutput;
}

/**
 * The request side of a run in one place: transport, prompts, format, tools and the gate. Pure but for `ids`. Throws configuration errors only:
 * tools on an endpoint that takes none (`E_UNSUPPORTED_TOOLS`), a caller's tool with the exit tool's name, a transport that cannot be honoured.
 */
export function prepareRequest(input: PrepareInput): PreparedRequest {
  const { output, capabilities } = input;
  const tools = input.tools.map(withoutToolDialect);
  const hasTools = tools.length > 0;
  if (hasTools && capabilities.nativeTools === 'no') {
    throw configurationError(
      'E_UNSUPPORTED_TOOLS',
      'The endpoint takes no tools (nativeTools: no). Choose another endpoint, or leave the tools out.',
    );
  }
  if (output === undefined) {
    if (input.forceTool !== true) return { systemMessages: [], tools };
    throw configurationError(
      'E_UNSUPPORTED_TRANSPORT',
      'forceTool needs a schema: free text is no tool call. Give a schema, or toolChoice.',
    );
  }
  if (tools.some((tool) => tool.name === RESPOND_TOOL_NAME)) {
    throw configurationError(
      'E_CONFIGURATION',
      `A tool may not be called "${RESPOND_TOOL_NAME}" beside a schema: that is the exit tool. Rename it.`,
    );
  }
  const { jsonSchema } = output;
  const spec: TransportSpec = {
    jsonSchema,
    hasTools,
    hasData: true,
    ...(input.choice === undefined ? {} : { choice: input.choice }),
    ...(input.forceTool === undefined ? {} : { forceTool: input.forceTool }),
  };
  const plain = resolveTransport(spec, capabilities, input.subset === undefined ? {} : { subset: input.subset });
  const resolved: ResolvedTransport = { ...plain, why: [...plain.why, ...(output.notes ?? [])] };
  const responseFormat = resolved.responseFormat ?? objectFormat(resolved, jsonSchema, hasTools, capabilities);
  return {
    resolved,
    systemMessages: promptsOf(resolved, jsonSchema, hasTools, input.ids),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    tools: resolved.respondTool === undefined ? tools : [...tools, resolved.respondTool],
    ...(resolved.toolChoice === undefined ? {} : { toolChoice: resolved.toolChoice }),
    stepOutput: {
      accept: { jsonSchema, validate: output.validate },
      ...(resolved.outputTool === undefined ? {} : { outputTool: resolved.outputTool }),
      ...(resolved.envelope === undefined ? {} : { envelope: resolved.envelope }),
    },
  };
}

/** Parameters without `$schema`: some endpoints refuse a keyword that they do not know. */
function withoutToolDialect(tool: ToolDescriptor): ToolDescriptor {
  return Object.hasOwn(tool.jsonSchema, '$schema') ? { ...tool, jsonSchema: withoutDialect(tool.jsonSchema) } : tool;
}

/** Any-object mode where nothing better holds: only where the answer is an object and no tool call must stay possible. */
function objectFormat(
  resolved: ResolvedTransport,
  jsonSchema: JsonSchema,
  hasTools: boolean,
  capabilities: Capabilities,
): ResponseFormat | undefined {
  const useful = resolved.transport === 'emit' && capabilities.nativeJsonMode === 'yes' && !hasTools && isObjectRoot(jsonSchema);
  return useful ? { type: 'json_object' } : undefined;
}

function promptsOf(resolved: ResolvedTransport, jsonSchema: JsonSchema, hasTools: boolean, ids: IdSource): readonly Message[] {
  const { transport, injectSchemaDoc, outputTool } = resolved;
  // The grammar says all of it; with tools, the model must still learn which reply is the last.
  if (transport === 'native' && !hasTools) return [];
  // The exit tool's arguments are an object always, so there the contract is shown as it is sent.
  const shown = transport === 'respond' ? fitSchema(jsonSchema, 'open').schema : jsonSchema;
  const exitTool = outputTool === undefined ? {} : { exitTool: outputTool };
  const texts = [
    ...(injectSchemaDoc ? [schemaPrompt(withoutDialect(shown))] : []),
    finishProtocol({ transport, hasTools, ...exitTool, schemaInPrompt: injectSchemaDoc, jsonSchema: shown }),
  ];
  return toMessages(
    texts.map((content) => ({ role: 'system', content })),
    ids,
    { origin: { kind: 'schema-prompt' }, internal: true },
  );
}

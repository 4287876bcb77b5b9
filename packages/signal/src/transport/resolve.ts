import {
  type Capabilities,
  configurationError,
  type Fact,
  isJsonObject,
  type JsonSchema,
  namedTypes,
  type ResolvedTransport,
  resolveReference,
  type ToolDescriptor,
  type TransportName,
} from '@vouch/contracts';
import { inlineReferences } from './fit/root-wrap.ts';
import { measureSchema } from './fit/schema-walk.ts';
import { exitToolDescription } from './protocol.ts';
import { type FittedSchema, fitSchema, type SchemaSubset } from './schema-fit.ts';

/** Name of the exit tool. */
export const RESPOND_TOOL_NAME = 'respond';

/** Characters of minified schema up to which a schema is sent as grammar or as tool parameters. */
const longestSentSchemaChars = 8_192;

/** What a request must carry (SG-050). */
export interface TransportSpec {
  /** The whole contract of the answer. */
  readonly jsonSchema: JsonSchema;
  /** A smaller schema that every answer passes too, for an exit tool that cannot state the whole. Default: the contract's top level. */
  readonly looseJsonSchema?: JsonSchema;
  /** Domain tools are sent. */
  readonly hasTools: boolean;
  /** The contract has a typed payload; false for an answer that is words only. */
  readonly hasData: boolean;
  /** Default `auto`. */
  readonly choice?: TransportName | 'auto';
  /** Every turn must be a tool call, so the exit tool is the only way out. Default false. */
  readonly forceTool?: boolean;
  /** Fields that permissive parameters may name; those that the contract lacks are left out (SG-051). Default: the contract's top-level properties. */
  readonly permissiveFields?: readonly string[];
}

/** What the endpoint's dialect adds. */
export interface ResolveOptions {
  /** Subset that a native schema is fitted to. Default `open`. */
  readonly subset?: SchemaSubset;
}

/** One consideration: whether it holds, and its sentence. */
interface Finding {
  readonly holds: boolean;
  readonly because: string;
}

/**
 * How a request carries its output, and why (SG-050). Pure. An unmeasured fact counts as the answer that risks nothing:
 *
 * | fact | unmeasured counts as |
 * |---|---|
 * | nativeTools | no: no exit tool is sent |
 * | nativeJsonSchema | no: no grammar is asked for |
 * | toolsWithStructuredOutput | no: never both in one request |
 * | validatesToolArgs | yes: full parameters could have the whole request refused |
 * | manglesNestedToolArgs | yes: parameters enforce nothing |
 *
 * An explicit choice is honoured or refused with `E_UNSUPPORTED_TRANSPORT` and the reason.
 */
export function resolveTransport(spec: TransportSpec, capabilities: Capabilities, options: ResolveOptions = {}): ResolvedTransport {
  const fitted = fitSchema(spec.jsonSchema, options.subset ?? 'open');
  const size = schemaFits(spec.jsonSchema);
  const native = findNative(spec, capabilities, size, fitted);
  const exit = findExit(capabilities);
  const enforces = findEnforcement(spec, capabilities, exit, size);
  const transport = choose(spec, native, exit, enforces);
  const why = [...transport.why];
  switch (transport.name) {
    case 'native': {
      const { schema, strict, undo, dropped } = fitted;
      const responseFormat = { type: 'json_schema', name: 'output', schema, strict } as const;
      return { transport: 'native', why: [...why, ...fitted.why], responseFormat, injectSchemaDoc: false, envelope: undo, dropped };
    }
    case 'respond':
      return respond(spec, capabilities, size, why);
    case 'emit':
      return { transport: 'emit', why, injectSchemaDoc: spec.hasData, dropped: [] };
  }
}

function choose(
  spec: TransportSpec,
  native: Finding,
  exit: Finding,
  enforces: Finding,
): { readonly name: TransportName; readonly why: readonly string[] } {
  const choice = spec.choice ?? 'auto';
  if (spec.forceTool === true) {
    if (choice === 'emit' || choice === 'native') {
      throw refusal(
        `forceTool asks for a tool call in every turn, which "${choice}" contradicts: its answer is the message. Choose "respond".`,
      );
    }
    if (!exit.holds) throw refusal(`forceTool cannot be met: ${exit.because}`);
    return { name: 'respond', why: ['forceTool: every turn must be a tool call, so the exit tool is the only way out.'] };
  }
  if (choice === 'native' && !native.holds) throw refusal(`The transport "native" cannot be used: ${native.because}`);
  if (choice === 'respond' && !exit.holds) throw refusal(`The transport "respond" cannot be used: ${exit.because}`);
  if (choice === 'native') return { name: choice, why: ['The caller chose native.', native.because] };
  if (choice === 'respond') return { name: choice, why: ['The caller chose respond.', enforces.because] };
  if (choice === 'emit') return { name: choice, why: ['The caller chose emit.'] };
  if (!spec.hasData) {
    const words = 'Native is not weighed: the contract is words only.';
    return { name: enforces.holds ? 'respond' : 'emit', why: [words, enforces.because] };
  }
  if (native.holds) return { name: 'native', why: [native.because] };
  const why = [`Not native: ${native.because}`, enforces.holds ? enforces.because : `Not respond: ${enforces.because}`];
  return enforces.holds ? { name: 'respond', why } : { name: 'emit', why: [...why, 'Emit: every model can answer in its message.'] };
}

function refusal(reason: string): Error {
  return configurationError('E_UNSUPPORTED_TRANSPORT', reason);
}

function schemaFits(schema: JsonSchema): Finding {
  const { chars, recursive, dangling, tooDeep } = measureSchema(schema);
  if (tooDeep) return { holds: false, because: 'the schema is nested too deeply, or too large, to be looked into.' };
  if (dangling) return { holds: false, because: 'a $ref of the schema leads nowhere, or out of the document.' };
  if (recursive) return { holds: false, because: 'the schema is recursive: a $ref leads back to what contains it.' };
  if (chars > longestSentSchemaChars) {
    return { holds: false, because: `the schema has ${chars} characters, over the ${longestSentSchemaChars} that are sent.` };
  }
  return { holds: true, because: `the schema has ${chars} characters and is not recursive.` };
}

function findNative(spec: TransportSpec, capabilities: Capabilities, size: Finding, fitted: FittedSchema): Finding {
  const { nativeJsonSchema, toolsWithStructuredOutput } = capabilities;
  if (nativeJsonSchema !== 'yes')
    return { holds: false, because: `the model has no usable native grammar (nativeJsonSchema: ${nativeJsonSchema}).` };
  if (!size.holds) return { holds: false, because: `the native grammar cannot take it, because ${size.because}` };
  if (spec.hasTools && toolsWithStructuredOutput !== 'yes') {
    const because = `tools and a native response format cannot be combined in one request (toolsWithStructuredOutput: ${toolsWithStructuredOutput}).`;
    return { holds: false, because };
  }
  if (!fitted.viable) return { holds: false, because: `the native grammar cannot take it: ${fitted.why.at(-1) ?? 'it does not fit.'}` };
  return { holds: true, because: 'Native: the provider’s grammar can take the schema, and steers every token by it.' };
}

function findExit(capabilities: Capabilities): Finding {
  const { nativeTools } = capabilities;
  if (nativeTools === 'yes') return { holds: true, because: 'the endpoint takes tools.' };
  return {
    holds: false,
    because: `the endpoint ${nativeTools === 'no' ? 'takes no' : 'is not known to take'} tools (nativeTools: ${nativeTools}).`,
  };
}

function findEnforcement(spec: TransportSpec, capabilities: Capabilities, exit: Finding, size: Finding): Finding {
  if (!exit.holds) return exit;
  if (mayHold(capabilities.validatesToolArgs)) {
    return {
      holds: false,
      because: `the endpoint may refuse a whole turn over its arguments, so the parameters must be permissive (validatesToolArgs: ${capabilities.validatesToolArgs}).`,
    };
  }
  if (mayHold(capabilities.manglesNestedToolArgs)) {
    const because = `the model may corrupt nested arguments (manglesNestedToolArgs: ${capabilities.manglesNestedToolArgs}).`;
    return { holds: false, because };
  }
  if (spec.hasData && !size.holds)
    return { holds: false, because: `the exit tool’s parameters cannot state the contract, because ${size.because}` };
  return { holds: true, because: 'Respond: the exit tool’s parameters state the whole contract.' };
}

function mayHold(fact: Fact): boolean {
  return fact !== 'no';
}

function respond(spec: TransportSpec, capabilities: Capabilities, size: Finding, reasons: readonly string[]): ResolvedTransport {
  const { detail, parameters, envelope, because } = exitParameters(spec, capabilities, size);
  const respondTool: ToolDescriptor = { name: RESPOND_TOOL_NAME, description: exitToolDescription(), jsonSchema: parameters };
  return {
    transport: 'respond',
    why: [...reasons, because],
    respondTool,
    respondDetail: detail,
    outputTool: RESPOND_TOOL_NAME,
    ...(spec.forceTool === true ? { toolChoice: 'required' } : {}),
    injectSchemaDoc: spec.hasData && detail !== 'full',
    envelope,
    dropped: [],
  };
}

interface ExitParameters {
  readonly detail: NonNullable<ResolvedTransport['respondDetail']>;
  readonly parameters: JsonSchema;
  readonly envelope: FittedSchema['undo'];
  readonly because: string;
}

function exitParameters(spec: TransportSpec, capabilities: Capabilities, size: Finding): ExitParameters {
  const whole = fitSchema(spec.jsonSchema, 'open');
  const envelope = whole.undo;
  if (mayHold(capabilities.validatesToolArgs)) {
    const because = 'The exit tool’s parameters are permissive: fields without schemas, none required.';
    return { detail: 'permissive', parameters: permissiveParameters(spec, envelope.rootKey), envelope, because };
  }
  const full = size.holds ? sendable(whole.schema) : undefined;
  if (full !== undefined) return { detail: 'full', parameters: full, envelope, because: 'The exit tool’s parameters are the full schema.' };
  const loose = spec.looseJsonSchema === undefined ? undefined : sendable(fitSchema(spec.looseJsonSchema, 'open').schema);
  const parameters = loose ?? topLevel(whole.schema);
  return { detail: 'loose', parameters, envelope, because: 'The exit tool’s parameters state the contract’s top level only.' };
}

/** A schema as tool parameters: references replaced by what they mean, because many endpoints read none there. */
function sendable(schema: JsonSchema): JsonSchema | undefined {
  const { recursive, dangling, tooDeep } = measureSchema(schema);
  if (recursive || dangling || tooDeep) return undefined;
  const inlined = inlineReferences(schema, longestSentSchemaChars);
  return inlined !== undefined && JSON.stringify(inlined).length <= longestSentSchemaChars ? inlined : undefined;
}

function permissiveParameters(spec: TransportSpec, rootKey: string | undefined): JsonSchema {
  const contract = rootKey === undefined ? Object.keys(propertiesOf(rootOf(spec.jsonSchema))) : [rootKey];
  const named = rootKey === undefined ? (spec.permissiveFields ?? contract).filter((field) => contract.includes(field)) : contract;
  return { type: 'object', properties: Object.fromEntries(named.map((field) => [field, {}])) };
}

/** The object's keys with their types and words; what is inside them rides the prompt. */
function topLevel(schema: JsonSchema): JsonSchema {
  const root = rootOf(schema);
  const properties = Object.entries(propertiesOf(root)).map(([key, property]) => {
    const resolved = isJsonObject(property) ? (resolveReference(schema, property, '')?.schema ?? {}) : {};
    const types = namedTypes(resolved);
    const description = typeof resolved.description === 'string' ? { description: resolved.description.slice(0, 500) } : {};
    return [key, { ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }), ...description }] as const;
  });
  const required = Array.isArray(root.required) ? { required: root.required } : {};
  return { type: 'object', properties: Object.fromEntries(properties), ...required };
}

function rootOf(schema: JsonSchema): JsonSchema {
  return resolveReference(schema, schema, '')?.schema ?? schema;
}

function propertiesOf(schema: JsonSchema): { readonly [key: string]: unknown } {
  return isJsonObject(schema.properties) ? schema.properties : {};
}

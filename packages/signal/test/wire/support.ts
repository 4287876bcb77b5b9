import type { AcceptPolicy, Failure, JsonSchema, ProviderFault, Rejection, ToolDescriptor } from '@vouch/contracts';
import { ajvGate } from '../../src/wire/json/test-support/ajv-gate.ts';
import { type RouteContract, type Routed, routeRejection, routeResponse, type WireResponse } from '../../src/wire/router.ts';
import { failedGeneration } from '../../src/wire/strategies/failed-generation.ts';

/** A closed object; a key that ends in `?` is optional. */
export function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { ...open(properties), additionalProperties: false };
}

/** An object that takes other keys too; a key that ends in `?` is optional. */
export function open(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace(/\?$/, ''), schema])),
    required: entries.map(([key]) => key).filter((key) => !key.endsWith('?')),
  };
}

export const text: JsonSchema = { type: 'string' };
export const integer: JsonSchema = { type: 'integer' };
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** A tool with its own gate. */
export function toolOf(name: string, jsonSchema: JsonSchema): ToolDescriptor {
  return { name, description: '', jsonSchema, validate: ajvGate(jsonSchema).validate };
}

/** The tool of the pathologies. */
export const findBerth: ToolDescriptor = toolOf('find_berth', closed({ pier: integer, 'note?': text }));

/** A contract; ids count up from `new_1`. */
export function contractOf(schema: JsonSchema | undefined, more: Partial<RouteContract> = {}): RouteContract {
  let ids = 0;
  const newCallId = (): string => {
    ids += 1;
    return `new_${ids}`;
  };
  return { declared: [], newCallId, ...(schema === undefined ? {} : { gate: ajvGate(schema) }), ...more };
}

/** Routes content that came whole. */
export function routeContent(
  content: string,
  schema: JsonSchema | undefined,
  response: Partial<WireResponse> = {},
  more: Partial<RouteContract> = {},
): Routed {
  return routeResponse({ content, calls: [], finish: 'stop', terminated: true, ...response }, contractOf(schema, more));
}

/** Routes structured calls, given as name and arguments. */
export function routeCalls(
  calls: readonly (readonly [name: string, argsText: string])[],
  contract: RouteContract,
  response: Partial<WireResponse> = {},
): Routed {
  const wireCalls = calls.map(([name, argsText], index) => ({ id: `c${index + 1}`, name, argsText }));
  return routeResponse({ content: '', calls: wireCalls, finish: 'tool_calls', terminated: true, ...response }, contract);
}

/** The body of a 400 that carries a generation; without one, the key is absent. */
export function rejectionBody(
  generation: string | undefined,
  more: Readonly<Record<string, string>> = {},
): { error: Record<string, string> } {
  const error = { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed', ...more };
  return { error: generation === undefined ? error : { ...error, failed_generation: generation } };
}

const fault: ProviderFault = { cause: 'invalid_request', retryable: false, message: '', status: 400 };

/** What the strategy recovers from a body, if it claims it. */
export function recover(body: unknown): Rejection | undefined {
  return failedGeneration.recover({ fault, payload: JSON.parse(JSON.stringify(body)) });
}

/** Routes a 400 body as the step does. */
export function routeBody(body: unknown, contract: RouteContract): Routed {
  const rejection = recover(body);
  if (rejection === undefined) throw new Error('the strategy does not claim the body');
  return routeRejection({ ...rejection, strategy: failedGeneration.id }, contract);
}

/** An outcome in short, so that tables can say it. */
export type Short =
  | { readonly value: unknown }
  | { readonly calls: readonly (readonly [name: string, args: unknown])[] }
  | { readonly fails: string };

/** What a response turned out to be: the value, the calls or the reason. */
export function short({ outcome }: Routed): Short {
  switch (outcome.kind) {
    case 'output':
      return { value: outcome.value };
    case 'tool_calls':
      return { calls: outcome.calls.map(({ name, args }) => [name, args]) };
    default:
      return { fails: outcome.failure.reason };
  }
}

/** The failure of a routed response; throws on any other outcome. */
export function failureOf({ outcome }: Routed): Failure {
  if (outcome.kind !== 'failed') throw new Error(`no failure but ${JSON.stringify(outcome).slice(0, 400)}`);
  return outcome.failure;
}

export const accepts: readonly AcceptPolicy[] = ['exact', 'repaired', 'lossy'];

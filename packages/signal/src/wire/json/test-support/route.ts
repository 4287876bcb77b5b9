import type { AcceptPolicy, Failure, JsonSchema, ResponseWireStrategy, ToolDescriptor } from '@vouch/contracts';
import { type RouteContract, type Routed, routeResponse, type WireCall, type WireResponse } from '../../router.ts';
import { ajvGate } from './ajv-gate.ts';

/** A tool whose arguments Ajv checks. */
export function tool(name: string, jsonSchema: JsonSchema): ToolDescriptor {
  return { name, description: '', jsonSchema, validate: ajvGate(jsonSchema).validate };
}

/** A contract for a schema, with ids that count up. */
export function contractOf(schema: JsonSchema | undefined, more: Partial<RouteContract> = {}): RouteContract {
  let ids = 0;
  return {
    declared: [],
    newCallId: () => {
      ids += 1;
      return `new_${ids}`;
    },
    ...(schema === undefined ? {} : { gate: ajvGate(schema) }),
    ...more,
  };
}

/** A whole response of content. */
export function contentResponse(content: string, more: Partial<WireResponse> = {}): WireResponse {
  return { content, calls: [], finish: 'stop', terminated: true, ...more };
}

/** A whole response of calls. */
export function callResponse(calls: readonly Partial<WireCall>[], more: Partial<WireResponse> = {}): WireResponse {
  return {
    content: '',
    calls: calls.map((call, index) => ({ id: `c${index}`, name: 'respond', argsText: '', ...call })),
    finish: 'tool_calls',
    terminated: true,
    ...more,
  };
}

/** Routes content against a schema. */
export function routeContent(
  content: string,
  schema: JsonSchema,
  more: Partial<WireResponse> & { readonly accept?: AcceptPolicy; readonly strategies?: readonly ResponseWireStrategy[] } = {},
): Routed {
  const { accept, strategies, ...response } = more;
  const contract = contractOf(schema, { ...(accept === undefined ? {} : { accept }), ...(strategies === undefined ? {} : { strategies }) });
  return routeResponse(contentResponse(content, response), contract);
}

/** The value of an output; fails the test else. */
export function outputOf({ outcome }: Routed): unknown {
  if (outcome.kind !== 'output') throw new Error(`not an output but ${JSON.stringify(outcome).slice(0, 400)}`);
  return outcome.value;
}

/** The failure; fails the test else. */
export function failureOf({ outcome }: Routed): Failure {
  if (outcome.kind !== 'failed') throw new Error(`not a failure but ${JSON.stringify(outcome).slice(0, 400)}`);
  return outcome.failure;
}

/** The calls as name and arguments; fails the test else. */
export function callsOf({ outcome }: Routed): readonly { readonly name: string; readonly args: unknown }[] {
  if (outcome.kind !== 'tool_calls') throw new Error(`not tool calls but ${JSON.stringify(outcome).slice(0, 400)}`);
  return outcome.calls.map(({ name, args }) => ({ name, args }));
}

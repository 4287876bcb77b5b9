import type { Gate, JsonSchema, JsonValue, ToolDescriptor } from '@vouch/contracts';
import { type RouteContract, type Routed, routeRejection, routeResponse } from './router.ts';
import { failedGeneration } from './strategies/failed-generation.ts';

/** One line of the conformance corpus, as far as routing needs it. */
export interface CorpusCase {
  readonly id: string;
  readonly raw: string | readonly string[];
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'unknown';
  /** Absent = content; `tool_args`, `tool_args:NAME` = arguments of a structured call; `error_body` = the body of a 400. */
  readonly channel?: string;
  readonly schema: JsonSchema;
  readonly tools?: readonly { readonly name: string; readonly parameters: JsonSchema }[];
  readonly exitTool?: string;
}

/** An outcome in the corpus's words. */
export type CorpusOutcome =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'failure'; readonly reason: string }
  | { readonly kind: 'tool_calls'; readonly calls: readonly { readonly name: string; readonly arguments: unknown }[] };

/** Routes one case of the corpus (SG-066). `toGate` makes a validator of a JSON Schema. */
export function routeCorpusCase(line: CorpusCase, toGate: (schema: JsonSchema) => Gate): CorpusOutcome {
  const text = typeof line.raw === 'string' ? line.raw : line.raw.join('');
  const channel = line.channel ?? 'content';
  const exitTool = line.exitTool ?? (channel === 'tool_args' ? 'respond' : undefined);
  const declared: ToolDescriptor[] = (line.tools ?? []).map(({ name, parameters }) => ({
    name,
    description: '',
    jsonSchema: parameters,
    validate: toGate(parameters).validate,
  }));
  let calls = 0;
  const contract: RouteContract = {
    gate: toGate(line.schema),
    declared,
    ...(exitTool === undefined ? {} : { exitTool }),
    newCallId: () => {
      calls += 1;
      return `call_${calls}`;
    },
  };
  if (channel === 'error_body') return rejectionOutcome(text, contract);
  const name = channel.startsWith('tool_args:') ? channel.slice('tool_args:'.length) : exitTool;
  const structured = channel === 'content' || name === undefined ? [] : [{ id: 'call_0', name, argsText: text }];
  const content = structured.length === 0 ? text : '';
  return outcomeOf(routeResponse({ content, calls: structured, finish: line.finish, terminated: true }, contract));
}

function rejectionOutcome(text: string, contract: RouteContract): CorpusOutcome {
  let payload: JsonValue | undefined;
  try {
    payload = JSON.parse(text) as JsonValue;
  } catch {
    return { kind: 'failure', reason: 'provider_error' };
  }
  const fault = { cause: 'invalid_request' as const, retryable: false, message: '', status: 400 };
  const rejection = failedGeneration.recover({ fault, payload });
  if (rejection === undefined) return { kind: 'failure', reason: 'provider_error' };
  return outcomeOf(routeRejection({ ...rejection, strategy: failedGeneration.id }, contract));
}

function outcomeOf({ outcome }: Routed): CorpusOutcome {
  switch (outcome.kind) {
    case 'output':
      return { kind: 'value', value: outcome.value };
    case 'tool_calls': {
      // Arguments that do not parse reach the tool as their text, and its schema refuses them: no call that could run.
      if (outcome.calls.some((call) => call.args === call.argsText)) return { kind: 'failure', reason: 'invalid_json' };
      return { kind: 'tool_calls', calls: outcome.calls.map(({ name, args }) => ({ name, arguments: args })) };
    }
    default:
      return { kind: 'failure', reason: outcome.failure.reason };
  }
}

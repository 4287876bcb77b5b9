import type { JsonObject } from '../basics/json.ts';

/** The facts in which endpoints of one wire differ; data from a provider row that reaches the adapter as it is (SG-002). */
export interface EndpointDialect {
  /** Name of the field that bounds the output. */
  readonly outputLimitField: 'max_completion_tokens' | 'max_tokens';
  /** Role under which system text is sent. */
  readonly systemRole: 'system' | 'developer';
  /** `nine-alphanumeric`: foreign call ids are mapped, the same way in call and result, to `^[a-zA-Z0-9]{9}$`. */
  readonly toolCallIds: 'verbatim' | 'nine-alphanumeric';
  /** Which tool choices the endpoint takes, and its word for `required`; what it does not take is left out of the request. */
  readonly toolChoice: { readonly required: 'required' | 'any' | 'unsupported'; readonly named: boolean; readonly none: boolean };
  /** Name of the seed field; absent where there is none. */
  readonly seedField?: 'seed' | 'random_seed';
  /** How a JSON Schema response format is spelled. `unsupported`: none is sent. */
  readonly schemaFormat: 'json_schema' | 'json_object_with_schema' | 'unsupported';
  /** The endpoint takes `response_format: { type: 'json_object' }`. */
  readonly jsonObjectFormat: boolean;
  /** The schema subset that `json_schema` is fitted to. */
  readonly schemaSubset: 'openai-strict' | 'open';
  /** The endpoint takes `stream_options: { include_usage: true }`. */
  readonly streamUsageOption: boolean;
  /** The endpoint takes `parallel_tool_calls`. */
  readonly parallelToolCallsField: boolean;
  /** Field in which reasoning goes back on an assistant message; absent = it never does. */
  readonly reasoningReplayField?: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /** When it goes back: always, or only on messages since the first tool call of a turn. */
  readonly reasoningReplay: 'never' | 'after-tool-calls' | 'always';
  /** How an effort is asked for. `none`: the endpoint has no such field. */
  readonly effortField: 'reasoning_effort' | 'reasoning.effort' | 'none';
  /** Body fields added when an effort is asked for, such as `{ "reasoning_format": "parsed" }`. */
  readonly reasoningRequest?: JsonObject;
  /** The endpoint repeats a reasoning delta; equal neighbours are one. */
  readonly repeatsReasoningDeltas: boolean;
  /** How the key travels. */
  readonly auth: 'bearer' | 'api-key-header' | 'none';
  /** Path after the base URL. */
  readonly path: string;
  /** Query added to every request, such as an api-version. */
  readonly query?: { readonly [name: string]: string };
  /** Headers added to every request. */
  readonly headers?: { readonly [name: string]: string };
  /** Body fields added to every request. */
  readonly body?: JsonObject;
}

import { isJsonObject, type JsonObject, type JsonValue, type Usage } from '@vouch/contracts';

const count = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const child = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isJsonObject(value) ? (value as JsonObject) : {};
};

/** A usage object, read; undefined unless it says both sides, directly or through the total (SG-036: what nobody said is not reported). */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const said = value as JsonObject;
  const total = count(said.total_tokens);
  const input = count(said.prompt_tokens) ?? count(said.input_tokens);
  const output =
    count(said.completion_tokens) ??
    count(said.output_tokens) ??
    (total !== undefined && input !== undefined && total >= input ? total - input : undefined);
  if (input === undefined || output === undefined) return undefined;
  const cached =
    count(child(said, 'prompt_tokens_details').cached_tokens) ??
    count(child(said, 'input_tokens_details').cached_tokens) ??
    count(said.prompt_cache_hit_tokens) ??
    count(said.cached_tokens);
  const reasoning =
    count(child(said, 'completion_tokens_details').reasoning_tokens) ??
    count(child(said, 'output_tokens_details').reasoning_tokens) ??
    count(said.reasoning_tokens);
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: total ?? input + output,
    reported: true,
    ...(cached === undefined ? {} : { cached }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

const noFrames: readonly JsonObject[] = [];

/** The vendors' own frames of an event: objects under a key such as `x_vendor`. */
export function vendorFrames(event: JsonObject): readonly JsonObject[] {
  let frames: JsonObject[] | undefined;
  // Asked of every event, and hardly any has one: nothing is made until one is found.
  for (const key in event) {
    if (!key.startsWith('x_')) continue;
    const value = event[key];
    if (!isJsonObject(value)) continue;
    frames ??= [];
    frames.push(value as JsonObject);
  }
  return frames ?? noFrames;
}

/** The usage of an event: the last that is said of the top-level field, a vendor's frame and the choice's own field. */
export function usageOf(event: JsonObject): Usage | undefined {
  const choices = event.choices;
  const first = Array.isArray(choices) ? (choices[0] as JsonValue | undefined) : undefined;
  const inChoice = isJsonObject(first) ? readUsage((first as JsonObject).usage) : undefined;
  if (inChoice !== undefined) return inChoice;
  for (const frame of vendorFrames(event)) {
    const inFrame = readUsage(frame.usage);
    if (inFrame !== undefined) return inFrame;
  }
  return readUsage(event.usage);
}

import { type ErrorWireStrategy, type Issue, isJsonObject, type JsonObject, type JsonValue, type Rejection } from '@vouch/contracts';
import { callsOf, openCallOf, plainToolName } from '../dialects/call-shape.ts';
import { textCallsAt } from '../dialects/text-calls.ts';
import { decodeRelaxed } from '../json/relaxed-json.ts';
import { isBlank, skipSpace } from '../scan.ts';

const codes: ReadonlySet<string> = new Set(['tool_use_failed', 'json_validate_failed']);

/** The objects in which an error can stand: the body, its `error`, and the error inside that, raw text included. */
function errorObjects(payload: JsonValue | undefined): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const queue: (JsonValue | undefined)[] = [payload];
  for (let index = 0; index < queue.length && index < 12; index += 1) {
    const here = queue[index];
    const item = Array.isArray(here) ? here[0] : here;
    if (!isJsonObject(item)) continue;
    found.push(item);
    const { metadata } = item;
    queue.push(item.error, item.body, parsed(isJsonObject(metadata) ? metadata.raw : undefined), parsed(item.error));
  }
  return found;
}

function parsed(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value.slice(0, 64))) return undefined;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * A server that checks a model's answer itself refuses it with a 400 whose body carries the attempt in `failed_generation` (SG-067). Reads it at
 * every depth at which clients find it, and where it is absent, what the message says of the attempt.
 */
export const failedGeneration: ErrorWireStrategy = {
  id: 'failed-generation',
  hook: 'error',
  recover({ payload }) {
    const errors = errorObjects(payload);
    const holder =
      errors.find((error) => Object.hasOwn(error, 'failed_generation')) ?? errors.find((error) => codes.has(String(error.code)));
    if (holder === undefined) return undefined;
    const generation = holder.failed_generation;
    const text =
      typeof generation === 'string' ? generation : generation === undefined || generation === null ? '' : JSON.stringify(generation);
    if (isBlank(text, 0, text.length)) return fromMessage(errors, generation === undefined || generation === null);
    // A refused response format carries the output itself, whatever its shape; only a refused call names a tool.
    return String(holder.code) === 'json_validate_failed' ? { argsText: text, truncated: isCut(text) } : fromGeneration(text);
  },
};

function isCut(text: string): boolean {
  const start = skipSpace(text, 0, text.length);
  const decoded = decodeRelaxed(text, start, text.length);
  return decoded.kind === 'open' && text.charCodeAt(start) !== 0x22;
}

/** One call gives its name and arguments; anything else goes to the router as it is. */
function fromGeneration(text: string): Rejection {
  const start = skipSpace(text, 0, text.length);
  const calls = textCallsAt(text, start, text.length, { isDeclared: () => true, maxDepth: 512 });
  if (calls?.kind === 'cut') {
    return { argsText: text, truncated: true, ...(calls.name === undefined || calls.items.length > 0 ? {} : { name: calls.name }) };
  }
  if (calls !== undefined) return { argsText: text, truncated: false };
  const decoded = decodeRelaxed(text, start, text.length);
  if (decoded.kind === 'open') {
    const call = openCallOf(decoded.salvaged);
    return { argsText: text, truncated: true, ...(call === undefined ? {} : { name: plainToolName(call.name) }) };
  }
  if (decoded.kind !== 'value' || !isBlank(text, decoded.end, text.length)) return { argsText: text, truncated: false };
  const [call, other] = callsOf(decoded.value) ?? [];
  if (call === undefined || other !== undefined) return { argsText: text, truncated: false };
  const argsText = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
  // A text that JSON cannot say again exactly stays as it was written.
  return decoded.findings.length > 0
    ? { argsText: text, truncated: false }
    : { name: plainToolName(call.name), argsText, truncated: false };
}

const namedTool = /(?:attempted to call tool|parameters for tool)\s{1,4}['"`]?([\w.:<|>-]{1,64}?)['"`]?\s/;
const schemaError = /[`'"](\/[^`'"]{0,200}|)[`'"]:\s{0,4}([^`\]]{1,200}?)(?=,\s{0,4}[`'"]\/|[\]}]|$)/g;

function fromMessage(errors: readonly JsonObject[], absent: boolean): Rejection {
  const message = errors.map((error) => error.message).find((text) => typeof text === 'string' && text !== '');
  const text = typeof message === 'string' ? message.slice(0, 4_000) : '';
  const name = namedTool.exec(`${text} `)?.[1];
  const issues: Issue[] = [];
  for (const match of text.matchAll(schemaError)) {
    const said = match[2]?.trim() ?? '';
    const sides = /expected\s+(.{1,80}?),?\s+but got\s+(.{1,80})$/.exec(said);
    issues.push({ path: match[1] ?? '', code: 'provider', expected: sides?.[1] ?? said, received: sides?.[2] ?? 'not said' });
    if (issues.length >= 32) break;
  }
  return {
    argsText: '',
    truncated: false,
    ...(name === undefined ? {} : { name: plainToolName(name) }),
    ...(issues.length === 0 ? {} : { issues }),
    ...(absent ? { absent: true as const } : {}),
  };
}

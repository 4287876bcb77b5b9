import { isJsonObject } from '@vouch/contracts';
import type { CorpusCase } from '@vouch/signal/repair';

/** One line of a cases file, or what is wrong with it. */
export type ParsedLine = { readonly ok: true; readonly value: CorpusCase } | { readonly ok: false; readonly message: string };

const finishes = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'error', 'unknown']);

/** Reads one case. `raw` may be a list of chunks, whose concatenation is the text. What the case expects is left out: the router never sees it. */
export function parseCorpusLine(line: string): ParsedLine {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return { ok: false, message: 'it is not JSON' };
  }
  if (!isJsonObject(parsed)) return { ok: false, message: 'it is not a JSON object' };
  const wrong = firstFault(parsed);
  if (wrong !== undefined) return { ok: false, message: wrong };
  const { id, raw, finish, schema, channel, tools, exitTool } = parsed;
  const text = Array.isArray(raw) ? raw.join('') : raw;
  const value = {
    id,
    raw: text,
    finish: finish ?? 'unknown',
    schema,
    ...(channel === undefined ? {} : { channel }),
    ...(tools === undefined ? {} : { tools }),
    ...(exitTool === undefined ? {} : { exitTool }),
  };
  return { ok: true, value: value as unknown as CorpusCase };
}

function firstFault(parsed: { readonly [key: string]: unknown }): string | undefined {
  const { id, raw, finish, schema, channel, tools, exitTool } = parsed;
  if (typeof id !== 'string') return '`id` must be a string';
  if (typeof raw !== 'string' && !(Array.isArray(raw) && raw.every((chunk) => typeof chunk === 'string'))) {
    return '`raw` must be a string or a list of strings';
  }
  if (finish !== undefined && !(typeof finish === 'string' && finishes.has(finish)))
    return `\`finish\` must be one of ${[...finishes].join(', ')}`;
  if (!isJsonObject(schema)) return '`schema` must be a JSON Schema object';
  if (channel !== undefined && typeof channel !== 'string') return '`channel` must be a string';
  if (exitTool !== undefined && typeof exitTool !== 'string') return '`exitTool` must be a string';
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isTool))) {
    return '`tools` must be a list of objects with a `name` and `parameters`, a JSON Schema object';
  }
  return undefined;
}

const isTool = (tool: unknown): boolean => isJsonObject(tool) && typeof tool.name === 'string' && isJsonObject(tool.parameters);

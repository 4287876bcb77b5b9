import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { forcedTool, type LabChatRequest, type LabTool } from '../chat-request.ts';

/** The name by which a declared tool is taken for the one that carries the answer. */
const exitToolName = 'respond';
const schemaMark = 'OUTPUT SCHEMA';

/** Where the reader found the schema it must fill. */
export interface Ask {
  readonly schema: JsonObject;
  readonly title: string;
  /** The tool that carries the answer; absent: the text does. */
  readonly tool?: string;
}

/** The schema that the request asks for: of its response format, else of its exit tool, else in the prompt. */
export function askedSchema(request: LabChatRequest): Ask | undefined {
  const exit = exitTool(request);
  if (exit !== undefined && forcedTool(request) === exit.name) return { schema: exit.parameters ?? {}, title: '', tool: exit.name };
  if (request.format.type === 'json_schema') return { schema: request.format.schema, title: request.format.name };
  if (exit !== undefined && request.toolChoice !== 'none') return { schema: exit.parameters ?? {}, title: '', tool: exit.name };
  const written = schemaInPrompt(request);
  return written === undefined ? undefined : { schema: written, title: '' };
}

function exitTool(request: LabChatRequest): LabTool | undefined {
  const forced = forcedTool(request);
  return request.tools.find((tool) => tool.name === (forced ?? exitToolName));
}

/** Tools that do something else than carry the answer. */
export function otherTools(request: LabChatRequest): readonly LabTool[] {
  return request.tools.filter((tool) => tool.name !== exitToolName);
}

/** The JSON object after the last line that names an output schema and has one below it: of the instructions, else of what the user wrote, which may quote anything. */
function schemaInPrompt(request: LabChatRequest): JsonObject | undefined {
  const latestFirst = [...request.messages].reverse();
  const ofUser = latestFirst.filter((message) => message.role === 'user');
  const instructions = latestFirst.filter(({ role }) => role !== 'assistant' && role !== 'tool' && role !== 'user');
  for (const message of [...instructions, ...ofUser]) {
    // A later line may name the schema without repeating it.
    const sections = message.text.split(schemaMark).slice(1).reverse();
    const lines = sections.flatMap((section) => section.split('\n'));
    const schema = lines.map((line) => parseObject(line.slice(Math.max(0, line.indexOf('{'))))).find((value) => value !== undefined);
    if (schema !== undefined) return schema;
  }
  return undefined;
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Texts to read, the likeliest first: the last user message with the tool results after it, then earlier user messages. */
export function documentsOf(request: LabChatRequest): readonly string[] {
  const documents: string[] = [];
  let results: string[] = [];
  for (const message of [...request.messages].reverse()) {
    if (message.role === 'tool') results = [plainResult(message.text), ...results];
    if (message.role !== 'user') continue;
    documents.push([withoutSchema(message.text), ...results].join('\n\n'));
    results = [];
  }
  return documents;
}

/** The last user message came after the last tool result: a tool may still be called for it. */
export function awaitsTool(request: LabChatRequest): boolean {
  return request.messages.at(-1)?.role !== 'tool';
}

function withoutSchema(text: string): string {
  const lines = text.split('\n');
  return lines
    .filter((line, index) => !line.includes(schemaMark) && !(lines[index - 1]?.includes(schemaMark) && line.trimStart().startsWith('{')))
    .join('\n');
}

const mostResultLines = 2_000;

/** A tool's JSON as `label: value` lines, nested keys joined by spaces; other text as it is. */
function plainResult(text: string): string {
  const value = parseJson(text);
  if (!isJsonObject(value) && !Array.isArray(value)) return text;
  const lines: string[] = [];
  const open: { readonly label: string; readonly value: JsonValue }[] = [{ label: '', value }];
  for (let here = open.pop(); here !== undefined && lines.length < mostResultLines; here = open.pop()) {
    const { label } = here;
    if (isJsonObject(here.value)) {
      const members = Object.entries(here.value).map(([key, member]) => ({ label: `${label} ${key}`.trim(), value: member }));
      open.push(...members.reverse());
    } else if (Array.isArray(here.value)) open.push(...here.value.map((member: JsonValue) => ({ label, value: member })).reverse());
    else if (here.value !== null) lines.push(`${label}: ${String(here.value)}`);
  }
  return lines.join('\n');
}

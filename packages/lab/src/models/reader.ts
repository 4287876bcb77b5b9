import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { LabContent } from '../answer.ts';
import { forcedTool, type LabChatRequest } from '../chat-request.ts';
import { conforms } from '../conforms.ts';
import { type Ask, askedSchema, awaitsTool, documentsOf, otherTools } from '../reader/ask.ts';
import { type Fact, readDocument, type Section } from '../reader/document.ts';
import { fillSchema } from '../reader/fill.ts';
import type { LabModel } from './scripted.ts';

/** What the reader is, for whoever sees its answers. */
export const readerDescription: string = [
  'lab-reader is not a language model. It is a fixed set of rules that copies labelled values out of a text:',
  'lines such as "Label: value", tables, lists, log lines and sections, in English and German.',
  'It matches labels to the names, titles and descriptions of a JSON Schema by their words, reads numbers, dates and choices,',
  'and leaves out, or sets to null where the schema allows it, whatever the text does not hold. It understands nothing and invents nothing.',
].join(' ');

/**
 * The default model: fills the schema of the request from the labelled text of its last user message (SG-100). Deterministic; the same request gives
 * the same answer. The schema is taken from the response format, else from the exit tool (forced by name, or called `respond`), else from a line
 * `OUTPUT SCHEMA` of the prompt that is followed by the schema as one line of JSON. When that message holds nothing, earlier user messages are read.
 * Reads at most 400 000 characters of a document and 600 labelled facts for one object.
 */
export function reader(): LabModel {
  return Object.assign((request: LabChatRequest) => read(request), { modelId: 'lab-reader', fingerprint: 'not-a-language-model' });
}

function read(request: LabChatRequest): LabContent {
  const documents = documentsOf(request).map(readDocument);
  const ask = askedSchema(request);
  const filled = ask === undefined ? undefined : fillFrom(ask, documents);
  const mustCall = request.toolChoice === 'required' || forcedTool(request) !== undefined;
  const isAnswer = ask?.tool !== undefined && (forcedTool(request) === ask.tool || conforms(ask.schema, filled));
  if (mustCall && !isAnswer && awaitsTool(request)) {
    const call = callOf(request, documents);
    if (call !== undefined) return { toolCalls: [call] };
  }
  if (ask !== undefined) {
    const text = JSON.stringify(filled ?? {});
    return ask.tool === undefined ? { text } : { toolCalls: [{ name: ask.tool, arguments: text }] };
  }
  const facts = documents.flatMap(allFacts);
  return { text: request.format.type === 'json_object' ? JSON.stringify(factsObject(facts)) : sentence(facts) };
}

/** The fill of the first document that holds something of the schema. */
function fillFrom(ask: Ask, documents: readonly Section[]): JsonValue | undefined {
  let empty: JsonValue | undefined;
  for (const document of documents) {
    const value = fillSchema(ask.schema, document, ask.title);
    if (value !== undefined && holdsSomething(value)) return value;
    empty ??= value;
  }
  return empty;
}

function holdsSomething(value: JsonValue): boolean {
  if (isJsonObject(value)) return Object.values(value).some((member) => member !== null);
  return value !== null;
}

/** A call to the tool whose arguments the text fills best; one whose arguments do not conform only when no other does. */
function callOf(request: LabChatRequest, documents: readonly Section[]): { readonly name: string; readonly arguments: string } | undefined {
  let best: { readonly name: string; readonly arguments: string; readonly score: number } | undefined;
  for (const tool of otherTools(request)) {
    const schema = tool.parameters ?? { type: 'object' };
    const value = fillFrom({ schema, title: tool.name }, documents) ?? {};
    const members = isJsonObject(value) ? Object.values(value).filter((member) => member !== null).length : 0;
    const score = members + (conforms(schema, value) ? 1_000 : 0);
    if (best === undefined || score > best.score) best = { name: tool.name, arguments: JSON.stringify(value), score };
  }
  return best === undefined ? undefined : { name: best.name, arguments: best.arguments };
}

function allFacts(section: Section): readonly Fact[] {
  const facts: Fact[] = [];
  const open = [section];
  for (let here = open.shift(); here !== undefined; here = open.shift()) {
    facts.push(...here.facts.filter((fact) => !fact.soft));
    open.push(...here.sections);
  }
  return facts;
}

function factsObject(facts: readonly Fact[]): Readonly<Record<string, string>> {
  return Object.fromEntries(facts.map((fact) => [fact.label, fact.value]));
}

const mostNamedFacts = 3;

function sentence(facts: readonly Fact[]): string {
  const named = facts.slice(0, mostNamedFacts).map((fact) => `${fact.label}: ${fact.value}`);
  return named.length === 0
    ? 'The text holds no labelled facts. (lab-reader is not a language model.)'
    : `The text says ${named.join('; ')}.`;
}

import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabChatRequest, LabTool } from '../chat-request.ts';
import { conforms } from '../conforms.ts';
import { otherTools } from '../reader/ask.ts';
import { convertText } from '../reader/convert.ts';
import { readDocument } from '../reader/document.ts';
import { fillSchema } from '../reader/fill.ts';
import { readShape } from '../reader/schema.ts';
import { meaning } from '../reader/words.ts';
import type { Claim } from './claims.ts';
import { decode } from './items.ts';
import type { Knowledge } from './knowledge.ts';
import { rank } from './lookup.ts';
import { shared, termsOf } from './terms.ts';

/** A call that can be made now. */
export interface Callable {
  readonly name: string;
  readonly arguments: string;
  /** Terms that the tool shares with what is sought; those of its name count twice. */
  readonly overlap: number;
}

/** Tools that an instruction forbids are left out. */
function allowedTools(request: LabChatRequest, { instructions }: Knowledge): readonly LabTool[] {
  const avoided = new Set(instructions.flatMap((one) => (one.kind === 'avoid tool' ? [one.tool] : [])));
  return avoided.has('tools') ? [] : otherTools(request).filter((tool) => !avoided.has(tool.name));
}

/** Name twice, description once, names and descriptions of parameters once; and what an instruction says the tool is for, twice. */
function overlapOf(tool: LabTool, sought: ReadonlySet<string>, knowledge: Knowledge): number {
  const ordered = knowledge.instructions.flatMap((one) => (one.kind === 'use tool' && one.tool === tool.name ? [...one.terms] : []));
  const properties = isJsonObject(tool.parameters?.properties) ? tool.parameters.properties : {};
  const parameters = Object.entries(properties).map(
    ([name, schema]) => `${name} ${isJsonObject(schema) ? String(schema.description ?? '') : ''}`,
  );
  return (
    2 * shared(sought, termsOf(tool.name)) +
    shared(sought, termsOf(`${tool.description ?? ''} ${parameters.join(' ')}`)) +
    2 * shared(sought, new Set(ordered))
  );
}

/** An instruction names a tool for what the question is about. */
export function isOrdered(question: string, request: LabChatRequest, knowledge: Knowledge): boolean {
  const names = new Set(allowedTools(request, knowledge).map((tool) => tool.name));
  const asked = termsOf(question);
  return knowledge.instructions.some((one) => one.kind === 'use tool' && names.has(one.tool) && shared(one.terms, asked) > 0);
}

/**
 * The calls that could answer a question, best first: by overlap, equal ones in the order of declaration. A tool whose required argument is not known
 * is not called; what can bring that argument is looked for instead, among the tools that are left. No call is made twice with the same arguments.
 */
export function callables(question: string, request: LabChatRequest, knowledge: Knowledge, mustCall: boolean): readonly Callable[] {
  const made = new Set(request.messages.flatMap((message) => message.toolCalls.map((call) => `${call.name} ${stable(call.arguments)}`)));
  let left = allowedTools(request, knowledge);
  let sought = termsOf(question);
  for (let turn = left.length; turn >= 0; turn -= 1) {
    const overlapping = left.map((tool) => ({ tool, overlap: overlapOf(tool, sought, knowledge) }));
    const ranked = overlapping.filter(({ overlap }) => overlap > 0 || mustCall).sort((one, other) => other.overlap - one.overlap);
    const [first] = ranked;
    if (first === undefined) return [];
    const found = ranked.map(({ tool, overlap }) => ({ overlap, ...argumentsOf(tool, question, knowledge) }));
    // Only the best tool is worth looking for its arguments; a worse one that is at hand would answer something else.
    if (found[0]?.missing === undefined) {
      const ready = ranked.flatMap(({ tool, overlap }, index): Callable[] => {
        const one = found[index];
        return one?.value === undefined ? [] : [{ name: tool.name, arguments: JSON.stringify(one.value), overlap }];
      });
      const fresh = ready.filter((call) => !made.has(`${call.name} ${stable(call.arguments)}`));
      if (fresh.length > 0) return fresh;
      left = left.filter((tool) => tool !== first.tool);
      continue;
    }
    sought = found[0].missing;
    left = left.filter((tool) => tool !== first.tool);
  }
  return [];
}

function stable(text: string): string {
  const value = decode(text);
  return isJsonObject(value) ? JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : text;
}

type Arguments =
  | { readonly value: JsonObject; readonly missing?: undefined }
  | { readonly missing: ReadonlySet<string>; readonly value?: undefined };

/** Arguments out of the question's labels, the newest claims, and for required ones the names and numbers of the question. */
function argumentsOf(tool: LabTool, question: string, knowledge: Knowledge): Arguments {
  const schema = tool.parameters ?? { type: 'object' };
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name): name is string => typeof name === 'string') : [];
  const labelled = fillSchema(schema, readDocument(knowledge.asking), tool.name);
  const filled: Record<string, JsonValue> = isJsonObject(labelled) ? { ...labelled } : {};
  const entities = entitiesOf(question);
  for (const name of required) {
    if (filled[name] !== undefined && filled[name] !== null) continue;
    const property = isJsonObject(properties[name]) ? properties[name] : {};
    const value = fromClaims(schema, property, name, knowledge.claims) ?? fromQuestion(schema, property, name, question, entities);
    if (value !== undefined) filled[name] = value;
    else if (filled[name] === undefined) return { missing: termsOf(`${name} ${String(property.description ?? '')}`) };
  }
  return conforms(schema, filled) ? { value: filled } : { missing: termsOf(required.join(' ')) };
}

function fromClaims(root: JsonObject, property: JsonObject, name: string, claims: readonly Claim[]): JsonValue | undefined {
  const [best] = rank(name, claims, []);
  return best === undefined ? undefined : convertText(root, readShape(root, property), name, best.value);
}

/** An identifier holds a digit, a query is the whole question, anything else is a name or number that stands in the question. */
function fromQuestion(root: JsonObject, property: JsonObject, name: string, question: string, entities: string[]): JsonValue | undefined {
  if (/^(?:query|question|q|text|input|search|search_?term|prompt)$/i.test(name)) return question;
  const isIdentifier = meaning(name).includes('number');
  const shape = readShape(root, property);
  if (shape.choices !== undefined) return convertText(root, shape, name, question);
  for (const [index, entity] of entities.entries()) {
    if (isIdentifier && !/\d/.test(entity)) continue;
    const value = convertText(root, shape, name, entity);
    if (value === undefined) continue;
    entities.splice(index, 1);
    return value;
  }
  return undefined;
}

/** Quoted texts, dates, codes and numbers, and runs of capitalised words that do not begin the question. */
function entitiesOf(question: string): string[] {
  const pattern =
    /["“]([^"”]{1,100})["”]|(\d{4}-\d{2}-\d{2})|((?<![\p{L}\d])[\p{L}\d]*\d[\p{L}\d.-]*)|((?<!^)(?<![\p{L}'’])\p{Lu}[\p{L}\d-]*(?:\s+\p{Lu}[\p{L}\d-]*)*)/gu;
  return [...question.matchAll(pattern)].map((found) => (found.slice(1).find((group) => group !== undefined) ?? '').replace(/[.,]+$/, ''));
}

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabContent } from '../answer.ts';
import { forcedTool, type LabChatRequest } from '../chat-request.ts';
import { conforms } from '../conforms.ts';
import { seededRandom } from '../random.ts';
import { type Ask, askedSchema } from '../reader/ask.ts';
import { readDocument } from '../reader/document.ts';
import { fillSchema } from '../reader/fill.ts';
import type { Claim } from '../rules/claims.ts';
import { settingOf } from '../rules/instructions.ts';
import { type Knowledge, knowledgeOf } from '../rules/knowledge.ts';
import { type Finding, find, inAskedUnit, partsOf } from '../rules/lookup.ts';
import { roundedValue, sayAll } from '../rules/say.ts';
import { type Callable, callables, isOrdered } from '../rules/tool-choice.ts';
import type { LabModel } from './scripted.ts';

/** What the rule model is, for whoever sees its answers. */
export const rulesDescription: string = [
  'lab-rules is not a language model. It is a fixed set of rules over the whole request: it reads claims ("X is Y", "Label: value", members of JSON)',
  'from every message, and instructions of a closed list of forms from system, developer, user and tool messages, in that order of authority.',
  'A question is answered by the claim that shares the most terms with it, the newest of equals; by arithmetic over claims; or by the tool whose name and',
  'description share the most terms with it. What no claim and no tool answers, it does not know. It understands nothing and invents nothing.',
].join(' ');

/** How the rule model departs from its plain rules. */
export interface RulesOptions {
  /**
   * Probability, 0 to 1, of each slip: the runner-up claim instead of the best, the second tool instead of the first, and an instruction not obeyed.
   * Drawn from the lab's seed and the request, so that the same request slips in the same way. Default 0.
   */
  readonly noise?: number;
  /** Say in the reasoning which claims and instructions were used. Default false. */
  readonly thinking?: boolean;
  /** Obey instructions inside tool results where no higher role forbids it, as a model does that can be injected. Default true. */
  readonly obeysTools?: boolean;
}

/**
 * A deterministic function of the whole request (SG-100), whose answer changes when a piece of context that it rests on is taken away. Depends on the
 * lab's seed only by its noise, and on nothing else besides the request. The rules stand in the package's README. Throws a `RangeError` for a noise
 * outside 0 to 1.
 */
export function rules(options: RulesOptions = {}): LabModel {
  const { noise = 0 } = options;
  if (!(noise >= 0 && noise <= 1)) throw new RangeError('the noise of the rule model must be between 0 and 1');
  return Object.assign((request: LabChatRequest, context: { readonly seed: number }) => answer(request, context.seed, options), {
    modelId: 'lab-rules',
    fingerprint: 'not-a-language-model',
  });
}

function answer(request: LabChatRequest, seed: number, { noise = 0, thinking = false, obeysTools = true }: RulesOptions): LabContent {
  const random = noise === 0 ? undefined : seededRandom(`${seed}/rules/${digestOf(request.body)}`);
  const slips = (): boolean => random !== undefined && random.next() < noise;
  const read = knowledgeOf(request, obeysTools, slips);
  const questions = read.questions.flatMap((question) => partsOf(question, read.claims, read.instructions));
  const knowledge = { ...read, questions };
  const found = knowledge.questions.map((question) =>
    inAskedUnit(question, slipped(find(question, knowledge.claims, knowledge.instructions), slips)),
  );
  const reply = replyOf(request, knowledge, found, slips);
  return thinking ? { ...reply, reasoning: reasoningOf(knowledge, found, reply) } : reply;
}

/** The same for a streamed and a whole answer. */
function digestOf(body: JsonObject): string {
  const { stream: _stream, stream_options: _options, ...rest } = body;
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex');
}

function slipped(finding: Finding | undefined, slips: () => boolean): Finding | undefined {
  const other = finding?.runnerUp;
  if (finding === undefined || other === undefined || !slips()) return finding;
  return { subject: other.subject, verb: other.verb, value: other.value, used: [other], ...(other.isExample ? { isOutput: true } : {}) };
}

function replyOf(request: LabChatRequest, knowledge: Knowledge, found: readonly (Finding | undefined)[], slips: () => boolean): LabContent {
  const ask = askedSchema(request);
  const isForced = forcedTool(request) !== undefined;
  const text = sayAll(found, knowledge.instructions);
  const filled = ask === undefined ? undefined : fill(ask, knowledge, found, text);
  const calls = isForced ? [] : callsFor(request, knowledge, found, ask !== undefined && !conforms(ask.schema, filled));
  const call = calls.length > 1 && slips() ? calls[1] : calls[0];
  if (call !== undefined) return { toolCalls: [{ name: call.name, arguments: call.arguments }] };
  if (ask !== undefined) {
    const json = JSON.stringify(filled ?? {});
    return ask.tool === undefined ? { text: json } : { toolCalls: [{ name: ask.tool, arguments: json }] };
  }
  const isJson = request.format.type === 'json_object' && !text.startsWith('{');
  return { text: isJson ? JSON.stringify({ answer: text }) : text };
}

/** A tool is called for the first question that no claim answers, or for which an instruction names a tool; or when one is required. */
function callsFor(
  request: LabChatRequest,
  knowledge: Knowledge,
  found: readonly (Finding | undefined)[],
  lacks: boolean,
): readonly Callable[] {
  if (request.toolChoice === 'none' || settingOf(knowledge.instructions, 'answer') !== undefined) return [];
  const questions = knowledge.questions.length > 0 ? knowledge.questions : [knowledge.asking];
  const usedResult = (finding: Finding | undefined): boolean => finding?.used.some((claim) => claim.role === 'tool') ?? false;
  for (const [index, question] of questions.entries()) {
    const finding = found[index];
    const ordered = isOrdered(question, request, knowledge) && !usedResult(finding);
    if (finding !== undefined && !ordered && !lacks) continue;
    const calls = callables(question, request, knowledge, false);
    if (calls.length > 0) return calls;
  }
  const hasResult = request.messages.at(-1)?.role === 'tool';
  if (request.toolChoice !== 'required' || hasResult || askedSchema(request) !== undefined) return [];
  return callables(questions[0] ?? '', request, knowledge, true);
}

/** Newest first, so that of equal labels the newest is taken. */
const mostLines = 500;
const answerNames = ['answer', 'reply', 'response', 'result', 'text', 'message', 'output', 'decision'];

/** The schema filled by the reader out of what was found, then the newest claims, then the user's own text; a text named `answer` takes the answer. */
function fill(ask: Ask, knowledge: Knowledge, found: readonly (Finding | undefined)[], text: string): JsonValue | undefined {
  const newest = new Map<string, Claim>();
  for (const claim of [...knowledge.claims].reverse()) {
    const key = [...claim.terms].sort().join(' ');
    if (!newest.has(key) && newest.size < mostLines) newest.set(key, claim);
  }
  const line = (one: { readonly subject: string; readonly value: string }): string =>
    `${one.subject.replace(/^(?:the|a|an)\s+/i, '')}: ${roundedValue(one, knowledge.instructions)}`;
  const lines = [...found.flatMap((finding) => (finding === undefined ? [] : [finding])), ...newest.values()].map(line);
  const document = readDocument(`${lines.join('\n')}\n\n${knowledge.asking}`);
  const value = fillSchema(ask.schema, document, ask.title);
  const properties = isJsonObject(ask.schema.properties) ? ask.schema.properties : {};
  const open = answerNames.find((name) => name in properties && (!isJsonObject(value) || typeof value[name] !== 'string'));
  const literal = settingOf(knowledge.instructions, 'answer')?.value;
  if (open === undefined || (literal === undefined && found.every((finding) => finding === undefined))) return value;
  const withAnswer = { ...(isJsonObject(value) ? value : {}), [open]: text };
  return conforms({ ...ask.schema, required: [open] }, withAnswer) ? withAnswer : value;
}

function reasoningOf(knowledge: Knowledge, found: readonly (Finding | undefined)[], reply: LabContent): string {
  const lines = knowledge.questions.flatMap((question, index) => {
    const used = found[index]?.used.map((claim) => `${claim.subject}: ${claim.value} (${claim.role})`) ?? [];
    return [`Asked: ${question}`, used.length === 0 ? 'No claim answers it.' : `Used: ${used.slice(0, 10).join('; ')}`];
  });
  const obeyed = knowledge.instructions.slice(0, 10).map((one) => `Obeyed (${one.role}): ${one.text}`);
  const called = (reply.toolCalls ?? []).map((call) => `Calling ${call.name}.`);
  return [...lines, ...obeyed, ...called].join('\n');
}

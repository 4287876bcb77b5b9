import type { LabChatRequest } from '../chat-request.ts';
import { amountIn, dateIn } from '../reader/values.ts';
import { type Claim, claimOf, inverseOf, jsonSayings, sayingOf } from './claims.ts';
import { examplesOf } from './examples.ts';
import { type Instruction, obeyed, orderOf } from './instructions.ts';
import { authority, type Item, itemsOf } from './items.ts';
import { sentencesOf } from './sentences.ts';
import { sameInput, shared, termsOf, within } from './terms.ts';

/** Everything the rules take from a request. */
export interface Knowledge {
  /** Oldest first; those that an instruction says to ignore are left out. */
  readonly claims: readonly Claim[];
  readonly instructions: readonly Instruction[];
  /** The last question, one per sentence; empty when nothing is asked. */
  readonly questions: readonly string[];
  /** The text of the user message that asks. */
  readonly asking: string;
}

const asks =
  /^(?:please )?(?:tell|give|show|find|list|name|calculate|compute|compare|check|look|what|which|when|who|whose|where|how|why|is|are|does|do|did|can|has|have|add|sum|report|extract|decide|wie|was|wann|wer|wo|welche[rs]?)\b/i;
const mostQuestions = 8;

/** Reads a request. `drops` says of an instruction whether noise lets it go. */
export function knowledgeOf(request: LabChatRequest, obeysTools: boolean, drops: () => boolean): Knowledge {
  const items = itemsOf(request);
  const read: Reading = { claims: [], instructions: [], order: 0, last: '' };
  for (const item of items) readItem(item, read);
  const instructions = obeyed(read.instructions, obeysTools).filter(() => !drops());
  const claims = derive(withoutIgnored(read.claims, instructions), instructions, read.last);
  const users = items.filter((item) => item.role === 'user');
  const last = users.at(-1);
  const isInput = last !== undefined && isShown(last.text, claims.known);
  const asking = isInput ? last : (users.findLast((item) => questionsOf(item.text).length > 0) ?? last);
  return {
    claims: claims.known,
    instructions: claims.instructions,
    questions: isInput ? [last.text.trim()] : questionsOf(asking?.text ?? ''),
    asking: asking?.text ?? '',
  };
}

/** The text is the input of an example, word for word. */
function isShown(text: string, claims: readonly Claim[]): boolean {
  return claims.some((claim) => claim.isExample && sameInput(claim.subject, text));
}

interface Reading {
  readonly claims: Claim[];
  readonly instructions: Instruction[];
  order: number;
  /** The question that was asked last so far. */
  last: string;
}

function readItem(item: Item, read: Reading): void {
  const before = read.claims.length;
  if (item.json === undefined) readText(item.text, item, read);
  else {
    const { sayings, texts } = jsonSayings(item.json);
    for (const said of sayings) read.claims.push(claimOf(said, item, '', read.order++));
    for (const text of texts) readText(text, item, read);
  }
  // A bare answer to a question is a claim about what was asked.
  const answers = item.role === 'assistant' && item.text !== '' && item.text.length <= 200 && read.claims.length === before;
  if (answers && termsOf(read.last).size > 0)
    read.claims.push(
      claimOf({ subject: subjectOf(read.last), verb: 'is', value: item.text.trim().replace(/[.]$/, '') }, item, '', read.order++),
    );
  if (item.role === 'user') read.last = questionsOf(item.text).at(-1) ?? read.last;
}

const saysSomething = (text: string): boolean => orderOf(text) !== undefined || sayingOf({ text, source: '', isLine: false }) !== undefined;

function readText(text: string, item: Item, read: Reading): void {
  const { shown: examples, rest } = examplesOf(text);
  for (const { input, output } of examples) {
    const said = { subject: input, verb: 'is', value: output };
    read.claims.push({ ...claimOf(said, item, 'example', read.order++), isExample: true });
  }
  let exampleQuestion = '';
  for (const sentence of sentencesOf(rest, saysSomething)) {
    const order = read.order++;
    const example = /^(?:Q|Question):\s*(.+)$/i.exec(sentence.text)?.[1];
    const shown = /^(?:A|Answer):\s*(.+)$/i.exec(sentence.text)?.[1];
    if (example !== undefined) exampleQuestion = example;
    else if (shown !== undefined && exampleQuestion !== '') {
      const said = { subject: subjectOf(exampleQuestion), verb: 'is', value: shown.replace(/[.]$/, '') };
      read.claims.push(claimOf(said, item, sentence.source, order));
    } else {
      const ordered = orderOf(sentence.text);
      const said = ordered === undefined ? sayingOf(sentence) : undefined;
      if (ordered !== undefined) read.instructions.push({ ...ordered, text: sentence.text, role: item.role, order });
      const inverse = said === undefined ? undefined : inverseOf(said);
      for (const one of [inverse, said]) if (one !== undefined) read.claims.push(claimOf(one, item, sentence.source, order));
    }
  }
}

/** What a question asks about, in its own words. */
function subjectOf(question: string): string {
  const plain = question.replace(/[?.!]+\s*$/, '').replace(/^(?:please |(?:can|could) you )*(?:tell me |give me |show me )?/i, '');
  return plain.replace(/^(?:what|which|who|when|where|how (?:much|many|long))\s*(?:'s|is|are|was|were|does|do)?\s+/i, '').trim();
}

/** What a text asks: the input that it leaves open; else the sentences with a question mark, and those that begin with a word that asks. */
function questionsOf(text: string): readonly string[] {
  const { asked, rest } = examplesOf(text);
  if (asked !== undefined) return [asked];
  const sentences = sentencesOf(rest, () => true).map((sentence) => sentence.text);
  const marked = sentences.filter((sentence) => /\?["”]?$/.test(sentence));
  const found = marked.length > 0 ? marked : sentences.filter((sentence) => asks.test(sentence) && orderOf(sentence) === undefined);
  return found.slice(-mostQuestions);
}

/** An order to ignore something reaches only what has no more authority than itself. */
function withoutIgnored(claims: readonly Claim[], instructions: readonly Instruction[]): readonly Claim[] {
  const ignoring = instructions.filter((one) => one.kind === 'ignore');
  if (ignoring.length === 0) return claims;
  return claims.filter((claim) => {
    const around = new Set([...claim.terms, ...claim.source]);
    return !ignoring.some((one) => authority[claim.role] <= authority[one.role] && within(one.terms, around));
  });
}

/** What conditions bring: claims and instructions of those that hold, at the place of the condition. One condition may rest on an earlier one. */
function derive(
  claims: readonly Claim[],
  instructions: readonly Instruction[],
  question: string,
): { readonly known: readonly Claim[]; readonly instructions: readonly Instruction[] } {
  const known = [...claims];
  const all: Instruction[] = [];
  for (const one of instructions) {
    if (one.kind !== 'if') {
      all.push(one);
      continue;
    }
    const text = holds(one.condition, known, question) ? one.then : one.otherwise;
    if (text === undefined) continue;
    const ordered = orderOf(text);
    if (ordered !== undefined && ordered.kind !== 'if') all.push({ ...ordered, text, role: one.role, order: one.order });
    const said = ordered === undefined ? sayingOf({ text, source: '', isLine: false }) : undefined;
    const item: Item = { role: one.role, text, context: new Set() };
    if (said !== undefined) known.push(claimOf(said, item, '', one.order));
  }
  return { known: known.sort((left, right) => left.order - right.order), instructions: all };
}

const bound =
  /^(?:more than|greater than|over|above|after|later than|at least|less than|lower than|under|below|before|earlier than|at most|not more than)\b/i;

/** A condition holds when the newest claim about its subject has its value; `the question mentions X` when the question does. */
function holds(condition: string, claims: readonly Claim[], question: string): boolean {
  const mentioned = /^(?:the )?(?:user|question|customer|request|message) (?:asks (?:about|for)|mentions|is about) (.+)$/i.exec(
    condition,
  )?.[1];
  if (mentioned !== undefined) return within(termsOf(mentioned), termsOf(question));
  const said = sayingOf({ text: condition, source: '', isLine: false });
  if (said === undefined) return false;
  const subject = termsOf(said.subject);
  const newest = new Map<string, Claim>();
  for (const claim of claims) {
    const around = new Set([...claim.terms, ...claim.context]);
    if (shared(subject, claim.terms) > 0 && within(subject, around)) newest.set([...claim.terms].sort().join(' '), claim);
  }
  return [...newest.values()].some((claim) => compares(claim.value, said.value));
}

function compares(value: string, wanted: string): boolean {
  const word = bound.exec(wanted)?.[0].toLowerCase();
  if (word === undefined) {
    const isNot = /^not\s+/i.test(wanted);
    return isNot !== within(termsOf(wanted.replace(/^not\s+/i, '')), termsOf(value));
  }
  const rest = wanted.slice(word.length);
  const [here, there] = [measure(value), measure(rest)];
  if (here === undefined || there === undefined) return false;
  if (word === 'at least') return here >= there;
  if (/at most|not more/.test(word)) return here <= there;
  return /more|greater|over|above|after|later/.test(word) ? here > there : here < there;
}

/** A date as its days, or the number that a text is. */
export function measure(text: string): number | undefined {
  const date = dateIn(text)?.date;
  return date === undefined ? amountIn(text)?.value : Date.parse(date) / 86_400_000;
}

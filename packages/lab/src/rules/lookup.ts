import { amountIn, dateIn } from '../reader/values.ts';
import { foldedWords } from '../reader/words.ts';
import type { Claim } from './claims.ts';
import type { Instruction } from './instructions.ts';
import { measure } from './knowledge.ts';
import { sameInput, shared, termsOf, within } from './terms.ts';
import { askedUnit, converted } from './units.ts';

/** An answer with what it rests on. */
export interface Finding {
  readonly subject: string;
  readonly verb: string;
  readonly value: string;
  /** `Yes` or `No`, when the question asks whether. */
  readonly verdict?: 'Yes' | 'No';
  readonly used: readonly Claim[];
  /** An example's output: said as it stands, without its subject. */
  readonly isOutput?: boolean;
  /** The claim that would have been taken without the winner; noise takes it. */
  readonly runnerUp?: Claim;
}

interface Ranked {
  readonly claim: Claim;
  readonly shared: number;
  readonly fits: boolean;
  readonly extra: number;
  readonly preferred: number;
}

/**
 * The claims that can answer, best first. A claim can when all its subject's terms are in the question, or when more than half of the question's terms
 * are in its subject and context (at least one in its subject). Better: more shared terms; then a value of the kind that the question asks for; then a
 * source that an instruction prefers; then fewer terms that the question does not have; then the newer.
 */
export function rank(question: string, claims: readonly Claim[], instructions: readonly Instruction[]): readonly Claim[] {
  const wanted = termsOf(question);
  const ranked: Ranked[] = [];
  for (const claim of claims) {
    const own = shared(wanted, claim.terms);
    if (own === 0) continue;
    let all = own;
    for (const term of wanted) if (!claim.terms.has(term) && claim.context.has(term)) all += 1;
    if (!within(claim.terms, wanted) && all * 2 <= wanted.size) continue;
    ranked.push({
      claim,
      shared: all,
      fits: kindFits(question, claim.value),
      extra: claim.terms.size - own,
      preferred: preference(claim, instructions),
    });
  }
  const better = (left: Ranked, right: Ranked): number =>
    right.shared - left.shared ||
    Number(right.fits) - Number(left.fits) ||
    right.preferred - left.preferred ||
    left.extra - right.extra ||
    right.claim.order - left.claim.order;
  return ranked.sort(better).map(({ claim }) => claim);
}

/** `When` wants a date or a time, `how many`, `how much` and `how long` a number. */
function kindFits(question: string, value: string): boolean {
  if (/\b(?:when|wann)\b/i.test(question)) return dateIn(value) !== undefined || /\d{1,2}:\d{2}|\d/.test(value);
  if (/\bhow (?:many|much|long|old|far|high|deep)\b|\bwie (?:viele?|lange)\b/i.test(question)) return /\d/.test(value);
  return true;
}

function preference(claim: Claim, instructions: readonly Instruction[]): number {
  let sum = 0;
  for (const one of instructions) {
    if (one.kind !== 'prefer') continue;
    if (within(one.terms, claim.source)) sum += 1;
    if (within(one.over, claim.source)) sum -= 1;
  }
  return sum;
}

/** The answer to one question; undefined when nothing in the request answers it. Where it is the input of an example, the newest such example's output. */
export function find(question: string, claims: readonly Claim[], instructions: readonly Instruction[]): Finding | undefined {
  const shown = claims.findLast((claim) => claim.isExample && sameInput(claim.subject, question));
  if (shown !== undefined) return { subject: shown.subject, verb: shown.verb, value: shown.value, used: [shown], isOutput: true };
  const ranked = rank(question, claims, instructions);
  const [first, ...others] = ranked;
  const computed = first?.isExample ? undefined : compute(question, ranked, claims);
  if (computed !== undefined) return computed;
  if (first === undefined) return undefined;
  const runnerUp = others.find((claim) => claim.value !== first.value);
  const base = {
    subject: first.subject,
    verb: first.verb,
    value: first.value,
    used: [first],
    ...(first.isExample ? { isOutput: true } : {}),
    ...(runnerUp === undefined ? {} : { runnerUp }),
  };
  return /^(?:is|are|was(?! ist| sind)|were|does|do|did|has|have|can|ist|sind)\b/i.test(question.trim())
    ? { ...base, verdict: verdictOf(question, first) }
    : base;
}

const several = /^(.{1,200}\b(?:of|for|von|für)\s+)(.{1,200}?)\s+(?:and|und|&)\s+(.{1,80}?)\s*\?*$/i;
const mostParts = 8;

/** A question of several things, such as the capitals of France and Spain, as one question for each, where no two have the same claim. */
export function partsOf(question: string, claims: readonly Claim[], instructions: readonly Instruction[]): readonly string[] {
  const [, head = '', first = '', last = ''] = several.exec(question) ?? [];
  if (head === '' || Object.values(operations).some((words) => words.test(question)) || /\bhow many\b/i.test(question)) return [question];
  const parts = [...first.split(/,\s*/), last].map((one) => `${head}${one}?`);
  const found = parts.flatMap((part) => rank(part, claims, instructions)[0] ?? []);
  // Two parts with one claim are one thing, such as bed and breakfast.
  return parts.length <= mostParts && found.length > 0 && new Set(found).size === found.length ? parts : [question];
}

/** What was found, in the unit that the question asks for at its end; as it stands where that measures something else. */
export function inAskedUnit(question: string, finding: Finding | undefined): Finding | undefined {
  const unit = askedUnit(question);
  const value = finding === undefined || unit === undefined || finding.verdict !== undefined ? undefined : converted(finding.value, unit);
  return finding === undefined || value === undefined ? finding : { ...finding, value };
}

function verdictOf(question: string, claim: Claim): 'Yes' | 'No' {
  const asked = termsOf(question);
  const said = termsOf(claim.value.replace(/^not\s+/i, ''));
  const denies = /^(?:not|no|false)\b/i.test(claim.value);
  const bounded = /\b(over|above|more than|at least|after|under|below|less than|at most|before)\b(.+)$/i.exec(question);
  const [here, there] = [measure(claim.value), measure(bounded?.[2] ?? '')];
  if (bounded !== null && here !== undefined && there !== undefined) {
    const word = (bounded[1] ?? '').toLowerCase();
    if (word === 'at least') return here >= there ? 'Yes' : 'No';
    if (word === 'at most') return here <= there ? 'Yes' : 'No';
    return /over|above|more|after/.test(word) === here > there && here !== there ? 'Yes' : 'No';
  }
  const affirms = /^(?:yes|true)\b/i.test(claim.value) || shared(said, asked) > 0;
  return affirms !== denies ? 'Yes' : 'No';
}

type Operation = 'sum' | 'difference' | 'average' | 'most' | 'least';
const operations: Readonly<Record<Operation, RegExp>> = {
  difference: /\b(?:difference|minus|how (?:much|many) (?:more|less|fewer)|subtract)\b/i,
  average: /\b(?:average|mean)\b/i,
  sum: /\b(?:total|sum|together|altogether|combined|add)\b/i,
  most: /\b(?:latest|newest|last|most recent|highest|largest|biggest|longest|most expensive|maximum|deepest)\b/i,
  least: /\b(?:earliest|first|oldest|lowest|smallest|shortest|cheapest|minimum)\b/i,
};
const operationTerms = termsOf(
  'total sum together altogether combined add difference minus subtract average mean more less fewer latest newest last most recent highest largest biggest longest expensive maximum deepest earliest first oldest lowest smallest shortest cheapest minimum between',
);

/**
 * Arithmetic over the newest claim of each subject. Operands are those that share the most terms with the question besides the word for the operation.
 * A claim whose subject is the very thing asked for, such as `Total: 42`, is taken instead; so is a single claim.
 */
function compute(question: string, ranked: readonly Claim[], claims: readonly Claim[]): Finding | undefined {
  const operation = (Object.keys(operations) as Operation[]).find((name) => operations[name].test(question));
  const [first] = ranked;
  if (operation === undefined) return /\bhow many\b/i.test(question) ? count(question, ranked, claims) : undefined;
  const asked = termsOf(question);
  const wanted = new Set([...asked].filter((term) => !operationTerms.has(term)));
  const named = [...asked].filter((term) => operationTerms.has(term));
  if (first !== undefined && named.some((term) => first.terms.has(term)) && within(first.terms, asked)) return undefined;
  const operands = operandsOf(wanted, claims);
  if (operands.length < 2) return undefined;
  const values = operands.map((claim) => measure(claim.value) ?? 0);
  const used = operands;
  if (operation === 'most' || operation === 'least') {
    const extreme = operation === 'most' ? Math.max(...values) : Math.min(...values);
    const claim = operands[values.indexOf(extreme)];
    return claim === undefined ? undefined : { subject: claim.subject, verb: claim.verb, value: claim.value, used };
  }
  const sum = values.reduce((left, right) => left + right, 0);
  const [one = 0, other = 0] = values;
  const result = operation === 'sum' ? sum : operation === 'average' ? sum / values.length : Math.abs(one - other);
  const dates = operands.every((claim) => dateIn(claim.value) !== undefined);
  if (dates && operation !== 'difference') return undefined;
  return {
    subject: operation === 'sum' ? 'The total' : `The ${operation}`,
    verb: 'is',
    value: `${plain(result)}${dates ? ' days' : unitOf(operands)}`,
    used,
  };
}

const mostOperands = 1_000;

function operandsOf(wanted: ReadonlySet<string>, claims: readonly Claim[]): readonly Claim[] {
  const newest = new Map<string, Claim>();
  for (const claim of claims)
    if (shared(wanted, claim.terms) > 0 && measure(claim.value) !== undefined) newest.set([...claim.terms].sort().join(' '), claim);
  const all = [...newest.values()];
  const most = all.reduce((best, claim) => Math.max(best, shared(wanted, claim.terms)), 0);
  return all.filter((claim) => shared(wanted, claim.terms) === most).slice(0, mostOperands);
}

/** How many subjects have the value that is asked for. */
function count(question: string, ranked: readonly Claim[], claims: readonly Claim[]): Finding | undefined {
  if (ranked[0] !== undefined && amountIn(ranked[0].value) !== undefined) return undefined;
  const wanted = termsOf(question);
  const newest = new Map<string, Claim>();
  for (const claim of claims) if (shared(wanted, claim.terms) > 0) newest.set([...claim.terms].sort().join(' '), claim);
  const all = [...newest.values()];
  const used = all.filter((claim) => !/^not\b/i.test(claim.value) && shared(termsOf(claim.value), wanted) > 0);
  if (used.length === 0) return undefined;
  const value = [...wanted].filter((term) => used.some((claim) => termsOf(claim.value).has(term))).join(' ');
  return { subject: `The number with ${value}`, verb: 'is', value: String(used.length), used: all };
}

/** Without the noise of binary fractions. */
function plain(value: number): string {
  return String(Number(value.toFixed(6)));
}

/** The unit that every operand has. */
function unitOf(claims: readonly Claim[]): string {
  const units = new Set(claims.map((claim) => foldedWords(claim.value.replace(/[\d.,]+/g, ' ')).join(' ')));
  const sign = new Set(claims.map((claim) => claim.value.replace(/[-\d.,\s]+/g, ' ').trim()));
  const [unit = ''] = sign;
  return units.size === 1 && sign.size === 1 && unit !== '' ? ` ${unit}` : '';
}

import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { LabMessage } from '../chat-request.ts';
import type { Item } from './items.ts';
import { longestSentence, type Sentence } from './sentences.ts';
import { termsOf } from './terms.ts';

/** What an item says of something: `subject verb value`. */
export interface Claim {
  readonly subject: string;
  readonly verb: string;
  readonly value: string;
  /** What the subject is about. */
  readonly terms: ReadonlySet<string>;
  /** Terms that stand around it: its heading, its tool and the arguments of that tool's call. They help a question find it. */
  readonly context: ReadonlySet<string>;
  /** What an instruction may call where it comes from: heading, tool, role. */
  readonly source: ReadonlySet<string>;
  readonly role: LabMessage['role'];
  /** Its place in the request: a later claim is newer. */
  readonly order: number;
  /** An example's output for its input. */
  readonly isExample?: boolean;
}

/** What a sentence says, before it is known where it stands. */
export type Saying = Pick<Claim, 'subject' | 'verb' | 'value'> & { readonly source?: string };

/** Verbs that part a subject from its value, and what they add to the subject. */
const verbs: Readonly<Record<string, string>> = {
  is: '', are: '', was: '', were: '', equals: '', ist: '', sind: '', war: '', beträgt: '', lautet: '', costs: 'price', cost: 'price', kostet: 'price',
  weighs: 'weight', wiegt: 'weight', takes: 'duration', dauert: 'duration', lasts: 'duration', opens: 'opens', closes: 'closes', starts: 'starts',
  ends: 'ends', arrives: 'arrives', leaves: 'leaves', departs: 'departs', expires: 'expires', lives: 'lives', works: 'works', owns: 'owns',
  owes: 'owes', ordered: 'ordered', paid: 'paid', contains: 'contains', allows: 'allows', requires: 'requires', supports: 'supports', means: '',
}; // biome-ignore format: one table
const label = /^([\p{L}#][^:=|?"]{0,60}?)\s*(?::(?!\/\/)\s+|\s*=\s*)(\S.*)$/u;
const hasOf = /^(.{1,120}?)\s+(?:has|have|hat)\s+(?:an?\s+|the\s+|eine?n?\s+)?(.{1,60}?)\s+(?:of|von)\s+(\S.*)$/iu;
const leadIn = /^(?:according to|per|as of|laut|from|in)\s+([^,]{1,60}),\s+(.+)$/iu;
const filler = /^(?:(?:now|currently|still|exactly|always|at|in|on|for|by|since|jetzt|derzeit|um|am)\s+)+/i;
const notes = /^(?:note that|remember that|please note that|update|correction|and|but|so|also|however)[,:]?\s+/i;
/** Sentences of these forms claim nothing. */
const conditional = /^(?:if|when|unless|whenever|wenn|falls|otherwise|else)\b/i;

/** Reads one sentence; undefined when it is a question, or claims nothing in one of the forms above. */
export function sayingOf({ text, isLine }: Sentence): Saying | undefined {
  const plain = text.replace(/[.!;,]+$/, '').trim();
  if (plain.length > longestSentence || /\?["”]?$/.test(plain) || conditional.test(plain)) return undefined;
  const pair = label.exec(plain);
  if (pair !== null && (isLine || !/\s(?:is|are|was)\s/.test(pair[1] ?? ''))) return saying(pair[1], 'is', pair[2]);
  const [, from, rest] = leadIn.exec(plain) ?? [];
  const body = (rest ?? plain).replace(notes, '');
  const had = hasOf.exec(body);
  const found = had === null ? linked(body) : saying(`${had[1]} ${had[2]}`, 'is', had[3]);
  return found === undefined || from === undefined ? found : { ...found, source: from };
}

function linked(text: string): Saying | undefined {
  const words = text.split(/\s+/);
  const at = words.findIndex((word, index) => index > 0 && index < words.length - 1 && Object.hasOwn(verbs, word));
  const verb = words[at];
  if (verb === undefined) return undefined;
  const subject = words.slice(0, at).join(' ');
  const added = verbs[verb] ?? '';
  const said = saying(`${subject} ${added}`, added === '' ? verb : 'is', words.slice(at + 1).join(' '));
  return said;
}

function saying(subject: string | undefined, verb: string, value: string | undefined): Saying | undefined {
  const said = (value ?? '')
    .replace(filler, '')
    .replace(/^["“'](.*)["”']$/, '$1')
    .trim();
  // The shape of an answer that is asked for, or a template: no value of anything.
  if (said.startsWith('{')) return undefined;
  const about = (subject ?? '').replace(/\*\*|__/g, '').trim();
  return said === '' || termsOf(about).size === 0 ? undefined : { subject: about, verb, value: said };
}

/** `Paris is the capital of France` says of the capital of France that it is Paris; undefined for any other form. */
export function inverseOf({ subject, verb, value }: Saying): Saying | undefined {
  if (!/^(?:is|was|ist|war)$/.test(verb) || !/^(?:the|der|die|das)\s.{1,80}\s(?:of|von)\s\S/i.test(value)) return undefined;
  return /^(?:the|a|an|it|this|that|he|she|they|der|die|das|es)\b/i.test(subject) ? undefined : saying(value, verb, subject);
}

/** A saying with its place. */
export function claimOf(said: Saying, item: Item, source: string, order: number): Claim {
  const heading = termsOf(`${source} ${said.source ?? ''}`);
  return {
    subject: said.subject,
    verb: said.verb,
    value: said.value,
    terms: termsOf(said.subject),
    context: new Set([...heading, ...item.context]),
    source: new Set([...heading, ...termsOf(item.tool ?? ''), item.role, ...(item.role === 'tool' ? ['tool'] : [])]),
    role: item.role,
    order,
  };
}

/** Values of a result that are read. */
const mostMembers = 5_000;
const identities = ['name', 'title', 'id', 'code', 'key', 'label'];

/**
 * The members of a JSON value as sayings: nested keys joined by spaces; in a list of objects each member's subject begins with what identifies its
 * object (`name`, `title`, `id`, `code`, `key`, `label`). The texts among the values come back too: they may hold sentences.
 */
export function jsonSayings(root: JsonValue): { readonly sayings: readonly Saying[]; readonly texts: readonly string[] } {
  const sayings: Saying[] = [];
  const texts: string[] = [];
  const open: { readonly subject: string; readonly value: JsonValue; readonly inList: boolean }[] = [
    { subject: '', value: root, inList: false },
  ];
  for (let here = open.pop(); here !== undefined && sayings.length < mostMembers; here = open.pop()) {
    const { subject, value } = here;
    if (Array.isArray(value)) {
      const plain = value.filter((member: JsonValue) => typeof member !== 'object');
      if (plain.length > 0 && plain.length === value.length) open.push({ subject, value: plain.join(', '), inList: false });
      else open.push(...value.map((member: JsonValue) => ({ subject, value: member, inList: true })).reverse());
    } else if (isJsonObject(value)) {
      const identity = here.inList
        ? identities.map((key) => value[key]).find((one) => typeof one === 'string' || typeof one === 'number')
        : undefined;
      const prefix = identity === undefined ? subject : `${subject} ${identity}`;
      open.push(
        ...Object.entries(value)
          .map(([key, member]) => ({ subject: `${prefix} ${key}`.trim(), value: member, inList: false }))
          .reverse(),
      );
    } else if (value !== null) {
      const said = saying(subject.replaceAll('_', ' '), 'is', String(value));
      if (said !== undefined) sayings.push(said);
      if (typeof value === 'string' && /\s\S+\s/.test(value)) texts.push(value);
    }
  }
  return { sayings, texts };
}

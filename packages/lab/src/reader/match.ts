import { foldedWords, meaning, singular } from './words.ts';

/** Words that many facts share: alone they do not say which fact is meant. */
const generic = new Set(['number', 'date', 'amount', 'name', 'value', 'code', 'time', 'type', 'price', 'item', 'text']);

/** Words that make another fact of a label: a delivery date is not the date. */
const qualifiers = new Set([
  'net', 'gross', 'tax', 'due', 'delivery', 'shipping', 'discount', 'previous', 'paid', 'order', 'birth', 'start', 'end', 'first', 'last', 'unit', 'billing', 'subtotal', 'middle', 'line', 'tracking', 'old', 'new', 'target',
]); // biome-ignore format: one list

const weightOf = (word: string): number => (generic.has(word) ? 1 : 2);

/** What rows of tables call the same thing: the thing itself, and what it comes to. */
const rowSynonyms: readonly ReadonlySet<string>[] = [
  new Set(['item', 'description', 'name', 'title', 'dish']),
  new Set(['price', 'unit price']),
  new Set(['amount', 'total', 'price', 'line total', 'subtotal']),
];

/** In a row, a header may stand for a name that means the same there. */
export function scoreHeader(header: Meaning, name: Meaning): number {
  const [one, other] = [[...header.words].join(' '), [...name.words].join(' ')];
  return rowSynonyms.some((group) => group.has(one) && group.has(other)) ? leastScore : 0;
}

/** A name that text may carry: its words, and the same without plural. */
export interface Meaning {
  readonly words: ReadonlySet<string>;
  /** The name without case, accents, gaps and spelling of umlauts, for equality. */
  readonly loose: string;
}

/** Reads a label, heading or property name once. */
export function readMeaning(text: string): Meaning {
  const loose = foldedWords(text)
    .join('')
    .replace(/([aou])e/g, '$1');
  return { words: new Set(meaning(text).map(singular)), loose };
}

/** From here on a label is taken for a property. */
export const leastScore = 0.5;

/**
 * How well a label says a name, 0 to 1. Words that only one of the two has cost; a missing word is forgiven when `context` (the headings and titles
 * around) says it, and a name is refused when what distinguishes it is said nowhere.
 */
export function scoreLabel(label: Meaning, name: Meaning, context: ReadonlySet<string>): number {
  if (label.loose === name.loose && label.loose !== '') return 1;
  let shared = 0;
  let sharesSpecific = false;
  for (const word of name.words) {
    if (!label.words.has(word)) continue;
    shared += weightOf(word);
    if (!generic.has(word)) sharesSpecific = true;
  }
  if (shared === 0) return 0;
  let weight = 0;
  for (const word of name.words) {
    const implied = context.has(word);
    if (!label.words.has(word) && !generic.has(word) && !implied) {
      // 'Date' does not say which date; 'Invoice' says which number.
      if (!sharesSpecific || qualifiers.has(word)) return 0;
    }
    weight += label.words.has(word) || !implied ? weightOf(word) : 0.5;
  }
  for (const word of label.words) {
    const implied = context.has(word);
    if (!name.words.has(word) && !implied) {
      if (qualifiers.has(word) || (!sharesSpecific && !generic.has(word))) return 0;
    }
    weight += name.words.has(word) || !implied ? weightOf(word) : 0.5;
  }
  return (2 * shared) / weight;
}

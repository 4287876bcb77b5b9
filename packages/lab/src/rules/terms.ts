import { foldedWords, meaning, singular } from '../reader/words.ts';

/** Words that stand in every question and sentence, and say nothing about what is meant. */
const idle = new Set(
  (
    'what which when how who whom whose where why is are was were be been do does did can could will would shall should may might must has have had ' +
    'the a an of for to in on at by with from as and or but if then than that this these those it its i me my we us our you your he she they them their ' +
    's t much many long please tell give show say let know now currently there here any some all both each about according not no yes also just only ' +
    'get fetch find look up lookup call tool use result answer question ' +
    'der die das des dem den ein eine einen einer eines und oder ist sind war waren wie was wann wer wo welche welcher welches viel viele lange fur von zu ' +
    'im am mit bitte sag sage gib mir ich wir uns sie es'
  ).split(' '),
);

/** A question or a subject takes part with this many words; later ones are not read. */
const mostWords = 60;

/** What a text is about: its words after folding, plurals, phrases and synonyms (those of the reader), idle words left out, each word once. */
export function termsOf(text: string): ReadonlySet<string> {
  const words = foldedWords(text)
    .filter((word) => !idle.has(word))
    .slice(0, mostWords)
    .map(singular);
  return new Set(meaning(words.join(' ')).map(singular));
}

/** How many of `some` are among `others`. */
export function shared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const term of some) if (others.has(term)) count += 1;
  return count;
}

/** Every term of `part` is in `whole`; never for an empty `part`. */
export function within(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return part.size > 0 && shared(part, whole) === part.size;
}

/** The same words in the same order, whatever their case, accents and punctuation. */
export function sameInput(one: string, other: string): boolean {
  const words = foldedWords(one);
  return words.length > 0 && words.join(' ') === foldedWords(other).join(' ');
}

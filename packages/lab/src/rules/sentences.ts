/** One sentence or line of an item, with the heading that it stands under. */
export interface Sentence {
  readonly text: string;
  /** The heading, tag or label above or before it, such as `Policy`; empty when there is none. */
  readonly source: string;
  /** The whole line is this sentence: it may be a `Label: value` whose value holds full stops. */
  readonly isLine: boolean;
}

/** Longer sentences are not read: bounds the work of the patterns. */
export const longestSentence = 400;

const heading =
  /^\s*(?:#{1,6}\s+(.{1,80}?)\s*#*|={2,}\s*(.{1,80}?)\s*={2,}|\[([^\]:]{1,80})\]|<([a-z][\w-]{0,40})>|\*\*([^*]{1,80})\*\*:?)\s*$/i;
const colonHeading = /^\s*([\p{L}][^:.?!]{0,60}):\s*$/u;
const closingTag = /^\s*<\/[a-z][\w-]{0,40}>\s*$/i;
const bullet = /^\s*(?:[-*•+–]|\d{1,3}[.)])\s+(?=\S)/;
/** `Policy: The window is 30 days.` says where the sentence comes from. */
const sourced = /^([\p{L}][^:=?.!]{0,60}):\s+(.{1,400})$/u;
const inlineTags = /<([a-z][\w-]{0,40})>([^<]{1,4000})<\/\1>/gi;
const abbreviations = /(?:^|\s)(?:no|nr|dr|mr|mrs|ms|st|e\.g|i\.e|approx|z\.b|vs|inc|ltd)$/i;

/** Reads a text line by line. A heading holds until the next one, `Heading:` until a blank line, a tag until it is closed. */
export function sentencesOf(text: string, saysSomething: (sentence: string) => boolean): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let source = '';
  let untilBlank = false;
  const lines = text.replace(inlineTags, '\n<$1>\n$2\n</$1>\n').split(/\r?\n/);
  for (const written of lines) {
    const line = written.length > longestSentence * 50 ? '' : written.replace(bullet, '').trim();
    if (line === '' || closingTag.test(line)) {
      if (untilBlank || line !== '') source = '';
      continue;
    }
    const opened = line.length <= longestSentence ? (heading.exec(line) ?? colonHeading.exec(line)) : null;
    if (opened !== null) {
      source = opened.slice(1).find((group) => group !== undefined) ?? '';
      untilBlank = line.endsWith(':');
      continue;
    }
    sentences.push(...sentencesOfLine(line, source, saysSomething));
  }
  return sentences;
}

function sentencesOfLine(line: string, source: string, saysSomething: (sentence: string) => boolean): readonly Sentence[] {
  const [first = '', ...rest] = split(line);
  const labelled = sourced.exec(first);
  const [, label = '', said = ''] = labelled ?? [];
  const all = [labelled === null ? first : said, ...rest];
  if (labelled !== null && all.some(saysSomething)) {
    return all.map((text) => ({ text, source: `${source} ${label}`.trim(), isLine: false }));
  }
  if (labelled !== null) return [{ text: line, source, isLine: true }];
  return all.map((text) => ({ text, source, isLine: false }));
}

/** Parts a line after `.`, `!` and `?` before a capital letter, a quote or the end; not after usual abbreviations, and not inside quotes. */
function split(line: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const here = line[at] ?? '';
    if (here === '"' || here === '“' || here === '”') quoted = here === '"' ? !quoted : here === '“';
    const closes = quoted ? false : /[.!?]/.test(here) || (/["”]/.test(here) && /[.!?]/.test(line[at - 1] ?? ''));
    if (!closes || !/^\s+["“\p{Lu}<]/u.test(line.slice(at + 1, at + 4))) continue;
    if (here === '.' && abbreviations.test(line.slice(Math.max(start, at - 8), at))) continue;
    parts.push(line.slice(start, at + 1).trim());
    start = at + 1;
  }
  parts.push(line.slice(start).trim());
  return parts.filter((part) => part !== '');
}

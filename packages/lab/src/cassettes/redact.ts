/** What stands in the place of a secret. */
export const redacted = '[redacted]';

/** Shorter texts are no secrets: replacing them would garble every body. */
const shortestSecret = 4;
/** A credential that was found in a request is a secret from this length on; a shorter one is a placeholder that local servers take. */
const shortestFoundSecret = 8;

/** Replaces secrets, in every spelling that JSON, URLs and JSON inside JSON have for them. */
export interface Redactor {
  /** Adds the credentials that a request carried. */
  learn(found: readonly string[]): void;
  text(text: string): string;
  bytes(bytes: Uint8Array): Uint8Array;
  /**
   * The pieces of one body. A secret that lies across pieces is replaced in the piece in which it began; a piece of which nothing is left is empty.
   * The number of pieces stays.
   */
  pieces(pieces: readonly Uint8Array[]): readonly Uint8Array[];
  /** There is something to look for. */
  active(): boolean;
  /** `text` holds a secret. */
  finds(text: string): boolean;
}

/** A redactor for `secrets` (SG-101). Texts under 4 characters are no secrets. Linear in what it reads, for a given number of secrets. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = new Set(secrets.filter((secret) => secret.length >= shortestSecret));
  let pattern = patternOf(known);
  const clean = (latin1: string): string => (pattern === undefined ? latin1 : latin1.replace(pattern, redacted));
  return {
    learn(found) {
      const before = known.size;
      for (const secret of found) if (secret.length >= shortestFoundSecret) known.add(secret);
      if (known.size > before) pattern = patternOf(known);
    },
    text: (text) => (pattern === undefined ? text : fromLatin1(clean(toLatin1(text)))),
    bytes: (bytes) => (pattern === undefined ? bytes : Buffer.from(clean(Buffer.from(bytes).toString('latin1')), 'latin1')),
    pieces: (pieces) => (pattern === undefined ? pieces : cleanPieces(pieces, pattern)),
    active: () => pattern !== undefined,
    finds: (text) => pattern !== undefined && toLatin1(text).search(pattern) >= 0,
  };
}

const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const fromLatin1 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

function cleanPieces(pieces: readonly Uint8Array[], pattern: RegExp): readonly Uint8Array[] {
  const whole = Buffer.concat(pieces).toString('latin1');
  const matches = [...whole.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  if (matches.length === 0) return pieces;
  let start = 0;
  let next = 0;
  return pieces.map((piece) => {
    const end = start + piece.length;
    let text = '';
    let at = start;
    for (let match = matches[next]; match !== undefined && match.start < end; match = matches[next]) {
      if (match.start >= start) text += whole.slice(at, match.start) + redacted;
      at = Math.min(match.end, end);
      if (match.end > end) break;
      next += 1;
    }
    text += whole.slice(at, end);
    start = end;
    return Buffer.from(text, 'latin1');
  });
}

/** Longest first, so that of two secrets that begin alike the whole of the longer one goes. Matches bytes, each as one Latin-1 character. */
function patternOf(secrets: ReadonlySet<string>): RegExp | undefined {
  if (secrets.size === 0) return undefined;
  const alternatives = [...secrets].sort((a, b) => b.length - a.length).map((secret) => [...secret].map(spellings).join(''));
  const firsts = new Set([...secrets].map((secret) => `\\x${hex(Buffer.from(secret, 'utf8')[0] ?? 0, 2)}`));
  // Most places begin no secret: one look says so.
  return new RegExp(`(?=[${[...firsts].join('')}\\\\%&+])(?:${alternatives.join('|')})`, 'g');
}

const named = new Map([
  ['"', 'quot'],
  ["'", 'apos'],
  ['&', 'amp'],
  ['<', 'lt'],
  ['>', 'gt'],
]);

/** Every spelling of one character: plain, behind backslashes, `\u…` (also in JSON inside JSON), percent-encoded (also twice), as a web page has it. */
function spellings(character: string): string {
  const bytes = [...Buffer.from(character, 'utf8')];
  const literal = bytes.map((byte) => `\\x${hex(byte, 2)}`).join('');
  const backslashes = /["\\/]/.test(character) ? '\\\\{0,8}' : '';
  const units = [...Array(character.length).keys()].map((at) => `\\\\{1,8}u${anyCase(hex(character.charCodeAt(at), 4))}`).join('');
  const percent = bytes.map((byte) => `%(?:25)?${anyCase(hex(byte, 2))}`).join('');
  const point = character.codePointAt(0) ?? 0;
  const page = `&#0{0,4}${point};|&#[xX]0{0,4}${anyCase(hex(point, 1))};${named.has(character) ? `|&${named.get(character)};` : ''}`;
  return `(?:${backslashes}${literal}|${units}|${percent}|${page}${character === ' ' ? '|\\+' : ''})`;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const anyCase = (digits: string): string => digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

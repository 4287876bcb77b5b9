import { readLiteral } from './repair.ts';
import { skipSpace } from './scan.ts';

/** What a marker says of the text around it. */
export type Marker =
  /** Reasoning starts; it ends at the next match of `close`. */
  | { readonly kind: 'reasoning-open'; readonly end: number; readonly close: RegExp; readonly keepsClose: boolean }
  /** Reasoning ended here, and began before the text did. */
  | { readonly kind: 'reasoning-close'; readonly end: number }
  | { readonly kind: 'answer-open'; readonly end: number }
  | { readonly kind: 'answer-close'; readonly end: number }
  | { readonly kind: 'fence'; readonly end: number; readonly language: string }
  /** A control token, a CDATA bracket or the like: no content. */
  | { readonly kind: 'noise'; readonly end: number };

const reasoningWords =
  'think|thinking|thought|thoughts|thinking_process|reasoning|reason|reflection|analysis|scratchpad|rationale|chain_of_thought|cot|inner_monologue|antthinking|seed:think|mm:think';
const answerWords = 'answer|final_answer|final|output|result|response|json_output|json';
// Attributes are bounded, so that a text of nothing but openers stays linear.
const reasoningOpen = new RegExp(`<(?:${reasoningWords})(?:\\s[^<>]{0,200})?>`, 'iy');
const reasoningClose = new RegExp(`</\\s{0,4}(?:${reasoningWords})\\s{0,4}>`, 'iy');
const reasoningEmpty = new RegExp(`<(?:${reasoningWords})\\s{0,4}/>`, 'iy');
const answerOpen = new RegExp(`<(?:${answerWords})(?:\\s[^<>]{0,200})?>`, 'iy');
const answerClose = new RegExp(`</\\s{0,4}(?:${answerWords})\\s{0,4}>`, 'iy');

/** Reasoning marks that are no angle-bracket tags. */
const reasoningPairs: readonly (readonly [open: RegExp, close: string])[] = [
  [/\[THINK(?:ING)?\]/iy, '\\[/THINK(?:ING)?\\]'],
  [/[◁◀]\s{0,2}think(?:ing)?\s{0,2}[▷▶]/iy, '[◁◀]\\s{0,2}/\\s{0,2}think(?:ing)?\\s{0,2}[▷▶]'],
  [/<\|begin_of_(?:thought|thinking|reasoning)\|>/iy, '<\\|end_of_(?:thought|thinking|reasoning)\\|>'],
  [
    /<\|(?:think|thinking|thought|reasoning)\|>/iy,
    '<\\|/(?:think|thinking|thought|reasoning)\\|>|<\\|end_(?:think|thinking|thought|reasoning)\\|>',
  ],
  [/<\|START_THINKING\|>/iy, '<\\|END_THINKING\\|>'],
];
const looseReasoningClose: readonly RegExp[] = reasoningPairs.map(([, close]) => new RegExp(close, 'iy'));

const channel = /<\|channel\|>\s{0,4}([a-z_]{1,20})([^<]{0,200})(?:<\|constrain\|>\s{0,4}\w{0,20}\s{0,4})?<\|message\|>/iy;
const channelEnd = '<\\|(?:end|return|call|start|channel)\\|>';
const startToken = /<\|start\|>[^<]{0,100}/iy;
const solutionOpen = /<\|begin_of_solution\|>|<\|START_RESPONSE\|>|<\|begin_of_box\|>/iy;
const solutionClose = /<\|end_of_solution\|>|<\|END_RESPONSE\|>|<\|end_of_box\|>|<\|(?:end|return)\|>/iy;
const controlToken =
  /<[|｜][^<>|｜\n]{1,60}[|｜]>|<\/?s>|<\/(?:function|tool_calls?|tool-use|tool_use|function_calls?|invoke|parameters?|arguments|args)>|\[\/?INST\]|<!\[CDATA\[|<\?xml[^<>]{0,200}\?>|<!DOCTYPE[^<>]{0,200}>/iy;
const fenceToken = /(`{3,}|~{3,})[ \t]*([\w+#.-]{0,40}(?=[\s{[]|$)|)/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The marker that starts at `at`, if one does. Bounded work. Call only outside strings: inside one, nothing is a marker. */
export function markerAt(text: string, at: number): Marker | undefined {
  switch (text.charCodeAt(at)) {
    case 0x3c: // <
      return tagAt(text, at) ?? channelAt(text, at) ?? tokenAt(text, at);
    case 0x5b: // [
      return pairAt(text, at) ?? tokenAt(text, at);
    case 0x25c1:
    case 0x25c0:
      return pairAt(text, at);
    case 0x5d: // ]
      return text.startsWith(']]>', at) ? { kind: 'noise', end: at + 3 } : undefined;
    case 0x60: // `
    case 0x7e: // ~
      return fenceAt(text, at);
    default:
      return undefined;
  }
}

/**
 * A reasoning channel whose control tokens a server stripped: the text starts with the channel's name, glued to a word, and the next channel's name
 * is glued to the answer.
 */
export function strippedChannelAt(text: string): Marker | undefined {
  const start = skipSpace(text, 0, text.length);
  if (!/^analysis[\p{L}\p{N}{["<]/u.test(text.slice(start, start + 10))) return undefined;
  return { kind: 'reasoning-open', end: start + 8, close: /assistant(?:final|commentary(?: to=[^{<]{0,80})?)/g, keepsClose: false };
}

const reasoningEnd = new RegExp(`\\n[^\\S\\n]{0,16}</(?:${reasoningWords})>[^\\S\\n]{0,16}(?=\\n)`, 'gi');

/** The position after the first mark from `from` on that ends reasoning and has a line of its own; undefined where there is none. */
export function reasoningEndLine(text: string, from: number): number | undefined {
  reasoningEnd.lastIndex = from;
  const match = reasoningEnd.exec(text);
  return match === null ? undefined : match.index + match[0].length;
}

function tagAt(text: string, at: number): Marker | undefined {
  const empty = matchAt(reasoningEmpty, text, at);
  if (empty !== null) return { kind: 'noise', end: at + empty[0].length };
  const open = matchAt(reasoningOpen, text, at);
  if (open !== null) {
    const close = new RegExp(`</\\s{0,4}(?:${reasoningWords})\\s{0,4}>`, 'gi');
    return { kind: 'reasoning-open', end: at + open[0].length, close, keepsClose: false };
  }
  const close = matchAt(reasoningClose, text, at);
  if (close !== null) return { kind: 'reasoning-close', end: at + close[0].length };
  const answer = matchAt(answerOpen, text, at);
  if (answer !== null) return { kind: 'answer-open', end: at + answer[0].length };
  const answered = matchAt(answerClose, text, at);
  if (answered !== null) return { kind: 'answer-close', end: at + answered[0].length };
  return pairAt(text, at);
}

function pairAt(text: string, at: number): Marker | undefined {
  for (const [index, [open, close]] of reasoningPairs.entries()) {
    const match = matchAt(open, text, at);
    if (match !== null) return { kind: 'reasoning-open', end: at + match[0].length, close: new RegExp(close, 'gi'), keepsClose: false };
    const ended = matchAt(looseReasoningClose[index] as RegExp, text, at);
    if (ended !== null) return { kind: 'reasoning-close', end: at + ended[0].length };
  }
  return undefined;
}

/** A channel header: `final` holds the answer, a header with a recipient is a call (see the dialects), every other is reasoning. */
function channelAt(text: string, at: number): Marker | undefined {
  const match = matchAt(channel, text, at);
  if (match !== null) {
    const end = at + match[0].length;
    if (match[1]?.toLowerCase() === 'final') return { kind: 'answer-open', end };
    if (/\bto=/.test(match[2] ?? '')) return undefined;
    return { kind: 'reasoning-open', end, close: new RegExp(channelEnd, 'gi'), keepsClose: true };
  }
  const opened = matchAt(solutionOpen, text, at);
  if (opened !== null) return { kind: 'answer-open', end: at + opened[0].length };
  const closed = matchAt(solutionClose, text, at);
  return closed === null ? undefined : { kind: 'answer-close', end: at + closed[0].length };
}

function tokenAt(text: string, at: number): Marker | undefined {
  const start = matchAt(startToken, text, at);
  if (start !== null) return { kind: 'noise', end: at + start[0].length };
  const token = matchAt(controlToken, text, at);
  return token === null ? undefined : { kind: 'noise', end: at + token[0].length };
}

function fenceAt(text: string, at: number): Marker | undefined {
  const match = matchAt(fenceToken, text, at);
  if (match === null) return undefined;
  const language = match[2] ?? '';
  // A word glued to the closing side of a fence is text; a value may start right after an opening one.
  const isValue = /^[0-9.+-]/.test(language) || readLiteral(language) !== undefined;
  return { kind: 'fence', end: at + (match[0].length - (isValue ? language.length : 0)), language: isValue ? '' : language.toLowerCase() };
}

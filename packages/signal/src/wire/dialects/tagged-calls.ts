import { closingQuotes, isOpener, skipSpace } from '../scan.ts';
import { type CallItem, namedArguments, type ParsedCalls, plainItem, type TaggedParameter } from './call-item.ts';
import { plainToolName } from './call-shape.ts';

const prefix = '(?:[a-z]{1,16}:|｜DSML｜)?';
const functionTag = /<function(?:=|\/|\s{1,4}name\s?=\s?["']?)\s{0,4}([\w.:-]{1,64})["']?/iy;
const functionClose = /\s{0,200}(?:\)?>?)\s{0,200}<\/?function>/iy;
const invokeTag = new RegExp(`<${prefix}invoke\\s{1,4}name\\s?=\\s?["']([\\w.:-]{1,64})["'][^<>]{0,100}>`, 'iy');
const invokeClose = new RegExp(`\\s{0,200}</${prefix}invoke>`, 'iy');
const parameterTag = new RegExp(`<${prefix}parameter(?:=|\\s{1,4}name\\s?=\\s?["'])([\\w.:-]{1,64})["']?[^<>]{0,100}>`, 'iy');
const parameterClose = new RegExp(`</${prefix}parameter>`, 'gi');

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function withoutLineFrame(text: string): string {
  const start = text.startsWith('\r\n') ? 2 : text.startsWith('\n') ? 1 : 0;
  const end = text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0;
  return text.length >= start + end ? text.slice(start, text.length - end) : '';
}

interface TaggedList {
  readonly parameters: readonly TaggedParameter[];
  readonly end: number;
  readonly cut: boolean;
}

/** The tagged parameters from `at` on, up to what is none. */
function taggedParameters(text: string, at: number, end: number): TaggedList {
  const parameters: TaggedParameter[] = [];
  let here = at;
  for (;;) {
    const from = skipSpace(text, here, end);
    const open = matchAt(parameterTag, text, from);
    if (open === null) return { parameters, end: from, cut: false };
    const valueStart = from + open[0].length;
    const close = matchAt(parameterClose, text, valueStart);
    if (close === null || close.index >= end) return { parameters, end, cut: true };
    parameters.push({ name: open[1] ?? '', text: withoutLineFrame(text.slice(valueStart, close.index)) });
    here = close.index + close[0].length;
  }
}

/** `<function=NAME>…</function>` in its spellings: with or without `>`, with `=` or `/`, JSON or tagged parameters. */
export function functionTagCall(text: string, at: number, end: number, maxDepth: number): ParsedCalls | undefined {
  const tag = matchAt(functionTag, text, at);
  if (tag === null) return undefined;
  const name = plainToolName(tag[1] ?? '');
  let here = at + tag[0].length;
  const opening = /\s{0,20}[=(]?\s{0,20}(\/?>)?/y;
  here += matchAt(opening, text, here)?.[0].length ?? 0;
  const selfClosed = text.slice(here - 2, here) === '/>';
  const from = skipSpace(text, here, end);
  if (from < end && (isOpener(text.charCodeAt(from)) || closingQuotes(text.charCodeAt(from)).length > 0)) {
    const parsed = namedArguments(text, from, end, name, at, maxDepth);
    if (parsed.kind !== 'calls') return parsed;
    const stop = afterClose(functionClose, />/y, text, parsed.end);
    const next = skipSpace(text, stop, end);
    // Without its closing tag, only the end or another mark may follow.
    if (stop === parsed.end && next < end && text.charCodeAt(next) !== 0x3c)
      return { kind: 'broken', end: stop, why: 'a function tag does not end' };
    return { ...parsed, end: stop };
  }
  const list = taggedParameters(text, from, end);
  if (list.cut || (list.end >= end && !selfClosed)) return { kind: 'cut', items: [], end, name };
  const close = matchAt(functionClose, text, list.end);
  if (list.parameters.length === 0 && close === null && !selfClosed)
    return { kind: 'broken', end: here, why: 'a function tag without arguments' };
  const stop = close === null ? list.end : list.end + close[0].length;
  if (close === null && !selfClosed && !/\s{0,20}<\//y.test(text.slice(list.end, list.end + 24))) {
    return { kind: 'broken', end: list.end, why: 'text stands between the parameters of a call' };
  }
  return { kind: 'calls', items: [plainItem(name, at, stop, taggedArguments(list.parameters))], end: stop };
}

const taggedArguments = (parameters: readonly TaggedParameter[]): Pick<CallItem, 'args' | 'parameters'> =>
  parameters.length === 0 ? {} : { parameters };

function afterClose(close: RegExp, loose: RegExp, text: string, at: number): number {
  const closed = matchAt(close, text, at) ?? matchAt(loose, text, at);
  return closed === null ? at : at + closed[0].length;
}

/** `<invoke name="NAME">` with `<parameter name="…">` children. */
export function invokeCall(text: string, at: number, end: number): ParsedCalls | undefined {
  const tag = matchAt(invokeTag, text, at);
  if (tag === null) return undefined;
  const name = plainToolName(tag[1] ?? '');
  const list = taggedParameters(text, at + tag[0].length, end);
  if (list.cut || list.end >= end) return { kind: 'cut', items: [], end, name };
  const close = matchAt(invokeClose, text, list.end);
  if (close === null) return { kind: 'broken', end: list.end, why: 'text stands between the parameters of a call' };
  const stop = list.end + close[0].length;
  return { kind: 'calls', items: [plainItem(name, at, stop, taggedArguments(list.parameters))], end: stop };
}

const keyedClose = /<\/(?:[a-z]{1,16}:)?(?:tool_calls?|function_calls?)>|```/iy;

/**
 * `NAME <arg_key>k</arg_key> <arg_value>v</arg_value> …`, which only its wrapper's closing mark completes: before that, a further argument could
 * still come.
 */
export function keyedArguments(text: string, at: number, end: number, name: string, start: number): ParsedCalls {
  const parameters: TaggedParameter[] = [];
  let here = at;
  for (;;) {
    const from = skipSpace(text, here, end);
    if (!text.startsWith('<arg_key>', from)) {
      if (matchAt(keyedClose, text, from) === null) return { kind: 'cut', items: [], end, name };
      return { kind: 'calls', items: [plainItem(name, start, from, taggedArguments(parameters))], end: from };
    }
    const keyEnd = text.indexOf('</arg_key>', from);
    const open = keyEnd < 0 ? -1 : skipSpace(text, keyEnd + 10, end);
    const close = open < 0 || !text.startsWith('<arg_value>', open) ? -1 : text.indexOf('</arg_value>', open);
    if (close < 0 || close >= end) return { kind: 'cut', items: [], end, name };
    parameters.push({ name: text.slice(from + 9, keyEnd).trim(), text: withoutLineFrame(text.slice(open + 11, close)) });
    here = close + 12;
  }
}

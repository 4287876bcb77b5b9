import { isOpener, skipSpace } from '../scan.ts';
import { type CallItem, jsonCalls, namedArguments, type ParsedCalls } from './call-item.ts';
import { plainToolName } from './call-shape.ts';
import { pythonicCalls } from './pythonic-calls.ts';
import { functionTagCall, invokeCall, keyedArguments } from './tagged-calls.ts';

/** What the dialects need to know. */
export interface DialectContext {
  /** A name that the request declares. Forms that prose could show too count only for these. */
  readonly isDeclared: (name: string) => boolean;
  readonly maxDepth: number;
}

/** Tokens that say: calls follow. */
const wrapperOpen =
  /<(?:[a-z]{1,16}:)?(?:tool_calls?|toolcalls?|tool-use|tool_use|function_calls?|functioncalls?)(?:\s[^<>]{0,100})?>|<\|(?:python_tag|tool_calls?|tool_call_start|START_ACTION|action_start|tool_calls_section_begin)\|>|<｜DSML｜function_calls>|<[|｜]tool[▁_]calls[▁_]begin[|｜]>|\[TOOL_CALLS\]|functools(?=\s{0,4}\[)|`{3,8}(?:tool_calls?|tool_code|function_calls?)(?=\s)/iy;
const wrapperClose =
  /<\/(?:[a-z]{1,16}:)?(?:tool_calls?|toolcalls?|tool-use|tool_use|function_calls?|functioncalls?)>|<\|(?:\/tool_calls?|tool_call_end|END_ACTION|action_end|tool_calls_section_end|eom_id|eot_id)\|>|<\/｜DSML｜function_calls>|<[|｜]tool[▁_]calls[▁_]end[|｜]>|\[\/TOOL_CALLS\]|`{3,8}(?!\w)/iy;
const filler =
  /(?:[\s,;]|<\|plugin\|>|\[TOOL_CALLS\]|```(?:json|python)|<(?:tool_call|function_call)>|<\/(?:tool_call|function_call)>(?=\s{0,20}<(?:tool_call|function_call)>)){1,50}/iy;
const sectionCall = /<[|｜]tool[▁_]call[▁_]begin[|｜]>/iy;
const sectionName = /\s{0,8}(?:function\s{0,4}<[|｜]tool[▁_]sep[|｜]>)?\s{0,8}([\w.:-]{1,80})\s{0,8}/y;
const sectionSeparator = /(?:<[|｜]tool[▁_]sep[|｜]>|<\|tool_call_argument_begin\|>)?\s{0,8}(?:```(?:json)?)?\s{0,8}/iy;
const sectionEnd = /\s{0,8}(?:```)?\s{0,8}(?:<[|｜]tool[▁_]call[▁_]end[|｜]>)?/iy;
const bareName =
  /([A-Za-z_][\w-]{0,63}(?:\.[\w-]{1,63})?)(?:\s{0,4}(?:\[CALL_ID\]\s{0,4}\w{1,64}\s{0,4})?\[ARGS\]\s{0,8}|\s{0,2}\n?)(?=[{<])/y;
const channelCall =
  /(?:<\|start\|>[^<]{0,100})?<\|channel\|>\s{0,4}[a-z_]{1,20}[^<]{0,40}\bto=([\w.:-]{1,80})[^<]{0,60}(?:<\|constrain\|>\s{0,4}\w{0,20}\s{0,4})?<\|message\|>|<\|start\|>assistant\s+to=([\w.:-]{1,80})[^<]{0,20}<\|channel\|>[^<]{0,60}(?:<\|constrain\|>\s{0,4}\w{0,20}\s{0,4})?<\|message\|>/iy;
const channelStop = /\s{0,8}<\|(?:call|end|return)\|>/iy;
const maxItems = 128;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const afterMatch = (pattern: RegExp, text: string, at: number): number => at + (matchAt(pattern, text, at)?.[0].length ?? 0);

/** The calls that a dialect writes at `at`; undefined where no dialect starts. Call only outside strings. Linear in what it reads. */
export function textCallsAt(text: string, at: number, end: number, context: DialectContext): ParsedCalls | undefined {
  const code = text.charCodeAt(at);
  if (code !== 0x3c && code !== 0x5b && code !== 0x66 && code !== 0x46 && code !== 0x60) return undefined;
  if (code === 0x3c) {
    const channel = channelCallAt(text, at, end, context);
    if (channel !== undefined) return channel;
    const tagged = taggedItem(text, at, end, context);
    if (tagged !== undefined) return tagged;
  }
  const open = matchAt(wrapperOpen, text, at);
  if (open !== null) return wrapped(text, at + open[0].length, end, context);
  return code === 0x5b ? pythonicCalls(text, at, end, context.maxDepth, context.isDeclared) : undefined;
}

/** A call of a declared tool that is the whole of a region without any mark: `print(default_api.NAME(…))` or `NAME(…)`. */
export function bareCallAt(text: string, at: number, end: number, context: DialectContext): ParsedCalls | undefined {
  return pythonicCalls(text, at, end, context.maxDepth, context.isDeclared);
}

function channelCallAt(text: string, at: number, end: number, context: DialectContext): ParsedCalls | undefined {
  const match = matchAt(channelCall, text, at);
  if (match === null) return undefined;
  const name = plainToolName(match[1] ?? match[2] ?? '');
  const parsed = namedArguments(text, at + match[0].length, end, name, at, context.maxDepth);
  return parsed.kind === 'calls' ? { ...parsed, end: afterMatch(channelStop, text, parsed.end) } : parsed;
}

function taggedItem(text: string, at: number, end: number, context: DialectContext): ParsedCalls | undefined {
  return functionTagCall(text, at, end, context.maxDepth) ?? invokeCall(text, at, end) ?? sectionCallAt(text, at, end, context);
}

/** `<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME …` and `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>…`. */
function sectionCallAt(text: string, at: number, end: number, context: DialectContext): ParsedCalls | undefined {
  const open = matchAt(sectionCall, text, at);
  if (open === null) return undefined;
  const nameAt = at + open[0].length;
  const named = matchAt(sectionName, text, nameAt);
  if (named === null)
    return nameAt >= end ? { kind: 'cut', items: [], end } : { kind: 'broken', end: nameAt, why: 'a call without a name' };
  const name = plainToolName(named[1] ?? '');
  const argsAt = afterMatch(sectionSeparator, text, nameAt + named[0].length);
  const parsed = namedArguments(text, argsAt, end, name, at, context.maxDepth);
  if (parsed.kind !== 'calls') return parsed;
  const stop = afterMatch(sectionEnd, text, parsed.end);
  // Between the arguments and the next mark stands nothing: what does may be the rest of them.
  const next = skipSpace(text, stop, end);
  return next >= end || text.charCodeAt(next) === 0x3c
    ? { ...parsed, end: stop }
    : { kind: 'broken', end: stop, why: 'text stands after the arguments of a call' };
}

function wrapped(text: string, at: number, end: number, context: DialectContext): ParsedCalls {
  const items: CallItem[] = [];
  let here = at;
  while (items.length < maxItems) {
    here = skipSpace(text, afterMatch(filler, text, here), end);
    const close = matchAt(wrapperClose, text, here);
    if (close !== null) {
      if (items.length === 0) return { kind: 'broken', end: here + close[0].length, why: 'a call wrapper holds no call' };
      return { kind: 'calls', items, end: here + close[0].length };
    }
    if (here >= end) return items.length > 0 ? { kind: 'calls', items, end } : { kind: 'cut', items, end };
    const parsed = wrappedItem(text, here, end, context);
    if (parsed === undefined && isBegunName(text, here, end)) return { kind: 'cut', items, end };
    if (parsed === undefined) break;
    if (parsed.kind === 'cut') return { ...parsed, items: [...items, ...parsed.items] };
    if (parsed.kind !== 'calls') return parsed;
    items.push(...parsed.items);
    here = parsed.end;
  }
  return items.length > 0 ? { kind: 'calls', items, end: here } : { kind: 'broken', end: here, why: 'a call wrapper holds no call' };
}

const begunName = /[\w.:-]{1,80}\s{0,8}(?:\[[A-Z_]{0,8}\]?\s{0,8})?/y;

/** The text ends with a name whose arguments did not come. */
const isBegunName = (text: string, at: number, end: number): boolean => at + (matchAt(begunName, text, at)?.[0].length ?? 0) >= end;

function wrappedItem(text: string, at: number, end: number, context: DialectContext): ParsedCalls | undefined {
  const code = text.charCodeAt(at);
  if (code === 0x3c) return taggedItem(text, at, end, context);
  const anyName = (): boolean => true;
  if (code === 0x5b) {
    const pythonic = pythonicCalls(text, at, end, context.maxDepth, anyName);
    if (pythonic !== undefined) return pythonic;
  }
  if (isOpener(code)) return jsonCalls(text, at, end, context.maxDepth);
  const named = matchAt(bareName, text, at);
  if (named !== null) {
    const name = plainToolName(named[1] ?? '');
    const argsAt = at + named[0].length;
    if (text.charCodeAt(argsAt) === 0x7b) return namedArguments(text, argsAt, end, name, at, context.maxDepth);
    if (text.startsWith('<arg_key>', argsAt)) return keyedArguments(text, argsAt, end, name, at);
  }
  return pythonicCalls(text, at, end, context.maxDepth, anyName);
}

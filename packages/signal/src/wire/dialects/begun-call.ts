/** The opening marks of calls, as far as they are fixed. */
const openers = [
  '<tool_call>',
  '<tool_calls>',
  '<toolcall>',
  '<tool_use>',
  '<function_call>',
  '<function_calls>',
  '<function=',
  '<function/',
  '<function name=',
  '<invoke name=',
  '<|tool_call|>',
  '<|tool_calls|>',
  '<|tool_call_start|>',
  '<|tool_call_begin|>',
  '<|tool_calls_section_begin|>',
  '<|python_tag|>',
  '<|START_ACTION|>',
  '<|start|>',
  '<|channel|>',
  '[TOOL_CALLS]',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁calls▁begin｜>',
  '<｜DSML｜function_calls>',
] as const;

/** Openers that carry a name or a header, of which any part may have come. */
const headers = [
  /^<(?:tool_calls?|function_calls?|tool_use)\s[^<>]*>?$/i,
  /^<function(?:=|\/|\s+name\s?=)\s?["']?[\w.:-]*["']?\s?>?$/i,
  /^<(?:[a-z]{1,16}:|｜DSML｜)?invoke(?:\s[^<>]*)?>?$/i,
  /^<(?:[a-z]{1,16}:)(?:i|in|inv|invo|invok|[tf][a-z_]*>?)?$/i,
  /^<(?:\|tool_call_begin\||[|｜]tool[▁_]call[▁_]begin[|｜])>[^<{["]*(?:<[|｜][^<>{]*>?)?[^<{["]*$/i,
  /^<\|(?:start|channel)\|>[^<{["]*(?:<\|?[a-z]*\|?>?[^<{["]*){0,3}$/i,
  /^\[TOOL_CALLS\]\s*[\w.:-]*\s*(?:\[[A-Z_]*\]?)?$/,
] as const;

/** Longest tail that is looked at: an opener and a name. */
const longestTail = 400;
const mostMarks = 8;

/**
 * The text behind `from` ends with the opening mark of a call, or with a part of one: a call has begun, and nothing of it came (SG-072). `from` must
 * lie behind the last value or call, so that no string is looked into. Bounded work.
 */
export function endsInBegunCall(text: string, from: number): boolean {
  const tail = text.slice(Math.max(from, text.length - longestTail)).trimEnd();
  let at = tail.length;
  for (let marks = 0; marks < mostMarks && at > 0; marks += 1) {
    at = Math.max(tail.lastIndexOf('<', at - 1), tail.lastIndexOf('[', at - 1));
    if (at < 0) return false;
    const rest = tail.slice(at);
    const lower = rest.toLowerCase();
    if (openers.some((opener) => opener.toLowerCase().startsWith(lower)) || headers.some((header) => header.test(rest))) return true;
  }
  return false;
}

import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabReply } from '../../answer.ts';
import { lineText, ndjsonReply } from '../../wires/ollama.ts';
import { jsonReply } from '../../wires/wire.ts';
import { blocksOf, content, cutAtLastColon, firstHalf, onlyCall } from '../build.ts';
import { escapeLetters } from '../json-text.ts';
import { type Apply, type Pathology, type PathologyContext, type Row, row } from '../pathology.ts';

const ollamaRow = (id: string, title: string, apply: Apply, rest: Omit<Row, 'apply' | 'applyOn' | 'wires'>): Pathology =>
  row(id, title, { wires: ['ollama'], applyOn: { ollama: apply }, ...rest });

const linesReply = (lines: readonly (string | Uint8Array)[]): LabReply => ({ raw: { ...ndjsonReply([]), chunks: lines } });

const parsedLine = (line: string): JsonObject => JSON.parse(line) as JsonObject;

/** The answer with its last object changed, whole or streamed. */
function ending(answer: LabAnswer, context: PathologyContext, change: (last: JsonObject) => JsonObject): LabReply {
  const { request, frame, wire } = context;
  if (!request.stream) {
    const [body] = wire.whole(answer, request, frame).chunks;
    return { raw: jsonReply(200, change(parsedLine(Buffer.from(body ?? '{}').toString()))) };
  }
  const lines = blocksOf(answer, context);
  return linesReply(lines.map((line, place) => (place === lines.length - 1 ? lineText(change(parsedLine(line))) : line)));
}

/** The model's process dies in the middle; the line may be the last thing, without an end. */
const errorLine: Apply = (answer, context) => {
  const line = lineText({ error: 'an error was encountered while running the model: CUDA error' });
  return linesReply([...firstHalf(answer, context), context.frame.random.below(2) === 0 ? line : line.trimEnd()]);
};

const withoutLastLineEnd: Apply = (answer, context) => {
  const lines = blocksOf(answer, context);
  return linesReply(lines.map((line, place) => (place === lines.length - 1 ? line.trimEnd() : line)));
};

/** Calls on lines of their own before the text, or on the last line. */
const callsThenStop: Apply = (answer, context) => {
  const plain = { ...answer, finish: 'stop' };
  if (!context.request.stream) return content(plain, {});
  const lines = blocksOf(plain, context).map(parsedLine);
  const calls = lines.flatMap((line) => {
    const { message } = line as { readonly message?: JsonValue };
    return isJsonObject(message) && Array.isArray(message.tool_calls) ? (message.tool_calls as readonly JsonValue[]) : [];
  });
  const others = lines.filter((line) => !isJsonObject(line.message) || line.message.tool_calls === undefined);
  const holding = (line: JsonObject): JsonObject => ({
    ...line,
    message: { ...(isJsonObject(line.message) ? (line.message as JsonObject) : {}), tool_calls: calls },
  });
  const last = others.at(-1);
  if (last === undefined || calls.length === 0) return undefined;
  return linesReply([...others.slice(0, -1), holding(last)].map(lineText));
};

const cutInsideCharacters: Apply = (answer, context) => {
  const bytes = Buffer.from(blocksOf(answer, context).join(''));
  const cuts = [...bytes.keys()].filter((at) => (bytes[at] ?? 0) >= 0xc0).map((at) => at + 1);
  if (cuts.length === 0) return undefined;
  return linesReply([0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length)));
};

const withoutInputCount: Apply = (answer, context) =>
  ending(answer, context, ({ prompt_eval_count: _count, prompt_eval_duration: _duration, ...last }) => last);

/** The model wrote the answer where it thinks. */
const inThinking: Apply = (answer) => content(answer, { text: '', thinking: [{ text: answer.text ?? '' }] });

/** The server gave up on the text of a call, and shows it. */
const unparsable: Apply = (answer) => {
  const call = onlyCall(answer);
  const cut = call === undefined ? undefined : cutAtLastColon(call.arguments);
  if (cut === undefined) return undefined;
  return { raw: jsonReply(500, { error: `error parsing tool call: raw='${cut}' , err=unexpected end of JSON input` }) };
};

/** A model that was loaded and not asked. */
const loaded: Apply = (answer, context) => {
  const { usage: _usage, ...silent } = answer;
  const empty: LabAnswer = { ...silent, text: '', toolCalls: [], thinking: [], finish: 'load', usage: null };
  return ending(empty, context, (last) => last);
};

/** G1 to G10. */
export const ollamaRows: readonly Pathology[] = [
  ollamaRow('G1', 'error-line', errorLine, {
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'overloaded, partial output attached',
  }),
  ollamaRow('G2', 'no-final-newline', withoutLastLineEnd, {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the last line is read',
  }),
  ollamaRow('G3', 'tool-then-stop', callsThenStop, { needs: 'tools', expected: 'tool_calls', outcome: 'finish tool_calls' }),
  ollamaRow('G4', 'no-done', (answer, context) => linesReply(blocksOf(answer, context).slice(0, -1)), {
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'truncated',
  }),
  ollamaRow('G5', 'multibyte-cut', cutInsideCharacters, {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the character is whole',
  }),
  ollamaRow('G6', 'prompt_eval_count-missing', withoutInputCount, { needs: 'any', expected: 'value', outcome: 'input unknown' }),
  ollamaRow('G7', 'json-in-thinking', inThinking, {
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'reasoning is never the answer',
  }),
  ollamaRow('G8', 'parse-500', unparsable, { needs: 'tools', expected: 'typed-failure', outcome: 'the generation failed' }),
  ollamaRow('G9', 'load-only', loaded, { needs: 'any', expected: 'typed-failure', outcome: 'an empty response' }),
  ollamaRow(
    'G10',
    'not-found-404',
    (_answer, { request }) => ({
      raw: jsonReply(404, { error: `model "${request.model}" not found, try pulling it first` }),
    }),
    { needs: 'any', expected: 'typed-failure', outcome: 'configuration' },
  ),
];

/** Bytes of padding in S6. */
const longLineBytes = 1_000_000;

/** Rows of other wires in the bytes of this one. */
export const ollamaShapes: Readonly<Record<'C24' | 'C27' | 'C28' | 'D9' | 'D11' | 'S6' | 'S13' | 'S14' | 'S15' | 'S22', Apply>> = {
  C24(answer, context) {
    const escaped = escapeLetters(answer.text ?? '');
    const head = blocksOf({ ...answer, text: '', thinking: [] }, context)
      .map(parsedLine)
      .at(-1);
    if (escaped === undefined || head === undefined) return undefined;
    const pieces = escaped.split(/(?<=\\u[0-9a-f]{2})(?=[0-9a-f]{2})|(?<=\\ud[89ab][0-9a-f]{2})/);
    const { done: _done, done_reason: _reason, ...rest } = head;
    const lines = pieces.map((piece) => ({ ...rest, message: { role: 'assistant', content: piece }, done: false }));
    return linesReply([...lines, head].map(lineText));
  },
  C27: (answer, { request, frame, wire }) => ({ raw: wire.whole(answer, request, frame) }),
  C28: (answer, context) => linesReply(blocksOf(answer, context)),
  D9: () => ({ raw: jsonReply(400, { error: 'registry.ollama.ai/library/q does not support tools' }) }),
  D11: (_answer, { frame }) => ({
    raw: jsonReply(429, { error: 'too many requests' }, { 'retry-after': frame.random.below(2) === 0 ? '0' : '-1' }),
  }),
  S6(answer, context) {
    const [first = '{}', ...rest] = blocksOf(answer, context);
    return linesReply([lineText({ ...parsedLine(first), padding: 'x'.repeat(longLineBytes) }), ...rest]);
  },
  S13(answer, context) {
    const lines = blocksOf(answer, context);
    return linesReply(lines.map((line, place) => (place % 2 === 0 && place < lines.length - 1 ? line.trimEnd() : line)));
  },
  S14(answer, context) {
    const lines = blocksOf(answer, context);
    const headers = { 'content-type': 'text/event-stream' };
    const asEvents = context.frame.random.below(2) === 0;
    return { raw: { ...ndjsonReply(asEvents ? lines.map((line) => `data: ${line}\n`) : lines), headers } };
  },
  S15: () => ({ raw: jsonReply(200, { error: 'llama runner process has terminated' }) }),
  S22(answer, context) {
    const lines = blocksOf(answer, context);
    const at = Math.min(1, lines.length - 2);
    return linesReply(lines.map((line, place) => (place === at ? line.replace(/}\n$/, ',}\n') : line)));
  },
};

import type { LabAnswer, LabReply } from '../answer.ts';
import { choiceChunk, dataEvent, doneEvent, usageBody } from '../wires/openai-chat.ts';
import { blocksOf, chunksOf, errorReply, firstHalf, streamOfBlocks, textReply } from './build.ts';
import { gzipped, oneOf } from './errors.ts';
import { type Apply, type Pathology, type PathologyContext, row } from './pathology.ts';
import { jsonList } from './wires/gemini.ts';
import { ollamaShapes } from './wires/ollama.ts';

/** Rows that show in lines of JSON too. */
const inLines = { wires: ['openai-chat', 'ollama'] } as const;

const framingRow = (id: string, title: string, apply: Apply, rest: Partial<Pathology> = {}): Pathology =>
  row(id, title, { needs: 'any', delivery: 'parts', expected: 'value', outcome: 'the answer is untouched', apply, ...rest });

/** The answer's stream with its text rewritten. */
const rewritten =
  (rewrite: (text: string, context: PathologyContext) => string): Apply =>
  (answer, context) =>
    streamOfBlocks([rewrite(blocksOf(answer, context).join(''), context)], context.frame);

/** Each block of the answer's stream rewritten. */
const eachBlock =
  (rewrite: (block: string, place: number) => string): Apply =>
  (answer, context) =>
    streamOfBlocks(blocksOf(answer, context).map(rewrite), context.frame);

/** The answer's stream with other blocks for its last, `[DONE]`. */
const endingIn =
  (end: (answer: LabAnswer, context: PathologyContext) => readonly string[]): Apply =>
  (answer, context) =>
    streamOfBlocks([...blocksOf(answer, context).slice(0, -1), ...end(answer, context)], context.frame);

/** Bytes in one event of S6, which is as long as a whole echoed response. */
const longEventBytes = 1_000_000;
/** Longer streams are not sent byte by byte: each byte is a write. */
const mostSingleBytes = 20_000;

/** S1 to S13: lines and events. */
export const eventFraming: readonly Pathology[] = [
  framingRow('S1', 'no blank line at the end', (answer, context) => {
    const keepsDone = context.frame.random.below(2) === 0;
    const blocks = blocksOf(answer, context).slice(0, keepsDone ? undefined : -1);
    return streamOfBlocks(
      blocks.map((block, place) => (place === blocks.length - 1 ? block.trimEnd() : block)),
      context.frame,
    );
  }),
  framingRow(
    'S2',
    'no space or two spaces after data:',
    rewritten((text, context) => {
      const gap = oneOf(['', '  '], context);
      return text.replaceAll(/^data: /gm, `data:${gap}`);
    }),
  ),
  framingRow(
    'S3',
    'CRLF, split between CR and LF',
    (answer, context) => {
      const text = blocksOf(answer, context).join('').replaceAll('\n', '\r\n');
      return streamOfBlocks(text.split(/(?<=\r)(?=\n)/), context.frame);
    },
    inLines,
  ),
  framingRow(
    'S4',
    'lone CR',
    rewritten((text) => text.replaceAll('\n', '\r')),
  ),
  framingRow(
    'S5',
    'multibyte character cut by a chunk',
    (answer, context) => {
      const bytes = Buffer.from(blocksOf(answer, context).join(''));
      const cuts = [...bytes.keys()].filter((at) => (bytes[at] ?? 0) >= 0xc0).map((at) => at + 1);
      if (cuts.length === 0) return undefined;
      const pieces = [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
      return streamOfBlocks(pieces, context.frame);
    },
    inLines,
  ),
  framingRow(
    'S6',
    'one event of a megabyte',
    (answer, context) => {
      const [first, ...rest] = chunksOf(answer, context);
      const long = { ...first, obfuscation: 'x'.repeat(longEventBytes) };
      return streamOfBlocks([...[long, ...rest].map(dataEvent), doneEvent], context.frame);
    },
    { ...inLines, applyOn: { ollama: ollamaShapes.S6 } },
  ),
  framingRow(
    'S7',
    'all events in one chunk, or one byte per chunk',
    (answer, context) => {
      const bytes = Buffer.from(blocksOf(answer, context).join(''));
      const isSingle = bytes.length <= mostSingleBytes && context.frame.random.below(2) === 0;
      return streamOfBlocks(isSingle ? [...bytes].map((byte) => Uint8Array.of(byte)) : [bytes], context.frame);
    },
    inLines,
  ),
  framingRow(
    'S8',
    '[DONE] variants',
    endingIn((_answer, context) => [
      oneOf(
        ['data:[DONE]\n\n', 'data: [DONE]\r\n\r\n', 'data: "[DONE]"\n\n', 'event: done\ndata: [DONE]\n\n', doneEvent + doneEvent, ''],
        context,
      ),
    ]),
  ),
  framingRow(
    'S9',
    'data after [DONE]',
    endingIn((answer, { frame }) => [
      doneEvent,
      ': bye\n\n',
      dataEvent({ ...choiceChunk(frame, {}), choices: [], ...(answer.usage === null ? {} : { usage: usageBody(answer.usage) }) }),
    ]),
  ),
  framingRow(
    'S10',
    'comments as heartbeat',
    eachBlock((block, place) => {
      const comments = [': OPENROUTER PROCESSING\n\n', ': keep-alive\n\n', ':\n', '\n\n', ': ping - 2026-11-30 10:00:00\n\n'];
      return `${comments[place % comments.length]}${block}`;
    }),
  ),
  framingRow(
    'S11',
    'ping events',
    eachBlock((block, place) => {
      const pings = ['event: ping\ndata: {"type":"ping"}\n\n', 'event: ping\ndata: {}\n\n', 'event: ping\ndata: ping\n\n'];
      return `${pings[place % pings.length]}${block}`;
    }),
  ),
  framingRow(
    'S12',
    'event after data',
    eachBlock((block) => `${block.trimEnd()}\nevent: message\n\n`),
  ),
  framingRow(
    'S13',
    'several objects in one event',
    (answer, context) => {
      const blocks = blocksOf(answer, context);
      const pairs = blocks
        .slice(0, -1)
        .flatMap((block, place) => (place % 2 === 0 ? [`${block.trimEnd()}\n${blocks.slice(0, -1)[place + 1] ?? '\n'}`] : []));
      return streamOfBlocks([...pairs, doneEvent], context.frame);
    },
    { ...inLines, applyOn: { ollama: ollamaShapes.S13 } },
  ),
];

const htmlErrors: readonly [readonly [number, string], ...(readonly [number, string])[]] = [
  [502, '502 Bad Gateway'],
  [503, '503 Service Temporarily Unavailable'],
  [520, '520 Web server is returning an unknown error'],
  [529, '529 Site is overloaded'],
];

const streamErrors: readonly [string, ...string[]] = [
  'event: error\ndata: {"error":{"message":"The model crashed","type":"server_error","code":null,"param":null}}\n\n',
  'data: {"error":{"message":"The model crashed","type":"server_error","code":null,"param":null}}\n\n',
  'error: the model crashed\n\n',
  'data: error\n\n',
];

/** S14 to S27: types, bodies and connections. */
export const bodyFraming: readonly Pathology[] = [
  framingRow('S14', 'wrong content type', mistyped, { ...inLines, applyOn: { ollama: ollamaShapes.S14 } }),
  framingRow('S15', '200 with a JSON error', () => errorReply(200, 'The server is overloaded', 'server_error', 'overloaded'), {
    ...inLines,
    applyOn: { ollama: ollamaShapes.S15 },
    tries: 'first',
    outcome: 'an error before any output: retried like its status',
  }),
  row('S16', '200 with a JSON array', {
    wires: ['gemini'],
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'read',
    applyOn: { gemini: jsonList },
  }),
  framingRow(
    'S17',
    'HTML error page',
    (_answer, context) => {
      const [status, title] = oneOf(htmlErrors, context);
      return textReply(
        status,
        'text/html; charset=UTF-8',
        `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
      );
    },
    { ...inLines, delivery: 'both', tries: 'first', outcome: 'overloaded, retried by status' },
  ),
  framingRow(
    'S18',
    'error as an event',
    (answer, context) => streamOfBlocks([...firstHalf(answer, context), oneOf(streamErrors, context)], context.frame),
    {
      expected: 'typed-failure',
      outcome: 'a typed error with the partial output',
    },
  ),
  framingRow('S19', 'gzip though not asked', (answer, context) =>
    streamOfBlocks([gzipped(blocksOf(answer, context).join(''))], context.frame, {
      headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
    }),
  ),
  framingRow(
    'S20',
    'end without a terminal mark',
    (answer, context) => streamOfBlocks(firstHalf(answer, context), context.frame, { ending: oneOf(['end', 'reset', 'cut'], context) }),
    {
      ...inLines,
      expected: 'typed-failure',
      outcome: 'truncated',
    },
  ),
  framingRow('S21', 'stalled', (answer, context) => streamOfBlocks(firstHalf(answer, context), context.frame, { ending: 'stall' }), {
    ...inLines,
    expected: 'typed-failure',
    outcome: 'timeout without a byte',
  }),
  framingRow('S22', 'broken JSON in an event', brokenEvent, {
    ...inLines,
    applyOn: { ollama: ollamaShapes.S22 },
    expected: 'typed-failure',
    outcome: 'a typed parse error with the raw event',
  }),
  framingRow(
    'S23',
    'BOM on every event',
    eachBlock((block) => `\ufeff${block}`),
  ),
  framingRow(
    'S24',
    'field in another case',
    rewritten((text) => text.replaceAll(/^data: /gm, 'Data: ')),
    {
      expected: 'typed-failure',
      outcome: 'ignored by the grammar: nothing was said',
    },
  ),
  framingRow(
    'S25',
    'close-delimited, or with a length',
    (answer, context) => {
      const text = blocksOf(answer, context).join('');
      const length = { 'content-type': 'text/event-stream', 'content-length': String(Buffer.byteLength(text)) };
      return streamOfBlocks([text], context.frame, context.frame.random.below(2) === 0 ? { framing: 'close' } : { headers: length });
    },
    inLines,
  ),
  framingRow(
    'S26',
    '204, or 200 without a body',
    (_answer, context) => {
      const status = oneOf([204, 200], context);
      return { raw: { status, headers: status === 204 ? {} : { 'content-length': '0' }, chunks: [], ending: 'end' } };
    },
    { ...inLines, delivery: 'both', tries: 'first', outcome: 'an empty response, retried' },
  ),
  framingRow(
    'S27',
    'redirect of the POST',
    (_answer, context) => {
      const status = oneOf([307, 308], context);
      return { raw: { status, headers: { location: context.path, 'content-length': '0' }, chunks: [], ending: 'end' } };
    },
    { ...inLines, delivery: 'both', tries: 'first', outcome: 'followed, as the origin is the same' },
  ),
];

/** Events under a wrong type or none, or lines of JSON under the type of events. */
function mistyped(answer: LabAnswer, context: PathologyContext): LabReply {
  const type = oneOf(['application/json', 'text/plain', '', 'ndjson'], context);
  if (type !== 'ndjson')
    return streamOfBlocks(blocksOf(answer, context), context.frame, { headers: type === '' ? {} : { 'content-type': type } });
  return streamOfBlocks(
    chunksOf(answer, context).map((chunk) => `${JSON.stringify(chunk)}\n`),
    context.frame,
  );
}

/** One chunk that says something is no longer JSON. */
function brokenEvent(answer: LabAnswer, context: PathologyContext): LabReply | undefined {
  const blocks = blocksOf(answer, context);
  const breaks = [
    (block: string) => block.replace(/}\n\n$/, ',}\n\n'),
    (block: string) => block.replace(/"created":\d+/, '"created":NaN'),
  ] as const;
  const spoil = oneOf(breaks, context);
  const at = Math.min(1, blocks.length - 2);
  return streamOfBlocks(
    blocks.map((block, place) => (place === at ? spoil(block) : block)),
    context.frame,
  );
}

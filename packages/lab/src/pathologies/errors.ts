import { gzipSync } from 'node:zlib';
import type { JsonObject } from '@vouch/contracts';
import type { LabReply } from '../answer.ts';
import { choiceChunk, dataEvent } from '../wires/openai-chat.ts';
import { jsonReply } from '../wires/wire.ts';
import { blocksOf, errorReply, firstHalf, streamOfBlocks, textReply } from './build.ts';
import { responsesErrors, responsesNoArgumentsDone } from './openai-responses.ts';
import { type Apply, type Pathology, type PathologyContext, type PathologyWire, row } from './pathology.ts';
import { messagesErrors } from './wires/anthropic.ts';
import { arrayError, contextExceeded, retryInfo } from './wires/gemini.ts';
import { ollamaShapes } from './wires/ollama.ts';

const anyWire: readonly PathologyWire[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama'];

/** One of the listed, drawn. */
export function oneOf<T>(list: readonly [T, ...T[]], { frame }: PathologyContext): T {
  return list[frame.random.below(list.length)] ?? list[0];
}

const page = (title: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;

/** The message of an error in nine forms; each is a mistake that no retry mends. */
const errorForms: readonly [JsonObject, ...JsonObject[]] = [
  { error: "model 'q' not found" },
  { error: "'response_format.type' must be 'json_schema' or 'text'" },
  { detail: 'Invalid key' },
  { detail: [{ loc: ['body', 'seed'], msg: 'extra' }] },
  { message: 'The seed is not supported.' },
  { object: 'error', message: 'The seed is not supported.', type: 'invalid_request_error', code: '3051' },
  { code: 'Client specified an invalid argument', error: 'The seed is not supported.' },
  {
    status_code: 400,
    error: { message: 'The seed is not supported.', type: 'invalid_request_error', param: 'seed', code: 'wrong_api_format' },
  },
  { error: { code: '1214', message: 'The seed is not supported.' } },
];

const contextForms: readonly [JsonObject, ...JsonObject[]] = [
  {
    error: {
      message: "This model's maximum context length is 8192 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
  {
    object: 'error',
    message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    type: 'BadRequestError',
    code: 400,
  },
  {
    error: {
      code: 400,
      message: 'the request exceeds the available context size',
      type: 'exceed_context_size_error',
      n_prompt_tokens: 9000,
      n_ctx: 8192,
    },
  },
];

/** D1 to D15: errors of the service. */
export const serviceErrors: readonly Pathology[] = [
  row('D1', '200-error-object', {
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'overloaded by the code inside; retried like that status',
    apply: () => {
      const metadata = { provider_name: 'X', raw: '{"error":{"message":"upstream"}}' };
      return { raw: jsonReply(200, { error: { code: 502, message: 'Provider returned error', metadata } }) };
    },
  }),
  row('D2', 'openrouter-mid-stream', {
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'overloaded, partial output attached',
    apply: (answer, context) => {
      const chunk = {
        ...choiceChunk(context.frame, { content: '' }, 'error'),
        provider: 'X',
        error: { code: 502, message: 'Upstream idle' },
      };
      return streamOfBlocks([': OPENROUTER PROCESSING\n\n', ...firstHalf(answer, context), dataEvent(chunk)], context.frame);
    },
  }),
  row('D3', 'openai-mid-stream', {
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'overloaded, partial output attached',
    apply: (answer, context) => {
      const error = { error: { message: 'The server had an error', type: 'server_error', param: null, code: null } };
      return streamOfBlocks([...firstHalf(answer, context), dataEvent(error)], context.frame);
    },
  }),
  ...messagesErrors,
  row('D6', 'html-502', {
    wires: anyWire,
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'overloaded; no parse error',
    apply: () => textReply(502, 'text/html', page('502 Bad Gateway')),
  }),
  row('D7', 'html-200', {
    wires: anyWire,
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'a login page: the address is wrong',
    apply: () =>
      textReply(
        200,
        'text/html',
        '<!doctype html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>',
      ),
  }),
  row('D8', 'array-error', {
    wires: ['openai-chat', 'gemini'],
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'auth, by the message',
    apply: () => ({ raw: jsonReply(400, [{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }]) }),
    applyOn: { gemini: arrayError },
  }),
  row('D9', 'string-error', {
    wires: ['openai-chat', 'openai-responses', 'ollama'],
    applyOn: { ollama: ollamaShapes.D9 },
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'the message, out of nine forms',
    apply: (_answer, context) => ({ raw: jsonReply(400, oneOf(errorForms, context)) }),
  }),
  row('D10', 'quota-429', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'rate limit, not retried',
    apply: () =>
      errorReply(
        429,
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
        'insufficient_quota',
      ),
  }),
  row('D11', 'retry-after', {
    wires: ['openai-chat', 'openai-responses', 'ollama'],
    applyOn: { ollama: ollamaShapes.D11 },
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'waits as asked, never less than 0',
    apply: (_answer, context) => {
      const waits: readonly [Readonly<Record<string, string>>, ...Readonly<Record<string, string>>[]] = [
        { 'retry-after': 'Mon, 30 Nov 2020 10:00:30 GMT' },
        { 'retry-after': '0' },
        { 'retry-after': '-1' },
        { 'retry-after-ms': '25' },
      ];
      return errorReply(429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded', oneOf(waits, context));
    },
  }),
  row('D12', 'gemini-retryinfo', {
    wires: ['gemini'],
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'waits 17 s',
    applyOn: { gemini: retryInfo },
  }),
  row('D13', 'reset-duration', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'usable as a hint',
    apply: () => errorReply(429, 'Rate limit reached for tokens', 'tokens', 'rate_limit_exceeded', { 'x-ratelimit-reset-tokens': '15ms' }),
  }),
  row('D14', 'empty-body', {
    wires: anyWire,
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'overloaded or empty, retried',
    apply: (_answer, context) => {
      const status = oneOf([500, 204, 200], context);
      return { raw: { status, headers: status === 204 ? {} : { 'content-length': '0' }, chunks: [], ending: 'end' } };
    },
  }),
  row('D15', 'context-length', {
    wires: ['openai-chat', 'gemini'],
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'context length, whatever the wording',
    apply: (_answer, context) => ({ raw: jsonReply(400, oneOf(contextForms, context)) }),
    applyOn: { gemini: contextExceeded },
  }),
];

/** The first half of the answer, then an ending that is none. */
const broken =
  (ending: 'cut' | 'reset' | 'stall' | 'end'): Apply =>
  (answer, context) =>
    streamOfBlocks(firstHalf(answer, context), context.frame, { ending });

/** D16 to D27: transport. */
export const transportErrors: readonly Pathology[] = [
  ...responsesErrors,
  row('D19', 'reset-mid-stream', {
    wires: anyWire,
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'truncated, partial output attached',
    apply: broken('reset'),
  }),
  row('D20', 'clean-cut', {
    wires: anyWire,
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'truncated',
    apply: broken('end'),
  }),
  row('D21', 'reset-after-done', {
    wires: anyWire,
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the answer was whole',
    apply: (answer, context) => streamOfBlocks(blocksOf(answer, context), context.frame, { ending: 'reset' }),
  }),
  row('D22', 'stall', {
    wires: anyWire,
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'timeout without a byte',
    apply: broken('stall'),
  }),
  row('D23', 'abort', {
    wires: anyWire,
    needs: 'tools',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'aborted by the caller inside the arguments; the socket is closed',
    apply: broken('stall'),
  }),
  row('D24', '401-html', {
    wires: anyWire,
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'auth, or configuration for a proxy',
    apply: (_answer, context): LabReply =>
      oneOf(
        [
          textReply(401, 'text/html', page('401 Authorization Required'), { 'www-authenticate': 'Basic realm="gateway"' }),
          textReply(407, 'text/html', page('407 Proxy Authentication Required'), { 'proxy-authenticate': 'Basic realm="proxy"' }),
        ],
        context,
      ),
  }),
  row('D25', 'deepseek-reasoning-lost', {
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'never happens to a client that carries reasoning back',
    apply: () =>
      errorReply(
        400,
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
        'invalid_request_error',
        'invalid_request_error',
      ),
  }),
  row('D26', 'malformed-request-500', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'any',
    expected: 'value',
    tries: 'first',
    outcome: 'retried once',
    apply: () => {
      const message =
        '[json.exception.parse_error.101] parse error at line 1, column 812: syntax error while parsing value - unexpected end of input';
      return { raw: jsonReply(500, { error: { code: 500, message, type: 'server_error' } }) };
    },
  }),
  responsesNoArgumentsDone,
];

/** A body that is gzipped as a whole. */
export function gzipped(text: string): Uint8Array {
  return gzipSync(text);
}

import type { JsonObject } from '@vouch/contracts';
import type { LabReply } from '../../answer.ts';
import { messagesHeaders } from '../../wires/anthropic-messages/answer.ts';
import { messagesError } from '../../wires/anthropic-messages/errors.ts';
import type { Frame } from '../../wires/wire.ts';
import { eventStream, jsonReply } from '../../wires/wire.ts';
import { blocksOf, content, firstHalf, streamOfBlocks } from '../build.ts';
import { oneOf } from '../errors.ts';
import type { Apply, Pathology, PathologyContext } from '../pathology.ts';

const errorReply = (status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): LabReply => {
  const reply = jsonReply(status, body);
  return { raw: { ...reply, headers: { ...reply.headers, ...headers } } };
};

const limited = messagesError({ status: 429, message: 'This request would exceed your rate limit of 50 requests per minute.' });

/** The answer's stream with other blocks behind its last. */
const followedBy =
  (more: (context: PathologyContext) => readonly string[]): Apply =>
  (answer, context) =>
    streamOfBlocks([...blocksOf(answer, context), ...more(context)], context.frame);

const longEventBytes = 1_000_000;
const done = 'data: [DONE]\n\n';
const crash = JSON.stringify(messagesError({ status: 500, message: 'The model crashed' }));

/** Rows of the chat wire that have bytes of their own here. */
const own: { readonly [id: string]: Apply } = {
  C14: (answer) => content(answer, { text: (answer.text ?? '').slice(0, 3), finish: 'content_filter' }),
  C27: (answer, { wire, request, frame }) => ({ raw: wire.whole(answer, request, frame) }),
  C28: (answer, context) => ({ raw: eventStream(blocksOf(answer, context)) }),
  D10: () => {
    const error: JsonObject = {
      type: 'rate_limit_error',
      message: 'You have reached your spend limit.',
      details: { error_code: 'enforced_spend_limit_reached' },
    };
    return errorReply(429, { type: 'error', error });
  },
  D11: (_answer, context) => {
    const waits = ['Mon, 30 Nov 2020 10:00:30 GMT', '0', '-1'] as const;
    return errorReply(429, limited, { 'retry-after': oneOf<string>(waits, context) });
  },
  D13: () =>
    errorReply(429, limited, {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2020-11-30T10:00:30Z',
    }),
  D15: () => errorReply(400, messagesError({ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' })),
  S6: (answer, context) => {
    const [first = '', ...rest] = blocksOf(answer, context);
    return streamOfBlocks([first.replace('data: {', `data: {"obfuscation":"${'x'.repeat(longEventBytes)}",`), ...rest], context.frame);
  },
  S8: followedBy((context) => [
    oneOf<string>(['data:[DONE]\n\n', 'data: [DONE]\r\n\r\n', 'data: "[DONE]"\n\n', 'event: done\ndata: [DONE]\n\n', done + done], context),
  ]),
  S9: followedBy(() => [done, ': bye\n\n', 'event: ping\ndata: {"type":"ping"}\n\n']),
  S14: (answer, context) => {
    const type = oneOf<string>(['application/json', 'text/plain', '', 'ndjson'], context);
    const blocks = blocksOf(answer, context);
    if (type !== 'ndjson') return streamOfBlocks(blocks, context.frame, { headers: type === '' ? {} : { 'content-type': type } });
    return streamOfBlocks(
      blocks.map((block) => block.replace(/^event: .*\ndata: /, '').replace(/\n\n$/, '\n')),
      context.frame,
    );
  },
  S15: () => errorReply(200, messagesError({ status: 529, message: 'Overloaded' })),
  S18: (answer, context) => {
    const errors = [`event: error\ndata: ${crash}\n\n`, `data: ${crash}\n\n`, 'error: the model crashed\n\n', 'data: error\n\n'] as const;
    return streamOfBlocks([...firstHalf(answer, context), oneOf<string>(errors, context)], context.frame);
  },
  S22: (answer, context) =>
    streamOfBlocks(
      blocksOf(answer, context).map((block, place) => (place === 1 ? block.replace(/}\n\n$/, ',}\n\n') : block)),
      context.frame,
    ),
};

/** Rows of the chat wire whose bytes are made of whatever the wire's stream is. */
const asTheyAre: ReadonlySet<string> = new Set('S1 S2 S3 S4 S5 S7 S10 S11 S12 S13 S17 S19 S20 S21 S23 S24 S25 S26 S27'.split(' '));

/** The headers of this service in place of the other's. */
function withOwnHeaders(reply: LabReply | undefined, frame: Frame): LabReply | undefined {
  if (reply === undefined || !('raw' in reply) || reply.raw.headers['openai-version'] === undefined) return reply;
  const kept = Object.entries(reply.raw.headers).filter(([name]) => name !== 'x-request-id' && !name.startsWith('openai-'));
  return { raw: { ...reply.raw, headers: { ...Object.fromEntries(kept), ...messagesHeaders(frame) } } };
}

/** The row with this wire among its own, where it can show here too. */
export function onMessages(row: Pathology): Pathology {
  const apply = own[row.id] ?? (asTheyAre.has(row.id) ? row.apply : undefined);
  if (apply === undefined || row.wires.includes('anthropic-messages')) return row;
  const shown: Apply = (answer, context) => withOwnHeaders(apply(answer, context), context.frame);
  return { ...row, wires: [...row.wires, 'anthropic-messages'], applyOn: { ...row.applyOn, 'anthropic-messages': shown } };
}

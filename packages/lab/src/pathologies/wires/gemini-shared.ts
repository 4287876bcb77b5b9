import type { JsonObject } from '@vouch/contracts';
import type { LabReply } from '../../answer.ts';
import { eventReply } from '../../wires/gemini.ts';
import { jsonReply } from '../../wires/wire.ts';
import { blocksOf, content, firstHalf, streamOfBlocks } from '../build.ts';
import { oneOf } from '../errors.ts';
import type { Apply, Pathology } from '../pathology.ts';

const done = 'data: [DONE]\n\n';
const longEventBytes = 1_000_000;

const overloaded: JsonObject = { error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } };

/** What a gateway adds behind the last event. */
const followedBy =
  (...choices: readonly [string, ...string[]]): Apply =>
  (answer, context) =>
    streamOfBlocks([...blocksOf(answer, context), oneOf(choices, context)], context.frame);

/** The quota of a day: the delay beside it does not help. */
const dailyQuota: JsonObject = {
  error: {
    code: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaValue: '250' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' },
    ],
  },
};

/** Rows of the chat wire that have bytes of their own here. */
const own: { readonly [id: string]: Apply } = {
  C14: (answer) => content(answer, { text: (answer.text ?? '').slice(0, 3), finish: 'content_filter' }),
  C27: (answer, { wire, request, frame }) => ({ raw: wire.whole(answer, request, frame) }),
  C28: (answer, context) => ({ raw: eventReply(blocksOf(answer, context)) }),
  D1: () => ({ raw: jsonReply(200, overloaded) }),
  D10: () => ({ raw: jsonReply(429, dailyQuota) }),
  S1: (answer, context) => {
    const blocks = blocksOf(answer, context);
    return streamOfBlocks(
      blocks.map((block, place) => (place === blocks.length - 1 ? block.trimEnd() : block)),
      context.frame,
    );
  },
  S6: (answer, context) => {
    const [first = '', ...rest] = blocksOf(answer, context);
    return streamOfBlocks([first.replace('data: {', `data: {"padding":"${'x'.repeat(longEventBytes)}",`), ...rest], context.frame);
  },
  S8: followedBy('data:[DONE]\n\n', 'data: [DONE]\r\n\r\n', 'data: "[DONE]"\n\n', 'event: done\ndata: [DONE]\n\n', done + done),
  S9: followedBy(`${done}: bye\n\n`),
  S13: (answer, context) => {
    const blocks = blocksOf(answer, context);
    const pairs = blocks.flatMap((block, place) => (place % 2 === 0 ? [`${block.trimEnd()}\r\n${blocks[place + 1] ?? '\r\n'}`] : []));
    return streamOfBlocks(pairs, context.frame);
  },
  S14: (answer, context) => {
    const type = oneOf<string>(['application/json', 'text/plain', '', 'ndjson'], context);
    const blocks = blocksOf(answer, context);
    if (type !== 'ndjson') return streamOfBlocks(blocks, context.frame, { headers: type === '' ? {} : { 'content-type': type } });
    return streamOfBlocks(
      blocks.map((block) => block.replace(/^data: /, '').replace(/\r\n\r\n$/, '\n')),
      context.frame,
    );
  },
  S15: () => ({ raw: jsonReply(200, overloaded) }),
  S18: (answer, context) => {
    const crash = JSON.stringify({ error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } });
    const errors = [
      `event: error\ndata: ${crash}\n\n`,
      `data: ${crash}\r\n\r\n`,
      'error: the model crashed\n\n',
      'data: error\n\n',
    ] as const;
    return streamOfBlocks([...firstHalf(answer, context), oneOf<string>(errors, context)], context.frame);
  },
  S22: (answer, context) =>
    streamOfBlocks(
      blocksOf(answer, context).map((block, place) => (place === 1 ? block.replace(/\}\r\n\r\n$/, ',}\r\n\r\n') : block)),
      context.frame,
    ),
};

/** Rows of the chat wire whose bytes are made of whatever this wire says. */
const asTheyAre: ReadonlySet<string> = new Set('B27 B28 B35 C3 D9 S2 S4 S5 S7 S10 S11 S12 S17 S19 S20 S21 S23 S24 S25 S26 S27'.split(' '));

/** The answer without the headers of the other service. */
function withoutForeignHeaders(reply: LabReply | undefined): LabReply | undefined {
  if (reply === undefined || !('raw' in reply) || reply.raw.headers['openai-version'] === undefined) return reply;
  const kept = Object.entries(reply.raw.headers).filter(([name]) => name !== 'x-request-id' && !name.startsWith('openai-'));
  return { raw: { ...reply.raw, headers: Object.fromEntries(kept) } };
}

/** The row with this wire among its own, where it can show here too. */
export function onGenerateContent(row: Pathology): Pathology {
  const listed = row.wires.includes('gemini');
  const apply = own[row.id] ?? (asTheyAre.has(row.id) || listed ? (row.applyOn?.gemini ?? row.apply) : undefined);
  if (apply === undefined) return row;
  const shown: Apply = (answer, context) => withoutForeignHeaders(apply(answer, context));
  return { ...row, wires: listed ? row.wires : [...row.wires, 'gemini'], applyOn: { ...row.applyOn, gemini: shown } };
}

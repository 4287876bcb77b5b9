import { delivering, type Fault, replacing } from './fault.ts';
import { bodyOf, cutBytes, piecesOf, startOf, withoutHeaders } from './reply-bytes.ts';

/** More writes than this are not made of one body: what is left goes out in one. */
const mostWrites = 20_000;
const longestDelayMs = 600_000;

/** When and in what pieces the bytes arrive. */
export const paceFaults: readonly Fault[] = [
  delivering('split', 'the body in tiny writes', {
    answer: 'whole',
    outcome: 'read as if it had come in one piece',
    parameter: { meaning: 'bytes a write', least: 1, most: 1_000_000, default: 1 },
    // A length would let the network join the writes again: chunks keep their borders.
    apply: (reply, { parameter = 1 }) => ({
      ...reply,
      headers: withoutHeaders(reply, 'content-length'),
      chunks: cutBytes(bodyOf(reply), parameter, mostWrites),
    }),
  }),
  delivering('split-at', 'the body in two writes', {
    answer: 'whole',
    outcome: 'read as if it had come in one piece',
    parameter: { meaning: 'bytes of the first write (default: drawn); a shorter body is left alone', least: 1, most: 1_000_000_000 },
    apply(reply, { parameter, random }) {
      const bytes = bodyOf(reply);
      if (bytes.length < 2) return undefined;
      const at = parameter ?? 1 + random.below(bytes.length - 1);
      if (at >= bytes.length) return undefined;
      return { ...reply, headers: withoutHeaders(reply, 'content-length'), chunks: [bytes.subarray(0, at), bytes.subarray(at)] };
    },
  }),
  delivering('slow', 'pauses inside the body', {
    answer: 'whole',
    outcome: 'waited for, as long as no pause passes the idle timeout',
    parameter: { meaning: 'milliseconds between two writes', least: 0, most: longestDelayMs, default: 20 },
    apply: (reply, { parameter = 20 }) => ({ ...reply, chunks: piecesOf(reply), chunkDelayMs: parameter }),
  }),
  delivering('late', 'a pause before the head', {
    answer: 'whole',
    outcome: 'waited for, as long as it does not pass the timeout of the first byte',
    parameter: { meaning: 'milliseconds before the first byte', least: 0, most: longestDelayMs, default: 200 },
    apply: (reply, { parameter = 200 }) => ({ ...reply, firstByteMs: parameter }),
  }),
  delivering('stall', 'no more bytes inside the body', {
    answer: 'part',
    expected: { whole: 'typed-failure', parts: 'typed-failure' },
    outcome: 'timeout without a byte; the connection is closed by the client',
    parameter: { meaning: 'writes before it stands still (default: half)', least: 0, most: 1_000_000 },
    apply(reply, { parameter }) {
      const chunks = startOf(reply, parameter);
      return chunks === undefined ? undefined : { ...reply, chunks, ending: 'stall' };
    },
  }),
  replacing('stall-head', 'no byte at all', {
    expected: { whole: 'typed-failure', parts: 'typed-failure' },
    tries: 'every',
    outcome: 'timeout of the first byte; the connection is closed by the client',
    reply: () => ({ status: 0, headers: {}, chunks: [], ending: 'stall' }),
  }),
  delivering('open-socket', 'the connection stays open after the last event', {
    delivery: 'parts',
    answer: 'whole',
    outcome: 'ended by the wire’s terminal mark; the connection is closed by the client',
    apply: (reply) => (reply.ending === 'end' ? { ...reply, ending: 'keep-open' } : undefined),
  }),
];

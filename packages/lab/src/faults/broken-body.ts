import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { RawReply } from '../answer.ts';
import { delivering, type Fault, type FaultContext } from './fault.ts';
import { bodyOf, headBytes, headerOf, piecesOf, startOf, withoutHeaders } from './reply-bytes.ts';

/** Before output a retry gives the value; after it nothing can be retried. */
const lostAfterOutput = { whole: 'value', parts: 'typed-failure' } as const;
const writesBefore = { meaning: 'writes before it (default: half)', least: 0, most: 1_000_000 } as const;

/** The first pieces of the body under the length of the whole, and then another ending. */
function brokenOff(reply: RawReply, { parameter }: FaultContext, ending: RawReply['ending']): RawReply | undefined {
  const chunks = startOf(reply, parameter);
  return chunks === undefined ? undefined : { ...reply, chunks, ending };
}

function isEventStream(reply: RawReply): boolean {
  return reply.status === 200 && /^text\/event-stream\b/.test(headerOf(reply, 'content-type') ?? '') && !isEncoded(reply);
}

function isEncoded(reply: RawReply): boolean {
  return headerOf(reply, 'content-encoding') !== undefined;
}

const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** One gzip stream, flushed after each piece. */
function gzipPieces(reply: RawReply): readonly Uint8Array[] {
  const body = bodyOf(reply);
  const pieces = piecesOf(reply).map((piece) => deflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH }));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(body), 0);
  trailer.writeUInt32LE(body.length % 2 ** 32, 4);
  return [gzipHead, ...pieces, Buffer.concat([deflateRawSync(''), trailer])];
}

function gzipped(reply: RawReply, chunks: readonly Uint8Array[]): RawReply {
  return { ...reply, headers: { ...withoutHeaders(reply, 'content-length'), 'content-encoding': 'gzip' }, chunks };
}

/** The chunk in the middle is announced as one byte longer than it is. */
function wrongChunkLength(reply: RawReply): RawReply | undefined {
  const pieces = piecesOf(reply).map((piece) => Buffer.from(piece));
  const wrong = Math.floor(pieces.length / 2);
  if (pieces.length < 2) return undefined;
  const framed = pieces.map((piece, place) =>
    Buffer.concat([Buffer.from(`${(piece.length + (place === wrong ? 1 : 0)).toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
  );
  return { ...reply, framing: 'bytes', chunks: [headBytes(reply, { 'transfer-encoding': 'chunked' }), ...framed, '0\r\n\r\n'] };
}

/** The events of a stream up to its middle; undefined when there are not two. */
function firstEvents(reply: RawReply): readonly string[] | undefined {
  const events = bodyOf(reply)
    .toString('utf8')
    .split(/(?<=\n\n)/);
  return events.length < 2 ? undefined : events.slice(0, Math.floor(events.length / 2));
}

/** Bodies that break off, lie about themselves, or come in another form. */
export const bodyFaults: readonly Fault[] = [
  delivering('reset', 'the connection is reset inside the body', {
    answer: 'part',
    expected: lostAfterOutput,
    tries: 'first',
    outcome: 'transport, retried; after output truncated, with the partial output',
    parameter: writesBefore,
    apply: (reply, context) => brokenOff(reply, context, 'reset'),
  }),
  delivering('cut', 'the connection is closed inside the body', {
    answer: 'part',
    expected: lostAfterOutput,
    tries: 'first',
    outcome: 'transport, retried; after output truncated, with the partial output',
    parameter: writesBefore,
    apply: (reply, context) => brokenOff(reply, context, 'cut'),
  }),
  delivering('truncate', 'the body ends too early, and properly', {
    answer: 'part',
    expected: lostAfterOutput,
    tries: 'first',
    outcome: 'truncated; JSON without its end is asked for again, a stream without its terminal mark is a failure with the partial output',
    parameter: writesBefore,
    apply(reply, { parameter }) {
      const chunks = startOf(reply, parameter);
      return chunks === undefined ? undefined : { ...reply, headers: withoutHeaders(reply, 'content-length'), chunks };
    },
  }),
  delivering('error-frame', 'an error event after some output', {
    wires: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    delivery: 'parts',
    answer: 'part',
    expected: lostAfterOutput,
    tries: 'first',
    outcome: 'overloaded, partial output attached',
    apply(reply, { wire }) {
      const events = isEventStream(reply) ? firstEvents(reply) : undefined;
      if (events === undefined) return undefined;
      const error = bodyOf(wire.refuse({ status: 500, message: 'The server had an error while it answered.', type: 'server_error' }));
      return { ...reply, chunks: [...events, `event: error\ndata: ${error.toString('utf8')}\n\n`] };
    },
  }),
  delivering('gzip', 'compressed though not asked, flushed in pieces', {
    answer: 'whole',
    outcome: 'decoded by the platform',
    apply: (reply) => (isEncoded(reply) || reply.chunks.length === 0 ? undefined : gzipped(reply, gzipPieces(reply))),
  }),
  delivering('gzip-cut', 'compressed, and the compressed bytes end too early', {
    answer: 'part',
    expected: lostAfterOutput,
    tries: 'first',
    outcome: 'transport, retried; after output truncated, with the partial output',
    apply(reply) {
      const pieces = gzipPieces(reply);
      return isEncoded(reply) || pieces.length < 4 ? undefined : gzipped(reply, pieces.slice(0, Math.floor(pieces.length / 2)));
    },
  }),
  delivering('wrong-length', 'Content-Length is longer than the body', {
    answer: 'whole',
    tries: 'first',
    outcome: 'transport, retried; a stream whose terminal mark came is whole',
    parameter: { meaning: 'bytes too many', least: 1, most: 1_000_000, default: 100 },
    apply(reply, { parameter = 100 }) {
      const length = bodyOf(reply).length;
      if (length === 0) return undefined;
      return {
        ...reply,
        headers: { ...withoutHeaders(reply, 'content-length'), 'content-length': String(length + parameter) },
        ending: 'cut',
      };
    },
  }),
  delivering('wrong-chunk-length', 'a chunk is longer than what follows', {
    answer: 'part',
    expected: lostAfterOutput,
    tries: 'first',
    outcome: 'transport, retried; after output truncated, with the partial output',
    apply: wrongChunkLength,
  }),
  delivering('wrong-type', 'events as text/plain, JSON as text/html', {
    answer: 'whole',
    outcome: 'read by what the body is, not by what it is called',
    apply: (reply) => {
      const type = isEventStream(reply) ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8';
      return { ...reply, headers: { ...withoutHeaders(reply, 'content-type'), 'content-type': type } };
    },
  }),
];

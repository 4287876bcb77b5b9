import { SignalError } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, decodeSse, type SseEvent } from './sse.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(
  chunks: readonly Uint8Array[],
  options: { readonly maxEventBytes?: number; readonly bareErrors?: boolean } = {},
): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createSseParser({ ...options, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return events;
}

const parseText = (text: string, options?: Parameters<typeof parse>[1]): SseEvent[] => parse([bytesOf(text)], options);

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('the grammar', () => {
  it.each<[string, string, readonly SseEvent[]]>([
    ['one event', 'data: a\n\n', [{ data: 'a' }]],
    ['lines of data join with a line feed', 'data: a\ndata:b\ndata\n\n', [{ data: 'a\nb\n' }]],
    ['[sse-S2] one leading space goes, a second stays', 'data:  a\n\ndata:b\n\n', [{ data: ' a' }, { data: 'b' }]],
    ['[sse-S3] CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [{ data: 'a' }, { data: 'b' }]],
    ['[sse-S4] CR', 'data: a\r\rdata: b\r\r', [{ data: 'a' }, { data: 'b' }]],
    ['empty data is an event', 'data:\n\n', [{ data: '' }]],
    ['no data is none', 'event: x\n\ndata: a\n\n', [{ data: 'a' }]],
    ['[sse-S10] comments and blank lines are none', ': hi\n\n:\n\n\n\ndata: a\n: in between\n\n', [{ data: 'a' }]],
    ['[sse-S12] the event name after the data', 'data: a\nevent: x\n\n', [{ event: 'x', data: 'a' }]],
    [
      'the last event name counts, and only for its block',
      'event: x\nevent: y\ndata: a\n\ndata: b\n\n',
      [{ event: 'y', data: 'a' }, { data: 'b' }],
    ],
    [
      'an id stays, one with NUL is none',
      'id: 1\ndata: a\n\nid: 2\u0000\ndata: b\n\n',
      [
        { data: 'a', id: '1' },
        { data: 'b', id: '1' },
      ],
    ],
    ['retry and unknown fields are ignored', 'retry: 10\nfoo: x\ndata: a\n\n', [{ data: 'a' }]],
    ['[sse-S24] other case and leading spaces are ignored', 'Data: a\n data: b\ndata: c\n\n', [{ data: 'c' }]],
    ['[sse-S23] a byte order mark at any line start', '\uFEFFdata: a\n\n\uFEFFdata: b\n\n', [{ data: 'a' }, { data: 'b' }]],
    ['a byte order mark inside data stays', 'data: \uFEFFa\n\n', [{ data: '\uFEFFa' }]],
    ['[sse-S1] the blank line is missing at the end', 'data: a\n\ndata: b\n', [{ data: 'a' }, { data: 'b', unterminated: true }]],
    ['[sse-S1] the line end is missing too', 'data: a\n\ndata: b', [{ data: 'a' }, { data: 'b', unterminated: true }]],
    ['nothing is pending after a lone field name', 'data: a\n\ndata', [{ data: 'a' }]],
    ['a bare error line is ignored', 'error: x\n\ndata: a\n\n', [{ data: 'a' }]],
  ])('[SG-033] %s', (_title, text, expected) => {
    expect(parseText(text)).toEqual(expected);
  });

  it('[sse-S18] gives a bare error line where it is asked for', () => {
    expect(parseText('error: x\n\nerror: y\ndata: a\n\n', { bareErrors: true })).toEqual([{ event: 'error', data: 'x' }, { data: 'a' }]);
  });

  it('[sse-S5] replaces broken bytes and keeps the rest', () => {
    const bytes = Uint8Array.from([...bytesOf('data: a'), 0xff, 0xe2, 0x82, ...bytesOf('b\n\n')]);
    expect(parse([bytes])).toEqual([{ data: 'a\uFFFD\uFFFDb' }]);
  });
});

describe('any cut', () => {
  const line = fc.oneof(
    fc.constantFrom('data: {"a":"é⚓🚀"}', 'data:x', 'data', 'event: y', ': comment', 'id: 3', '', '', '\uFEFFdata: b', 'foo: bar', 'da'),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 20 }).map((lines) => lines.flat().join(''));

  it('[SG-033] [sse-S3] [sse-S5] gives the same events at every split, byte by byte and at random', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400)), (text, cuts) => {
        const bytes = bytesOf(text);
        const wanted = parse([bytes]);
        expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(wanted);
        const marks = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
        expect(parse(marks.slice(1).map((mark, i) => bytes.subarray(marks[i], mark)))).toEqual(wanted);
        for (let cut = 0; cut <= bytes.length; cut += 1) expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('[SG-033] agrees with a plain reading of the grammar', () => {
    const plain = (text: string): string[] => {
      const lines = text.replace(/\r\n|\r/g, '\n').split('\n');
      const events: string[] = [];
      let data: string[] = [];
      for (const whole of lines.slice(0, -1)) {
        const one = whole.replace(/^\uFEFF/, '');
        if (one === '') {
          if (data.length > 0) events.push(data.join('\n'));
          data = [];
        } else if (one === 'data') data.push('');
        else if (one.startsWith('data:')) data.push(one.slice(5).replace(/^ /, ''));
      }
      return events;
    };
    fc.assert(
      fc.property(stream, (text) => {
        expect(
          parseText(text)
            .filter((event) => event.unterminated === undefined)
            .map((event) => event.data),
        ).toEqual(plain(text));
      }),
    );
  });
});

describe('size', () => {
  it('[SG-033] [sse-S6] [sse-S7] takes one event of 8 MB byte by byte, and 20 MB in small chunks, in linear time', () => {
    const big = bytesOf(`data: ${'x'.repeat(8_000_000)}\n\n`);
    let length = 0;
    const parser = createSseParser({ onEvent: (event) => (length = event.data.length) });
    for (let at = 0; at < big.length; at += 1) parser.push(big.subarray(at, at + 1));
    expect(length).toBe(8_000_000);
    const bigger = bytesOf(`data: ${'é'.repeat(10_000_000)}\n\n`);
    for (let at = 0; at < bigger.length; at += 1_000) parser.push(bigger.subarray(at, at + 1_000));
    expect(length).toBe(10_000_000);
  });

  it('[sse-S7] takes a hundred thousand events in one chunk', () => {
    expect(parseText('data: a\n\n'.repeat(100_000))).toHaveLength(100_000);
  });

  it.each([
    ['one line', `data: ${'x'.repeat(200)}\n\n`],
    ['a line without an end', 'x'.repeat(200)],
    ['many lines of one event', 'data: 123456789\n'.repeat(20)],
    ['empty lines of data', 'data\n'.repeat(100)],
  ])('[SG-033] [sse-S6] refuses more than the limit: %s', (_title, text) => {
    for (const chunks of [[bytesOf(text)], Array.from(bytesOf(text), (byte) => Uint8Array.of(byte))]) {
      let thrown: unknown;
      try {
        parse(chunks, { maxEventBytes: 100 });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(SignalError);
      expect((thrown as SignalError).kind).toBe('limit');
    }
  });

  it.each([1, 7, 5_000, 100_000])(
    '[SG-033] [sse-S5] long text of many scripts is the same in pieces of %i bytes, and counts in bytes',
    (size) => {
      const data = 'aé⚓🚀'.repeat(3_000) + 'b'.repeat(3_000);
      const bytes = bytesOf(`: ${'é'.repeat(3_000)}\ndata: ${data}\r\ndata: ${data}\n\ndata: c\n\n`);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
      const lineBytes = bytesOf(`data: ${data}`).length;
      expect(parse(pieces, { maxEventBytes: lineBytes * 2 })).toEqual([{ data: `${data}\n${data}` }, { data: 'c' }]);
      expect(() => parse(pieces, { maxEventBytes: lineBytes * 2 - 1 })).toThrow(SignalError);
    },
  );

  it('the limit is for each event by itself', () => {
    expect(parseText('data: 0123456789\n\n'.repeat(50), { maxEventBytes: 20 })).toHaveLength(50);
  });
});

describe('decodeSse', () => {
  it('[SG-033] gives nothing more after an abort, also of what one chunk held', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const event of decodeSse(from([bytesOf('data: a\n\ndata: b\n\n')]), { signal: controller.signal })) {
        seen.push(event.data);
        controller.abort(new Error('enough'));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
    expect(seen).toEqual(['a']);
  });

  it('[SG-033] takes no chunk when it is aborted before the start', async () => {
    let taken = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      taken += 1;
      yield bytesOf('data: a\n\n');
    }
    await expect(decodeSse(source(), { signal: AbortSignal.abort(new Error('never')) }).next()).rejects.toThrow('never');
    expect(taken).toBe(0);
  });

  it('ends the source when it is left early', async () => {
    let ended = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield bytesOf('data: a\n\n');
      } finally {
        ended = true;
      }
    }
    for await (const _event of decodeSse(source())) break;
    expect(ended).toBe(true);
  });

  it('gives the events before a limit, then throws', async () => {
    const seen: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const event of decodeSse(from([bytesOf(`data: a\n\ndata: ${'x'.repeat(99)}\n\n`)]), { maxEventBytes: 50 }))
        seen.push(event.data);
    };
    await expect(reading()).rejects.toBeInstanceOf(SignalError);
    expect(seen).toEqual(['a']);
  });
});

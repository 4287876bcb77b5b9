import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireEvent } from './events.ts';
import { createJsonLines } from './json-lines.ts';

const read = (chunks: readonly Uint8Array[], limits: { readonly line?: number; readonly text?: number } = {}): readonly WireEvent[] => {
  const lines = createJsonLines({
    line: (raw) => {
      try {
        return [{ kind: 'object', value: JSON.parse(raw), raw: raw.trim() }];
      } catch {
        return undefined;
      }
    },
    text: (raw) => [{ kind: 'object', value: { text: raw }, raw }],
    maxLineBytes: limits.line,
    maxTextBytes: limits.text ?? 1_000,
  });
  return [...chunks.flatMap((chunk) => lines.push(chunk)), ...lines.end()];
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const values = (events: readonly WireEvent[]): readonly unknown[] => events.map((event) => (event.kind === 'object' ? event.value : event));

describe('one JSON value a line', () => {
  it('[sse-S5] [sse-S7] reads the same wherever the bytes are cut', () => {
    const line = fc.record({ said: fc.string({ unit: 'grapheme' }) });
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        fc.boolean(),
        fc.infiniteStream(fc.nat(9)),
        (list, end, closed, sizes) => {
          const text = list.map((value) => JSON.stringify(value)).join(end) + (closed ? end : '');
          const all = bytes(text);
          const chunks: Uint8Array[] = [];
          for (let at = 0; at < all.length; ) {
            const size = sizes.next().value ?? 1;
            chunks.push(all.subarray(at, at + size + 1));
            at += size + 1;
          }
          expect(values(read(chunks))).toEqual(list);
        },
      ),
    );
  });

  it('gives each line when it is complete, and not before', () => {
    const lines = createJsonLines({
      line: (raw) => [{ kind: 'object', value: JSON.parse(raw), raw }],
      text: () => [],
      maxLineBytes: 9,
      maxTextBytes: 9,
    });
    expect(lines.push(bytes('{"a":1}'))).toEqual([]);
    expect(values(lines.push(bytes('\n{"b"')))).toEqual([{ a: 1 }]);
    expect(values(lines.push(bytes(':2}\n')))).toEqual([{ b: 2 }]);
  });

  it('a line separator inside a string is no end of a line', () => {
    expect(values(read([bytes('{"a":"x\u2028\u0085y"}\n{"b":1}')]))).toEqual([{ a: 'x\u2028\u0085y' }, { b: 1 }]);
  });

  it('reads as one text what stands on no line by itself', () => {
    expect(values(read([bytes('{"a":1}\n{\n "b":\n'), bytes('2}\n')]))).toEqual([{ a: 1 }, { text: '{\n "b":\n2}\n' }]);
  });

  it('[sse-S6] a line or a text over the limit is kind limit, and what stood before it counts', () => {
    const limit = { kind: 'error', error: expect.objectContaining({ name: 'SignalError' }) };
    expect(values(read([bytes('{"a":1}\n{"b":"xxxxxxx"}\n')], { line: 10 })).slice(0, 2)).toEqual([{ a: 1 }, limit]);
    expect(values(read([bytes(`{"a":1}\n{${' '.repeat(50)}`)], { line: 10 })).slice(0, 2)).toEqual([{ a: 1 }, limit]);
    expect(values(read([bytes('{"a":1}\n{\n'), bytes('x'.repeat(60))], { text: 20 })).slice(0, 2)).toEqual([{ a: 1 }, limit]);
  });
});

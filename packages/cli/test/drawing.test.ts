import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDrawing, type Drawing } from '../src/terminal/drawing.ts';
import { createScreen, type Screen } from './support/screen.ts';

function drawn(): { readonly drawing: Drawing; readonly screen: Screen; readonly write: (text: string) => void } {
  const screen = createScreen();
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      screen.write(text);
      done();
    },
  });
  const drawing = createDrawing(Object.assign(stream, { isTTY: true, columns: 40, rows: 40 }) as unknown as NodeJS.WriteStream);
  return { drawing, screen, write: (text) => void stream.write(text) };
}

describe('a drawing', () => {
  it('shows exactly the last text, whatever was drawn before', () => {
    // Few different lines, so that many of them stay where they are or move.
    const text = fc.array(fc.constantFrom('a', 'bb', 'ccc', 'progress'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), (texts) => {
        const { drawing, screen } = drawn();
        for (const lines of texts) {
          drawing.draw(lines.join('\n'));
          expect(screen.lines()).toEqual(lines);
        }
      }),
    );
  });

  it('gives way to what is written after a clear, and comes below it', () => {
    const { drawing, screen, write } = drawn();
    drawing.draw('one\ntwo\nprogress');
    drawing.clear();
    write('a message\n');
    drawing.draw('two\nprogress');
    expect(screen.lines()).toEqual(['a message', 'two', 'progress']);
    drawing.clear();
    expect(screen.lines()).toEqual(['a message']);
  });
});

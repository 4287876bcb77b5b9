import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createThinkSplitter } from './think-tags.ts';

function split(pieces: readonly string[]): { readonly text: string; readonly thinking: string } {
  const splitter = createThinkSplitter();
  const found = { text: '', thinking: '' };
  for (const piece of [...pieces.flatMap((text) => splitter.push(text)), ...splitter.end()]) found[piece.kind] += piece.text;
  return found;
}

describe('reasoning in tags', () => {
  it.each<[string, string, string]>([
    ['<think>low tide</think>\n\n{"pier":7}', '{"pier":7}', 'low tide'],
    ['\n <thinking>a</thinking> b', 'b', 'a'],
    ['<thought>a</think>b</thought>c', 'c', 'a</think>b'],
    ['plain', 'plain', ''],
    ['  plain ', '  plain ', ''],
    ['<b>bold</b>', '<b>bold</b>', ''],
    ['<thin', '<thin', ''],
    ['a <think>b</think>', 'a <think>b</think>', ''],
    ['<think>never ends </thi', '', 'never ends </thi'],
    ['<think></think>x', 'x', ''],
    ['<think>a</think>x <think>y</think>', 'x <think>y</think>', 'a'],
    ['', '', ''],
  ])('[path-C4] %j', (whole, text, thinking) => {
    expect(split([whole])).toEqual({ text, thinking });
    expect(split([...whole])).toEqual({ text, thinking });
  });

  it('[path-C4] is the same at any cut', () => {
    const text = fc
      .array(fc.constantFrom('<think>', '</think>', '<thi', 'nk>', '</', ' ', '\n', 'a', '<thought>', '</thought>'), { maxLength: 8 })
      .map((list) => list.join(''));
    fc.assert(
      fc.property(text, fc.nat(40), (whole, cut) => {
        expect(split([whole.slice(0, cut), whole.slice(cut)])).toEqual(split([whole]));
        expect(split([...whole])).toEqual(split([whole]));
      }),
    );
  });
});

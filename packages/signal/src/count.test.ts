import { describe, expect, it } from 'vitest';
import { countTokens, estimateTokens } from './count.ts';

const words = { encode: (text: string) => text.split(' ') };

describe('count', () => {
  it('[SG-085] an estimate says that it is one', () => {
    expect(countTokens('The tide turns at noon.')).toEqual({ tokens: 5, exact: false });
    expect(countTokens([{ role: 'user', content: 'The tide turns at noon.' }])).toEqual({ tokens: 9, exact: false });
  });

  it.each([
    // Published counts of one current vocabulary, in characters per token.
    ['English prose', 'When the lamp was lit the keeper wrote the hour in the book and went down to the boats. '.repeat(20), 4.3, 5.8],
    [
      'pretty JSON',
      JSON.stringify(
        Array.from({ length: 40 }, (_, id) => ({ id, name: `berth ${id}`, free: id % 2 === 0 })),
        null,
        2,
      ),
      2.6,
      4.2,
    ],
    ['Russian', 'Когда зажгли лампу, смотритель записал час в книгу и спустился к лодкам. '.repeat(20), 2.6, 4],
    ['Chinese', '当灯点亮的时候，看守人在本子上写下时间，然后走到船边。'.repeat(20), 0.9, 1.5],
  ])('[SG-085] the estimate of %s is near what tokenizers give', (_title, text, least, most) => {
    const charsPerToken = [...text].length / estimateTokens(text);
    expect(charsPerToken).toBeGreaterThan(least);
    expect(charsPerToken).toBeLessThan(most);
  });

  it('[SG-085] a tokenizer makes a text exact, and messages once it states the overhead of the format', () => {
    const messages = [{ role: 'user', content: 'one two three' }] as const;
    expect(countTokens('one two three', { tokenizer: words })).toEqual({ tokens: 3, exact: true });
    expect(countTokens(messages, { tokenizer: words })).toEqual({ tokens: 7, exact: false });
    const known = { ...words, overhead: { perMessage: 3, perReply: 3 } };
    expect(countTokens(messages, { tokenizer: known })).toEqual({ tokens: 9, exact: true });
  });

  it('[SG-085] images and tool calls count, and are never exact', () => {
    const known = { ...words, overhead: { perMessage: 0, perReply: 0 } };
    const image = { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } }] } as const;
    expect(countTokens([image], { tokenizer: known })).toEqual({ tokens: 256, exact: false });
    const call = { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'look up', args: '{"a": 1}' }] } as const;
    expect(countTokens([call], { tokenizer: known })).toEqual({ tokens: 12, exact: false });
    expect(countTokens([call]).tokens).toBeGreaterThan(countTokens([{ role: 'assistant', content: '' }]).tokens);
  });

  it('a tokenizer that is none is a mistake of the caller', () => {
    expect(() => countTokens('a', { tokenizer: {} as never })).toThrow('encode');
  });
});

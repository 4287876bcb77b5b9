import { describe, expect, it } from 'vitest';
import { extractInlineThinking, OllamaThinkingHandler as handler } from './ollama.ts';

const block = (content: string) => ({ type: 'thinking', content });
const garbage = [
  null,
  undefined,
  {},
  7,
  42,
  Number.NaN,
  '',
  ' \n',
  [],
  [{}],
  [{ message: { thinking: 'x' } }],
  Symbol('x'),
  () => 1,
  true,
  false,
  { kind: 'anthropic', thinking: 'x' },
  { kind: 'field', thinking: '' },
  { kind: 'field', thinking: 7 },
  { kind: 'inline' },
  { kind: 'inline', content: 'no tags' },
  { thinking: 'untagged' },
  { message: 'x' },
  { message: { thinking: '' } },
  { message: { thinking: 1, content: 'x' } },
];

describe('OllamaThinkingHandler', () => {
  it('[TH-012] has its id', () => expect(handler.id).toBe('ollama'));

  it('[TH-007] [fp-D5] [fp-D6] gives an empty list for what holds no thinking', () => {
    for (const raw of garbage) expect(handler.normalize(raw)).toEqual([]);
  });

  it('[fp-D1] [fp-D4] one block of a field, a text or a response; no signature, no summary', () => {
    expect(handler.normalize({ kind: 'field', thinking: 'low tide' })).toEqual([block('low tide')]);
    expect(handler.normalize('low tide')).toEqual([block('low tide')]);
    expect(
      handler.normalize({ model: 'q', message: { role: 'assistant', content: 'Pier 7', thinking: ' low tide\n' }, done: true }),
    ).toEqual([block(' low tide\n')]);
  });

  it('[fp-D2] [fp-D3] the thinking that stands in the text between tags, a block each, the last one perhaps cut', () => {
    expect(handler.normalize({ kind: 'inline', content: '<think>a</think>x<THINK> b </Think><think></think>' })).toEqual([
      block('a'),
      block('b'),
    ]);
    expect(handler.normalize({ kind: 'inline', content: '<think>low ti' })).toEqual([block('low ti')]);
    expect(handler.normalize({ message: { content: '<think>a</think>x' } })).toEqual([block('a')]);
    expect(handler.normalize({ message: { thinking: 'field', content: '<think>a</think>x' } })).toEqual([block('field')]);
  });

  it('[fp-D7] [TH-010] the piece that a chunk adds', () => {
    expect(handler.parseChunk?.({ message: { thinking: 'low ' }, done: false })).toEqual({ thinkingDelta: 'low ' });
    for (const chunk of [
      ...garbage.filter((raw) => typeof (raw as { message?: { thinking?: unknown } })?.message !== 'object'),
      { message: { content: 'x' } },
    ])
      expect(handler.parseChunk?.(chunk)).toEqual({});
  });

  it('[fp-D8] keeps no state between texts', () => {
    const text = '<think>a</think><think>b</think>';
    expect(extractInlineThinking(text)).toEqual(['a', 'b']);
    expect(extractInlineThinking(text)).toEqual(['a', 'b']);
  });

  it('reads many tags in one pass', () => {
    expect(extractInlineThinking('<think>a</think>'.repeat(50_000))).toHaveLength(50_000);
    expect(extractInlineThinking('<think>'.repeat(50_000))).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { type Message, textOf } from './message.ts';

const part = { id: 'part_1', origin: { kind: 'caller' }, trust: 'user' } as const;

describe('textOf', () => {
  it('joins the text parts, and nothing else', () => {
    const message: Message = {
      role: 'assistant',
      parts: [
        { ...part, type: 'text', text: 'Pier ' },
        { ...part, type: 'thinking', block: { type: 'thinking', content: 'hidden' } },
        { ...part, type: 'text', text: '7' },
        { ...part, type: 'refusal', text: 'no' },
      ],
    };
    expect(textOf(message)).toBe('Pier 7');
    expect(textOf({ role: 'user', parts: [] })).toBe('');
  });
});

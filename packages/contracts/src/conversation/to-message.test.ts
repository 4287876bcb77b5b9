import { describe, expect, it } from 'vitest';
import { sequentialIds } from '../basics/ids.ts';
import type { Message, MessageInput } from './message.ts';
import { toMessages } from './to-message.ts';

describe('toMessages', () => {
  it('[AC-009] gives every piece an id, an origin and a trust', () => {
    const inputs: MessageInput[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image', source: { type: 'url', url: 'https://img.example/a.png' } },
        ],
      },
      { role: 'assistant', content: 'Looking.', toolCalls: [{ id: 'call_1', name: 'look', args: '{"x":1}' }] },
      { role: 'tool', toolCallId: 'call_1', name: 'look', content: 'a cat' },
    ];
    const origin = { kind: 'caller' } as const;
    expect(toMessages(inputs, sequentialIds())).toEqual([
      { role: 'system', parts: [{ id: 'part_1', origin, trust: 'system', type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        parts: [
          { id: 'part_2', origin, trust: 'user', type: 'text', text: 'What is it?' },
          { id: 'part_3', origin, trust: 'user', type: 'image', source: { type: 'url', url: 'https://img.example/a.png' } },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { id: 'part_4', origin, trust: 'user', type: 'text', text: 'Looking.' },
          { id: 'part_5', origin, trust: 'user', type: 'tool-call', callId: 'call_1', name: 'look', arguments: '{"x":1}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          {
            id: 'part_6',
            origin: { kind: 'tool', callId: 'call_1' },
            trust: 'tool',
            type: 'tool-result',
            callId: 'call_1',
            name: 'look',
            text: 'a cat',
            outcome: 'succeeded',
          },
        ],
      },
    ]);
  });

  it('returns a full message as the same object, and takes no id for it', () => {
    const whole: Message = { role: 'user', parts: [] };
    const messages = toMessages([whole, { role: 'user', content: 'hi' }], sequentialIds());
    expect(messages[0]).toBe(whole);
    expect(messages[1]?.parts[0]?.id).toBe('part_1');
  });

  it('leaves no empty text beside tool calls, and keeps an empty text that stands alone', () => {
    const [calls, empty] = toMessages(
      [
        { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', args: '{}' }] },
        { role: 'assistant', content: '' },
      ],
      sequentialIds(),
    );
    expect(calls?.parts.map((part) => part.type)).toEqual(['tool-call']);
    expect(empty?.parts.map((part) => part.type)).toEqual(['text']);
  });

  it('[SG-055] takes origin, trust and the internal mark from the defaults', () => {
    const [message] = toMessages([{ role: 'system', content: 'x' }], sequentialIds(), {
      origin: { kind: 'correction', attempt: 2 },
      trust: { system: 'developer' },
      internal: true,
    });
    expect(message).toEqual({
      role: 'system',
      internal: true,
      parts: [{ id: 'part_1', origin: { kind: 'correction', attempt: 2 }, trust: 'developer', type: 'text', text: 'x' }],
    });
  });

  it('refuses a message without role or content as a configuration failure', () => {
    const bad = [{ role: 'robot', content: 'x' }, { role: 'user' }, { role: 'tool', content: [] }, { role: '__proto__', content: '' }];
    for (const input of bad) {
      expect(() => toMessages([input as never], sequentialIds())).toThrowError(expect.objectContaining({ code: 'E_CONFIGURATION' }));
    }
  });
});

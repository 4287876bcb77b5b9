import { type Carry, type ModelPart, sequentialIds } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { assistantMessage } from './messages.ts';

const author = { provider: 'harbour', model: 'm', ids: sequentialIds() };
const carry = (owner: Carry['owner'], data: string): ModelPart => ({
  type: 'carry',
  carry: { owner, shape: 'signed', provider: 'harbour', model: 'm', data },
});
const call = (id: string): ModelPart => ({ type: 'function-call-delta', index: 0, id, name: 'find_berth', arguments: '{}', whole: true });
const stepCall = (id: string) => ({ id, name: 'find_berth', args: {}, argsText: '{}' });

describe('assistantMessage', () => {
  it('[TH-013] [TH-014] puts blocks and carries where they stood, each carry on its own block or call', () => {
    const parts: readonly ModelPart[] = [
      { type: 'thinking-delta', text: 'low ', blockId: 'b1' },
      { type: 'thinking-block', blockId: 'b1', block: { type: 'thinking', content: 'low tide', signature: 's1' } },
      carry({ kind: 'item', id: 'b1' }, 'first'),
      call('c1'),
      { type: 'thinking-block', blockId: 'b2', block: { type: 'redacted_thinking', content: '', signature: 's2' } },
      carry({ kind: 'item', id: 'b2' }, 'second'),
      { type: 'text-delta', text: 'Pier 7', blockId: 'b3' },
      carry({ kind: 'item', id: 'b3' }, 'third'),
      call('c2'),
      carry({ kind: 'call', id: 'c2' }, 'fourth'),
    ];
    const message = assistantMessage({ parts, calls: [stepCall('c1'), stepCall('c2')] }, author);
    expect(message.parts.map((part) => [part.type, part.carry?.map(({ data }) => data)])).toEqual([
      ['thinking', ['first']],
      ['tool-call', undefined],
      ['thinking', ['second']],
      ['text', ['third']],
      ['tool-call', ['fourth']],
    ]);
    expect(message.parts[0]).toMatchObject({ block: { content: 'low tide', signature: 's1' } });
    expect(message.parts[2]).toMatchObject({ block: { type: 'redacted_thinking', content: '', signature: 's2' } });
  });

  it('keeps the thinking of a wire that gives no blocks', () => {
    const message = assistantMessage({ parts: [{ type: 'thinking-delta', text: 'low tide' }], calls: [] }, author);
    expect(message.parts).toMatchObject([{ type: 'thinking', block: { type: 'thinking', content: 'low tide' } }]);
  });
});

import { UnsupportedThinkingError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { resolveThinking, type ThinkingRequest } from './thinking.ts';

const resolve = (change: Partial<ThinkingRequest>): unknown => {
  try {
    return resolveThinking({ provider: 'harbour', model: 'm', options: {}, facts: undefined, toolChoice: undefined, ...change });
  } catch (error) {
    if (error instanceof UnsupportedThinkingError) return error.reason;
    throw error;
  }
};

describe('resolveThinking', () => {
  it('[TH-006] the mode is that of the row: a budget is sent as it is, adaptive thinks without one, none is refused', () => {
    const options = { thinking: { budget: 4_096 } };
    expect(resolve({ options, facts: { thinking: 'budget' } })).toEqual({ mode: 'budget', budget: 4_096 });
    expect(resolve({ options, facts: { thinking: 'adaptive' } })).toEqual({ mode: 'adaptive' });
    expect(resolve({ options, facts: { thinking: 'none' } })).toBe('no-thinking');
  });

  it('[TH-022] a model without a row needs its mode said', () => {
    expect(resolve({ options: { thinking: {} } })).toBe('no-thinking');
    expect(resolve({ options: { thinking: { mode: 'adaptive' } } })).toEqual({ mode: 'adaptive' });
  });

  it('[TH-016] what a server would refuse is refused before it is sent, by its reason', () => {
    const facts = { thinking: 'budget' } as const;
    expect(resolve({ options: { thinking: {} }, facts })).toBe('budget');
    expect(resolve({ options: { thinking: { budget: 2_048 }, maxOutputTokens: 2_048 }, facts })).toBe('budget');
    expect(resolve({ options: { thinking: { budget: 2_048 }, temperature: 0.2 }, facts })).toBe('temperature');
    expect(resolve({ options: { thinking: { budget: 2_048 } }, facts, toolChoice: 'required' })).toBe('forced-tool-choice');
    expect(resolve({ options: { thinking: false }, facts: { thinking: 'adaptive', alwaysThinks: true } })).toBe('no-thinking');
  });

  it('[TH-016] an effort goes along, and a budget beside it is refused', () => {
    const facts = { thinking: 'adaptive' } as const;
    expect(resolve({ options: { thinking: { effort: 'low' } }, facts })).toEqual({ mode: 'adaptive', effort: 'low' });
    expect(() => resolve({ options: { thinking: { effort: 'low', budget: 9 } }, facts })).toThrow(/Give one of them/);
  });

  it('asks for nothing when nothing is said, and for none when it is refused', () => {
    expect(resolve({ facts: { thinking: 'adaptive' } })).toBeUndefined();
    expect(resolve({ options: { thinking: false }, facts: { thinking: 'adaptive' } })).toEqual({ mode: 'off' });
  });
});

import { manualClock } from '@vouch/contracts/testing';
import { describe, expect, it } from 'vitest';
import { openScope } from './scope.ts';

describe('toolSignal', () => {
  it('[SG-037] is the scope’s own signal where a caller or a time limit can end it', () => {
    const clock = manualClock();
    const caller = new AbortController();
    const called = openScope([caller.signal], undefined, clock);
    expect(called.toolSignal()).toBe(called.signal);
    caller.abort('stop');
    expect(called.toolSignal().reason).toBe('stop');
    const timed = openScope([], 1_000, clock);
    expect(timed.toolSignal()).toBe(timed.signal);
    timed.dispose();
  });

  it('[SG-037] is one of its own where nobody can: the shared signal would keep the listeners of every tool', () => {
    const [first, second] = [openScope([], undefined, manualClock()), openScope([], Number.POSITIVE_INFINITY, manualClock())];
    expect(first.signal).toBe(second.signal);
    expect(first.toolSignal()).not.toBe(first.signal);
    expect(first.toolSignal()).not.toBe(second.toolSignal());
    expect(first.toolSignal()).toBe(first.toolSignal());
    expect(first.toolSignal().aborted).toBe(false);
  });
});

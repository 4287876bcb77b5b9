import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells the time of the platform', () => {
    expect(systemClock.now()).toBe(1_000);
  });

  it('calls once when due, and not after it was cancelled', () => {
    const called: number[] = [];
    systemClock.after(10, () => called.push(systemClock.now()));
    systemClock.after(20, () => called.push(systemClock.now()))();
    vi.advanceTimersByTime(100);
    expect(called).toEqual([1_010]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not fire at once for a delay that timers cannot hold, nor for a negative one too late', () => {
    const called: string[] = [];
    systemClock.after(2 ** 40, () => called.push('long'));
    systemClock.after(-5, () => called.push('negative'));
    vi.advanceTimersByTime(60_000);
    expect(called).toEqual(['negative']);
  });

  it('sleeps, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const sleeping = systemClock.sleep(50, signal);
    vi.advanceTimersByTime(50);
    await sleeping;
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it("an abort ends the sleep with the signal's reason, and releases the timer", async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const sleeping = systemClock.sleep(50, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    await expect(systemClock.sleep(50, controller.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

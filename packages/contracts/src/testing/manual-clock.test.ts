import { describe, expect, it } from 'vitest';
import { manualClock } from './manual-clock.ts';

describe('manualClock', () => {
  it('calls what falls due in order of time, then in order of making, at its own time', async () => {
    const clock = manualClock(100);
    const seen: string[] = [];
    clock.after(20, () => seen.push(`b${clock.now()}`));
    clock.after(10, () => seen.push(`a${clock.now()}`));
    clock.after(20, () => seen.push(`c${clock.now()}`));
    clock.after(21, () => seen.push('too late'));
    await clock.advance(20);
    expect(seen).toEqual(['a110', 'b120', 'c120']);
    expect(clock.now()).toBe(120);
    expect(clock.pending()).toBe(1);
  });

  it('runs a chain of sleeps within one advance', async () => {
    const clock = manualClock();
    const seen: number[] = [];
    const chain = (async () => {
      for (let step = 0; step < 3; step += 1) {
        await clock.sleep(10);
        seen.push(clock.now());
      }
    })();
    await clock.advance(30);
    await chain;
    expect(seen).toEqual([10, 20, 30]);
  });

  it("an abort ends a sleep with the signal's reason, and nothing stays behind", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const reason = new Error('enough');
    const sleeping = clock.sleep(10, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(10, controller.signal)).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('a cancelled timer is not called', async () => {
    const clock = manualClock();
    let called = false;
    clock.after(5, () => {
      called = true;
    })();
    await clock.advance(10);
    expect(called).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { isThenable, requireSynchronous } from './maybe-promise.ts';

describe('isThenable', () => {
  it('knows promises and whatever has a callable then', () => {
    // biome-ignore lint/suspicious/noThenProperty: a foreign thenable is the case
    const foreign = { then: () => undefined };
    const callable = Object.assign(() => 1, foreign);
    expect([Promise.resolve(1), foreign, callable].map(isThenable)).toEqual([true, true, true]);
    // biome-ignore lint/suspicious/noThenProperty: a then that is no function is the case
    expect([null, undefined, 1, 'then', {}, { then: 1 }, () => 1].map(isThenable)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('requireSynchronous', () => {
  it('[AC-002] gives a plain value back', () => {
    const value = { a: 1 };
    expect(requireSynchronous(value, 'validate')).toBe(value);
  });

  it('[AC-002] refuses a thenable, naming the callback, and observes its later rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => {
      unhandled.push(reason);
    };
    process.on('unhandledRejection', listen);
    try {
      expect(() => requireSynchronous(Promise.reject(new Error('later')), 'validate')).toThrow(TypeError);
      expect(() => requireSynchronous(Promise.resolve(1), 'validate')).toThrow('validate must answer synchronously');
      // Unhandled rejections are reported once the microtasks of a turn are done.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
});

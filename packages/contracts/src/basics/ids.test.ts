import { describe, expect, it } from 'vitest';
import { randomIds, sequentialIds } from './ids.ts';

describe('ids', () => {
  it('random ids have their prefix, sixteen digits, and do not repeat', () => {
    const ids = Array.from({ length: 1_000 }, () => randomIds('call'));
    for (const id of ids) expect(id).toMatch(/^call_[0-9a-z]{16}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('sequential ids count in call order, each source by itself', () => {
    const [first, second] = [sequentialIds(), sequentialIds()];
    expect([first('call'), first('part'), second('call')]).toEqual(['call_1', 'part_2', 'call_1']);
  });
});

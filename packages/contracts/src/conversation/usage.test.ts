import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { totalUsage, type Usage, unknownUsage } from './usage.ts';

const reported: Usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14, reported: true };
const estimated: Usage = { inputTokens: 100, outputTokens: 50, totalTokens: 150, reported: false };

const anyUsage: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(1_000), fc.nat(1_000), fc.boolean(), fc.option(fc.nat(100)), fc.option(fc.nat(100)))
  .map(([inputTokens, outputTokens, isReported, cached, reasoning]) => ({
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    reported: isReported,
    ...(cached === null ? {} : { cached }),
    ...(reasoning === null ? {} : { reasoning }),
  }));

describe('totalUsage', () => {
  it('[SG-036] no call is no tokens, and nobody said so', () => {
    expect(totalUsage([])).toEqual(unknownUsage);
    expect(unknownUsage.reported).toBe(false);
  });

  it('[SG-036] reported calls add up to a reported total, breakdowns with them', () => {
    expect(totalUsage([{ ...reported, cached: 3 }, { ...reported, cached: 1, reasoning: 2 }, reported])).toEqual({
      inputTokens: 30,
      outputTokens: 12,
      totalTokens: 42,
      reported: true,
      cached: 4,
      reasoning: 2,
    });
    expect(totalUsage([reported])).not.toHaveProperty('cached');
  });

  it('[SG-036] reported and estimated are never added: the reported part alone, no longer called reported', () => {
    expect(totalUsage([reported, estimated, reported])).toEqual({ inputTokens: 20, outputTokens: 8, totalTokens: 28, reported: false });
  });

  it('[SG-036] estimates alone add up to an estimate', () => {
    expect(totalUsage([estimated, estimated])).toEqual({ inputTokens: 200, outputTokens: 100, totalTokens: 300, reported: false });
  });

  it('[SG-036] a reported zero is a real zero', () => {
    expect(totalUsage([{ ...unknownUsage, reported: true }, reported])).toEqual(reported);
  });

  it('[SG-036] the order of calls does not matter, and a total is reported exactly when every call is', () => {
    fc.assert(
      fc.property(fc.array(anyUsage, { maxLength: 6 }), (calls) => {
        const total = totalUsage(calls);
        expect(totalUsage([...calls].reverse())).toEqual(total);
        expect(total.reported).toBe(calls.length > 0 && calls.every((usage) => usage.reported));
        const counted = calls.some((usage) => usage.reported) ? calls.filter((usage) => usage.reported) : calls;
        expect(total.totalTokens).toBe(counted.reduce((sum, usage) => sum + usage.totalTokens, 0));
      }),
    );
  });
});

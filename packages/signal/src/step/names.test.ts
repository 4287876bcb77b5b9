import { describe, expect, it } from 'vitest';
import { refuseUnknownNames, shownOption } from './names.ts';

const known = ['maxOutputTokens', 'timeout', 'seed', 'topP', 'stopSequences'];
const refusal = (name: string): string => {
  try {
    refuseUnknownNames('the options', { [name]: 1 }, known, ['timeout.total', 'network.retries']);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('refuseUnknownNames', () => {
  it.each([
    ['maxTokens', 'maxOutputTokens'],
    ['max_tokens', 'maxOutputTokens'],
    ['timeoutMs', 'timeout'],
    ['top_p', 'topP'],
    ['sead', 'seed'],
    ['stop', 'stopSequences'],
    ['total', 'timeout.total'],
    ['maxRetries', 'network.retries'],
  ])('[SG-005] names the nearest known name: %s is %s', (asked, near) => {
    expect(refusal(asked)).toBe(`"${asked}" is none of the options. Did you mean ${near}?`);
  });

  it.each(['colour', 'x', '__proto__x', 'x'.repeat(100_000)])('[SG-005] lists the known ones where none is near', (asked) => {
    expect(refusal(asked)).toContain(asked.length > 100 ? 'sha256' : 'Known: maxOutputTokens, timeout');
  });

  it('takes known names, and names that are not set', () => {
    expect(() => refuseUnknownNames('the options', { seed: 1, colour: undefined }, known)).not.toThrow();
  });
});

describe('shownOption', () => {
  it.each([
    ['3000', '"3000"'],
    [Number.NaN, 'NaN'],
    [{ a: [1] }, '{"a":[1]}'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('quotes %j as %s', (value, text) => {
    expect(shownOption(value)).toBe(text);
  });
});

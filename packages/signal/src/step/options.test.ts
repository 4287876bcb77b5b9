import type { SignalOptions } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { checkOptions, mergeOptions } from './options.ts';

const refusal = (options: unknown): string => {
  try {
    checkOptions(options as SignalOptions);
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return '';
};

describe('checkOptions', () => {
  it.each([
    [{ timeout: 3000 }, 'timeout must be an object of milliseconds, such as { total: 30000 }, not 3000.'],
    [{ timeout: { total: '3000' } }, 'timeout.total must be milliseconds above 0, or Infinity, not "3000".'],
    [{ timeout: { total: 0 } }, 'timeout.total must be milliseconds above 0, or Infinity, not 0.'],
    [{ timeout: { totalMs: 1 } }, '"totalMs" is none of the options of timeout. Did you mean total?'],
    [{ network: 2 }, 'network must be an object, such as { retries: 2 }, not 2.'],
    [{ network: { maxRetries: 2 } }, '"maxRetries" is none of the options of network. Did you mean retries?'],
    [{ network: { retries: 101 } }, 'network.retries must be a whole number from 0 to 100, not 101.'],
    [{ maxTokens: 10 }, '"maxTokens" is none of the options. Did you mean maxOutputTokens?'],
    [{ timeoutMs: 10 }, '"timeoutMs" is none of the options. Did you mean timeout?'],
    [{ total: 10 }, '"total" is none of the options. Did you mean timeout.total?'],
    [{ temperature: Number.NaN }, 'temperature must be a number, not NaN.'],
    [{ stopSequences: 'END' }, 'stopSequences must be an array of texts, not "END".'],
    [{ stopSequences: [1] }, 'stopSequences must be an array of texts, not [1].'],
    [{ parallelToolCalls: 'no' }, 'parallelToolCalls must be true or false, not "no".'],
    [{ reasoningEffort: 3 }, 'reasoningEffort must be a text, not 3.'],
    [{ extraBody: ['sk-1'] }, 'extraBody must be an object.'],
    [{ signal: {} }, 'signal must be an AbortSignal.'],
    [{ thinking: true }, 'thinking must be false, or { budget: 4096 } or { effort: "low" }, not true.'],
    [{ thinking: { budget: 0 } }, 'thinking.budget must be a whole number of tokens above 0, not 0.'],
    [{ thinking: { budget: Number.NaN } }, 'thinking.budget must be a whole number of tokens above 0, not NaN.'],
    [{ thinking: { mode: 'none' } }, 'thinking.mode must be adaptive or budget, not "none".'],
    [{ promptCache: '2h' }, 'promptCache must be 5m or 1h, not "2h".'],
    ['fast', 'options must be an object, not "fast".'],
  ])('[SG-005] refuses %j and names the option', (options, message) => {
    expect(refusal(options)).toBe(`E_CONFIGURATION: ${message}`);
  });

  it('takes every option that there is', () => {
    const options: Required<SignalOptions> = {
      temperature: 0,
      maxOutputTokens: 1,
      topP: 1,
      stopSequences: ['END'],
      seed: 1,
      reasoningEffort: 'low',
      parallelToolCalls: false,
      thinking: { budget: 1_024, mode: 'budget' },
      promptCache: '1h',
      signal: new AbortController().signal,
      timeout: { total: Number.POSITIVE_INFINITY, firstByte: 1, idle: 1 },
      network: { retries: 0, maxDelay: 0 },
      extraBody: { field: 1 },
    };
    expect(refusal(options)).toBe('');
    expect(refusal({ timeout: undefined })).toBe('');
  });
});

describe('mergeOptions', () => {
  it.each([
    [{ timeout: 3000 }, {}],
    [{}, { timeout: 3000 }],
    [{ timeout: { total: 1 } }, { network: 5 }],
  ])('[SG-005] lets no mistake vanish in the merge: %j over %j', (client, request) => {
    expect(() => mergeOptions(client as SignalOptions, request as SignalOptions)).toThrow(/must be an object/);
  });
});

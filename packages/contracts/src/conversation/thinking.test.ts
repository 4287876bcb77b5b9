import { describe, expect, it } from 'vitest';
import { SignalError } from '../outcome/signal-error.ts';
import { UnsupportedThinkingError } from './thinking.ts';

describe('UnsupportedThinkingError', () => {
  it('[TH-016] names provider, model and reason, and is not worth a retry', () => {
    const error = new UnsupportedThinkingError({ provider: 'acme', model: 'm-1', reason: 'budget' });
    expect(error).toMatchObject({ name: 'UnsupportedThinkingError', provider: 'acme', model: 'm-1', reason: 'budget', retryable: false });
    expect(error.message).toContain('acme/m-1');
    expect(error).toBeInstanceOf(SignalError);
    expect(error).toMatchObject({ kind: 'configuration', code: 'E_CONFIGURATION' });
  });
});

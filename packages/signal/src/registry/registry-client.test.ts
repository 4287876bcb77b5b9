import { describe, expect, it } from 'vitest';
import { createSignal } from '../client.ts';
import { resolveStrategies } from '../wire/resolve-strategies.ts';
import { providerRows } from './providers.ts';

describe('rows as a client meets them', () => {
  it('[sig-R10] a fork with another model is described by that model, and the first stays as it was', () => {
    const first = createSignal('groq', { model: 'qwen/qwen3.8-27b' });
    const before = first.describe();
    const second = first.model('openai/gpt-oss-120b');
    expect(second.describe()).not.toEqual(before);
    expect(second.describe()).toMatchObject({ model: 'openai/gpt-oss-120b', modelKnown: true });
    expect(first.describe()).toEqual(before);
  });

  it('[sig-R11] an effort in the row is taken', () => {
    expect(() => createSignal('groq', { model: 'openai/gpt-oss-120b' }).options({ reasoningEffort: 'high' })).not.toThrow();
  });

  it('[sig-R12] an effort that is not in the row is refused, naming what is accepted', () => {
    expect(() => createSignal('groq', { model: 'openai/gpt-oss-120b' }).options({ reasoningEffort: 'default' })).toThrow(
      'low, medium, high',
    );
  });

  it('[sig-R13] an effort is refused when the model is changed to one that does not take it', () => {
    const client = createSignal('groq', { model: 'qwen/qwen3.8-27b' }).options({ reasoningEffort: 'default' });
    expect(() => client.model('openai/gpt-oss-20b')).toThrow('"default"');
  });

  it('[sig-R14] any effort is taken for a model without a row', () => {
    expect(() => createSignal('groq', { model: 'nobody/knows-this' }).options({ reasoningEffort: 'xhigh' })).not.toThrow();
  });

  it('[SG-003] every strategy that a row lists exists', () => {
    for (const row of providerRows) {
      if (row.kind !== 'chat') continue;
      expect(() => resolveStrategies(row.wire), row.id).not.toThrow();
    }
  });
});

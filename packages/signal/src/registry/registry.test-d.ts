import type { EndpointCapabilities, ModelCapabilities } from '@vouch/contracts';
import { describe, expectTypeOf, it } from 'vitest';
import type { ChatProviderRow, DecisionProviderRow, ProviderRow } from './provider-row.ts';

describe('registry types', () => {
  it('[SG-020] endpoint and model capabilities share no field', () => {
    expectTypeOf<keyof EndpointCapabilities & keyof ModelCapabilities>().toEqualTypeOf<never>();
  });

  it('[SG-031] a decision row has no chat capability, wire or reasoning field', () => {
    expectTypeOf<keyof DecisionProviderRow & ('capabilities' | 'wire' | 'dialect')>().toEqualTypeOf<never>();
    expectTypeOf<ChatProviderRow>().not.toExtend<DecisionProviderRow>();
    expectTypeOf<Extract<ProviderRow, { readonly kind: 'decisions' }>>().toEqualTypeOf<DecisionProviderRow>();
    const decisions = {
      kind: 'decisions',
      id: 'judge',
      baseUrl: 'https://judge.example/v1',
      envKeys: ['JUDGE_API_KEY'],
      apiKey: 'required',
      adapter: 'judge-wire',
      source: 'documented',
      verified: '2026-11-30',
    } as const;
    expectTypeOf(decisions).toExtend<ProviderRow>();
    // @ts-expect-error a decision row states no wire strategy
    const withWire: ProviderRow = { ...decisions, wire: [] };
    expectTypeOf(withWire).toExtend<ProviderRow>();
    // @ts-expect-error nor a dialect, which is where reasoning is spelled
    const withDialect: DecisionProviderRow = { ...decisions, dialect: {} };
    expectTypeOf(withDialect).toExtend<ProviderRow>();
  });
});

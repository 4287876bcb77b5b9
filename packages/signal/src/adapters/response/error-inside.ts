import type { JsonValue } from '@vouch/contracts';
import { type FaultContext, type ProviderError, providerErrorFrom } from '../../net/provider-error.ts';

/** What an error inside a good answer is thrown with. */
export interface GoodAnswer {
  readonly status: number | undefined;
  readonly header?: (name: string) => string | undefined;
}

/** The error of a body with a good status. */
export function errorInside(payload: JsonValue, answer: GoodAnswer, context: FaultContext): ProviderError {
  return providerErrorFrom(
    {
      payload,
      ...(answer.status === undefined ? {} : { status: answer.status }),
      ...(answer.header === undefined ? {} : { header: answer.header }),
    },
    context,
  );
}

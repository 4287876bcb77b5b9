import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { type FaultContext, type ProviderError, providerErrorFrom } from '../../net/provider-error.ts';
import { objectOr } from './messages.ts';
import { vendorFrames } from './usage.ts';

/** The error that an object of a good answer holds, as a body that `providerErrorFrom` reads; undefined when it holds none. */
export function errorIn(value: JsonObject): JsonValue | undefined {
  if (isTruthy(value.error)) return value;
  const inFrame = vendorFrames(value)
    .map((frame) => frame.error)
    .find(isTruthy);
  if (inFrame !== undefined) return { error: inFrame };
  const choices = Array.isArray(value.choices) ? (value.choices as readonly JsonValue[]) : undefined;
  const inChoice = choices?.map((choice) => objectOr(choice).error).find(isTruthy);
  if (inChoice !== undefined) return { error: inChoice };
  if (choices !== undefined) return undefined;
  const looksSo =
    value.object === 'error' ||
    value.type === 'error' ||
    value.detail !== undefined ||
    value.errors !== undefined ||
    typeof value.message === 'string' ||
    (typeof value.status_code === 'number' && value.status_code >= 400);
  return looksSo ? value : undefined;
}

const isTruthy = (value: JsonValue | undefined): boolean => Boolean(value) && !(isJsonObject(value) && Object.keys(value).length === 0);

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

import { configurationError } from '@vouch/contracts';
import { refuseUnknownNames, shownOption } from '../step/names.ts';

/** What a verb takes for one call. */
export interface CallOptions {
  /** Aborts this call, beside `options.signal`. */
  readonly signal?: AbortSignal;
}

// A record, so that the compiler asks for a name that is added to the type.
const callNames = Object.keys({ signal: true } satisfies { readonly [Name in keyof Required<CallOptions>]: true });

/** `call` when it can be one. Throws `E_CONFIGURATION` for names that are none, and for a signal that is given bare: either would abort nothing. */
export function checkedCall(call: CallOptions | undefined): CallOptions | undefined {
  if (call !== undefined) checkCall(call);
  return call;
}

function checkCall(call: CallOptions): void {
  if (typeof call !== 'object' || call === null) {
    throw configurationError('E_CONFIGURATION', `A call's options must be an object, such as { signal }, not ${shownOption(call)}.`);
  }
  if (isSignal(call))
    throw configurationError('E_CONFIGURATION', "A call's options hold the AbortSignal: give { signal }, not the signal itself.");
  refuseUnknownNames("a call's options", call, callNames);
  if (call.signal === undefined || isSignal(call.signal)) return;
  throw configurationError('E_CONFIGURATION', "A call's signal must be an AbortSignal.");
}

const isSignal = (value: unknown): boolean => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function';

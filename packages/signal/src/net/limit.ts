import { makeFailure, SignalError } from '@vouch/contracts';

/** Bytes of one stream event, unless set otherwise: 32 MiB. */
export const defaultMaxEventBytes: number = 32 * 1024 * 1024;

/** Bytes of a whole body, unless set otherwise: 64 MiB. */
export const defaultMaxBodyBytes: number = 64 * 1024 * 1024;

/** The error of a body or event that is larger than allowed: a `SignalError` of kind `limit`. */
export function limitError(what: string, limitBytes: number): SignalError {
  return new SignalError(
    makeFailure('limit_exceeded', {
      message: `${what} is larger than ${limitBytes} bytes; it was not read further. Raise the limit if it is meant to be.`,
    }),
  );
}

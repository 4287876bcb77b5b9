import { boundMessage, boundText, type JsonValue, type ProviderFault, textLimits } from '@vouch/contracts';
import { classifyError } from './classify.ts';
import { htmlSummary, looksLikeHtml, readErrorBody } from './error-body.ts';
import { redact, redactJson, scrubCause } from './redact.ts';
import { retryAfterMs } from './retry-after.ts';

/** A provider's error: an error status, an error inside a good answer, a broken body, a lost connection. Holds no key and shows no payload (SG-038). */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code = 'E_PROVIDER_ERROR' as const;
  readonly fault: ProviderFault;
  /** The decoded body, whole, for the error strategies; secrets replaced. Not enumerable, so that no log and no JSON shows it. */
  declare readonly payload: JsonValue | undefined;

  constructor(fault: ProviderFault, options?: { readonly payload?: JsonValue | undefined; readonly cause?: unknown }) {
    super(boundMessage(`${fault.status === undefined ? '' : `status ${fault.status}: `}${fault.message}`));
    if (options?.cause !== undefined) Object.defineProperty(this, 'cause', { value: options.cause, configurable: true, writable: true });
    this.fault = fault;
    Object.defineProperty(this, 'payload', { value: options?.payload, enumerable: false });
  }
}

/** A time limit of the call was passed. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
  readonly which: 'total' | 'first_byte' | 'idle';
  /** The limit, in milliseconds. */
  readonly afterMs: number;

  constructor(which: 'total' | 'first_byte' | 'idle', afterMs: number) {
    super(
      {
        total: `the call did not end within ${afterMs} ms`,
        first_byte: `no response came within ${afterMs} ms`,
        idle: `the response stood still for ${afterMs} ms`,
      }[which],
    );
    this.which = which;
    this.afterMs = afterMs;
  }
}

/** An error answer as it came. */
export interface ErrorAnswer {
  /** The HTTP status; 2xx for an error inside a good answer; absent when there was no answer. */
  readonly status?: number;
  /** Headers by lower-case name. */
  readonly header?: (name: string) => string | undefined;
  /** The names of all headers, in lower case. */
  readonly headerNames?: () => readonly string[];
  /** The body's text; may be cut. Given here or as `payload`. */
  readonly text?: string;
  /** The body, already decoded. */
  readonly payload?: JsonValue;
}

/** What the reading of an error may use. */
export interface FaultContext {
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch, for dates in headers. */
  readonly now: number;
}

const requestIdHeaders = ['x-request-id', 'request-id', 'apim-request-id', 'x-generation-id', 'cf-ray'] as const;

function decode(answer: ErrorAnswer, secrets: readonly string[]): { readonly text: string; readonly payload: JsonValue | undefined } {
  const text = redact(answer.text ?? (answer.payload === undefined ? '' : JSON.stringify(answer.payload)), secrets);
  try {
    // Once more after decoding: an escaped spelling of a key is plain only then.
    return { text, payload: text.trim() === '' ? undefined : redactJson(JSON.parse(text) as JsonValue, secrets) };
  } catch {
    return { text, payload: undefined };
  }
}

function messageFor(answer: ErrorAnswer, text: string, said: string | undefined): string {
  if (said !== undefined && said !== '') return said;
  const where = answer.status === undefined ? 'the provider answered' : `the provider answered with status ${answer.status}`;
  if (text.trim() === '') return `${where} and an empty body`;
  if (looksLikeHtml(text)) return `${where} and a web page: ${htmlSummary(text)}`;
  return text.trim();
}

/**
 * Reduces an error answer, in any of the shapes that providers use, to what may be shown: cause, whether a retry may help, the provider's words,
 * the wait it asks for. Texts are bounded (SG-086), secrets replaced (SG-038).
 */
export function faultFromResponse(answer: ErrorAnswer, context: FaultContext): ProviderFault {
  return providerErrorFrom(answer, context).fault;
}

/** The same as an error to throw, with the decoded body as `payload`. */
export function providerErrorFrom(answer: ErrorAnswer, context: FaultContext, cause?: unknown): ProviderError {
  const { text, payload } = decode(answer, context.secrets);
  const header = (name: string): string | undefined => {
    const value = answer.header?.(name);
    return value === undefined ? undefined : redact(value, context.secrets);
  };
  const body = readErrorBody(payload);
  const meaning = classifyError(answer.status, body);
  const asked = header('x-should-retry');
  const wait = retryAfterMs({ header, names: answer.headerNames ?? (() => []) }, context.now) ?? body?.retryAfterMs;
  const requestId = requestIdHeaders.map(header).find((id) => id !== undefined && id !== '') ?? body?.requestId;
  const parameter = body?.parameter;
  const fault: ProviderFault = {
    cause: meaning.cause,
    retryable: asked === 'true' || (asked !== 'false' && meaning.retryable),
    message: boundMessage(messageFor(answer, text, body?.message)),
    ...(answer.status === undefined ? {} : { status: answer.status }),
    ...(body?.code === undefined ? {} : { providerCode: body.code.slice(0, 100) }),
    ...(parameter === undefined ? {} : { parameter: parameter.slice(0, 200) }),
    ...(requestId === undefined ? {} : { requestId: requestId.slice(0, 200) }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(text === '' ? {} : { body: boundText(text, textLimits.preview) }),
  };
  return new ProviderError(fault, { payload, cause: scrubCause(cause, context.secrets) });
}

/** The connection failed, or ended where it should not: no answer, a reset, an empty body. Retryable. */
export function transportError(
  message: string,
  secrets: readonly string[],
  options?: { readonly cause?: unknown; readonly status?: number },
): ProviderError {
  const fault: ProviderFault = {
    cause: 'transport',
    retryable: true,
    message: boundMessage(redact(message, secrets)),
    ...(options?.status === undefined ? {} : { status: options.status }),
  };
  return new ProviderError(fault, { cause: scrubCause(options?.cause, secrets) });
}

/** The body came whole and makes no sense. */
export function unreadableError(
  cause: 'parse' | 'config',
  message: string,
  facts: { readonly secrets: readonly string[]; readonly status?: number; readonly text?: string },
): ProviderError {
  const text = redact(facts.text ?? '', facts.secrets);
  return new ProviderError({
    cause,
    retryable: false,
    message: boundMessage(redact(message, facts.secrets)),
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(text === '' ? {} : { body: boundText(text, textLimits.preview) }),
  });
}

/** The server could not read our request: a proxy cut it, or it is broken. Such an answer comes as a 500, but more than one retry is no use. */
export function isMalformedRequestAnswer(fault: ProviderFault): boolean {
  return fault.status === 500 && /parse_error|json\.exception|malformed|unexpected end of (?:json )?input/i.test(fault.message);
}

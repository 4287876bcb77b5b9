import type { Failure, Issue } from '@vouch/contracts';

/** Where requests went, for advice. */
export interface Target {
  readonly baseUrl?: string;
  /** Names of the variables that may hold the key. */
  readonly keyVariables: readonly string[];
  /** Answers come from a recording. */
  readonly isReplayed?: boolean;
  /** The lab's reader answers: the same question has the same answer. */
  readonly isReader?: boolean;
}

/** For an address at which no API answers as its wire does. `usualEnd`: how such addresses end. */
export function addressAdvice(baseUrl: string | undefined, usualEnd = 'often it ends in /v1'): string {
  return `check that ${baseUrl ?? 'the base URL'} is the address of a chat API (${usualEnd})`;
}

/** What a person can do about a failure, in one sentence; `undefined` when the message says it all. */
export function adviceFor(failure: Failure, target: Target): string | undefined {
  const key = target.keyVariables.length > 0 ? target.keyVariables.join(' or ') : 'the API key';
  if (failure.kind === 'timeout') return `raise --timeout, or check that ${target.baseUrl ?? 'the provider'} answers`;
  switch (failure.cause) {
    case 'auth':
      return `check the key in ${key}`;
    case 'rate_limit':
      return failure.retryable === false ? 'the quota is used up: check the plan of this key' : 'wait a while, or lower --concurrency';
    case 'overloaded':
      return 'the provider is overloaded or down: try again later';
    case 'transport':
      if (/SSL_WRONG_VERSION|SSL_PACKET_LENGTH/.test(failure.message)) return 'no TLS is spoken there: try http:// in the base URL';
      return failure.evidence.provider?.status === undefined
        ? `check that ${target.baseUrl ?? 'the provider'} is running and reachable`
        : 'the connection broke: try again';
    case 'parse':
    case 'config':
      if (target.isReplayed) return 'record what is missing: the same command with --record in place of --replay';
      return addressAdvice(target.baseUrl);
    case 'context_length':
      return 'the document is too long for this model: split it';
    case 'invalid_request':
      return failure.evidence.provider?.status === 404
        ? 'check the model name and the base URL (often it ends in /v1)'
        : 'the provider refused the request itself: its message says why';
    default:
      break;
  }
  switch (failure.kind) {
    case 'truncated':
      return 'raise --max-output-tokens, or split the document';
    case 'invalid_output':
    case 'no_output':
      if (target.isReader)
        return 'what the reader found stands in the evidence of its JSON line; it finds only what has a label, and the same each time';
      return 'what the model wrote stands in the evidence of its JSON line; more --retries may help';
    default:
      return undefined;
  }
}

// Their messages say what they are.
const selfEvident = new Set<Failure['kind']>(['provider', 'timeout', 'configuration']);

/** A failure in one sentence: its kind, and what a person needs to see of it. */
export function failureText(failure: Failure): string {
  const { kind, reason, message, evidence } = failure;
  if (selfEvident.has(kind)) return message;
  const name = reason === kind ? kind : `${kind} (${reason})`;
  const [first, ...others] = evidence.issues;
  if (first === undefined) return `${name}: ${message}`;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `${name}: ${issueText(first)}${more}`;
}

function issueText({ path, expected, received }: Issue): string {
  const place = path === '' ? 'the value' : path;
  // As `previewValue` calls what is not there.
  if (received !== 'nothing') return `${place} should be ${expected}, but is ${received}`;
  return `${place} is missing${expected === 'a value' ? '' : ` (expected: ${expected})`}`;
}

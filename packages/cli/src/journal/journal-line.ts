import { isJsonObject } from '@vouch/contracts';

/** What a run needs to know of a line that an earlier one wrote. */
export interface JournalEntry {
  readonly path: string;
  /** Absent: the document was never asked about, or the line is of a time before keys. */
  readonly key?: string;
  readonly hasValue: boolean;
  /** It failed in a way that says nothing about the document: the next run asks again. */
  readonly isUnanswered: boolean;
}

// The provider refused everybody, was busy, or was not reached.
const causesOfTheProvider = new Set<unknown>(['auth', 'config', 'overloaded', 'rate_limit', 'transport']);

/** Whether a failure says nothing about its document, as a wrong key or a broken connection. */
export function isUnanswered(failure: { readonly kind?: unknown; readonly cause?: unknown } | undefined): boolean {
  return failure?.kind === 'provider' && causesOfTheProvider.has(failure.cause);
}

const lineStart = '{"path":';
const whitespace = /^[ \t\r]*$/;

/** The entry of a line; `blank`; `foreign` for whole JSON that is no line of ours; `unreadable` for what is no JSON. */
export function readEntry(bytes: Uint8Array): JournalEntry | 'blank' | 'foreign' | 'unreadable' {
  let parsed: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (whitespace.test(text)) return 'blank';
    parsed = JSON.parse(text);
  } catch {
    return 'unreadable';
  }
  if (!isJsonObject(parsed)) return 'foreign';
  const { path, key, failure, model, usage } = parsed;
  const hasValue = Object.hasOwn(parsed, 'value');
  if (typeof path !== 'string' || typeof model !== 'string' || !isJsonObject(usage)) return 'foreign';
  if (hasValue === Object.hasOwn(parsed, 'failure') || (key !== undefined && typeof key !== 'string')) return 'foreign';
  if (!hasValue && (!isJsonObject(failure) || typeof failure.kind !== 'string')) return 'foreign';
  return { path, hasValue, isUnanswered: isJsonObject(failure) && isUnanswered(failure), ...(key === undefined ? {} : { key }) };
}

/**
 * Whether bytes can be what is left of a line of ours that was being written: its beginning, whatever it was cut in, also with NUL bytes where a
 * power cut left blocks without their content. Where no line of ours stands before it, a beginning of NUL bytes must be nothing but them.
 */
export function isTorn(bytes: Uint8Array, isFirst: boolean): boolean {
  const start = new TextEncoder().encode(lineStart);
  for (const [index, expected] of start.entries()) {
    const byte = bytes[index];
    if (byte === 0) return !isFirst || index > 0 || bytes.every((other) => other === 0);
    if (byte === undefined) return true;
    if (byte !== expected) return false;
  }
  return true;
}

import type { Failure } from '@vouch/contracts';
import { oneLine } from '../terminal/one-line.ts';
import { adviceFor, failureText, type Target } from './advice.ts';

/** One line for people about a document that failed; undefined when an earlier line said it all. */
export type Teller = (path: string, failure: Failure) => string | undefined;

// A provider may put a new number into each message; what was told must not grow with the documents.
const mostRemembered = 1_000;

/** A teller: a hundred documents that fail for one reason of the provider are one line, not a hundred, and each advice is given once. */
export function createTeller(target: Target): Teller {
  const told = new Set<string>();
  return (path, failure) => {
    const text = oneLine(failureText(failure), 300);
    const isShared = failure.kind === 'provider' || failure.kind === 'timeout' || failure.message.startsWith('Not sent');
    if (isShared && told.has(text)) return undefined;
    const advice = adviceFor(failure, target);
    const isNew = advice !== undefined && !told.has(advice);
    if (told.size < mostRemembered) {
      if (isShared) told.add(text);
      if (advice !== undefined) told.add(advice);
    }
    return `${path}: ${text}${isNew ? ` · ${advice}` : ''}`;
  };
}

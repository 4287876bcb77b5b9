import type { JsonValue } from '@vouch/contracts';

/** A text that `JSON.parse` took. */
export interface StrictParse {
  readonly value: JsonValue;
  readonly depth: number;
  /** The slower reading would give the same value and find nothing: within the depth bound, no repeated key, nothing suspicious. */
  readonly isExact: boolean;
}

/** Parses a text that is strict JSON; undefined for any other. */
export function parseStrict(text: string, maxDepth: number): StrictParse | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const { depth, members, suspicious } = scanExactness(text);
  return { value, depth, isExact: depth <= maxDepth && !suspicious && members === countMembers(value) };
}

/** What one pass over a strict JSON text found. */
interface ExactnessScan {
  readonly depth: number;
  /** Members as written, so that a repeated key shows as a difference to the members of the value. */
  readonly members: number;
  /** Something needs the slower look: a long number, an exponent, an escape that may be damage, a surrogate, a key that is unsafe. */
  readonly suspicious: boolean;
}

/**
 * Looks at a text that `JSON.parse` took for what a parse cannot show (SG-070). One pass, no allocation; it may suspect too much, never too little.
 */
function scanExactness(text: string): ExactnessScan {
  const length = text.length;
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let suspicious = false;
  let escapes = false;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    at += 1;
    if (code === 0x22) {
      for (;;) {
        const inner = text.charCodeAt(at);
        at += 1;
        if (inner === 0x22) break;
        if (inner === 0x5c) {
          escapes = true;
          at += 1;
        } else if (inner >= 0xd800) {
          if (inner <= 0xdfff) suspicious = true;
        } else if (at > length) break;
      }
    } else if (code >= 0x30 && code <= 0x39) {
      const start = at;
      let digit = text.charCodeAt(at);
      while ((digit >= 0x30 && digit <= 0x39) || digit === 0x2e) {
        at += 1;
        digit = text.charCodeAt(at);
      }
      if (at - start >= 15 || digit === 0x65 || digit === 0x45) suspicious = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x3a) members += 1;
  }
  suspicious ||= escapes && /\\u|\\[bf]|:\\[nrt]/.test(text);
  suspicious ||= text.includes('__proto__') || (text.includes('constructor') && text.includes('prototype'));
  return { depth: deepest, members, suspicious };
}

/** The members of all objects in a value. Recursive: call within the depth bound. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countMembers(item);
    return count;
  }
  const object = value as { readonly [key: string]: JsonValue };
  for (const key in object) {
    count += 1;
    const item = object[key];
    if (typeof item === 'object' && item !== null) count += countMembers(item);
  }
  return count;
}

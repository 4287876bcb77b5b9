import type { JsonValue } from '@vouch/contracts';
import { sameValue } from './json/equality.ts';
import { type Decoded, decodeRelaxed } from './json/relaxed-json.ts';
import { isBlank, isOpener, skipSpace } from './scan.ts';
import { scanText } from './text/scan-text.ts';

const noTools = { isDeclared: (): boolean => false, maxDepth: 512 } as const;

/**
 * The one value that a text holds, whatever prose, fences, marks or spelling are around it. Not ok when there is none, when several differ, when one
 * is cut, or when a guess would be needed.
 */
export function extractJson(text: string): { readonly ok: true; readonly value: JsonValue } | { readonly ok: false } {
  const scan = scanText(text, noTools);
  if (scan.tooDeep || scan.lost !== undefined || scan.calls.some((call) => !call.inReasoning)) return { ok: false };
  const live = scan.candidates.filter((candidate) => !candidate.inReasoning);
  const values: JsonValue[] = [];
  for (const { reading } of live) {
    if (reading.kind === 'open') return { ok: false };
    if (reading.kind === 'value' && reading.findings.length > 0) return { ok: false };
    if (reading.kind === 'value') values.push(reading.value);
  }
  const [first] = values;
  if (first === undefined || values.some((value) => !sameValue(value, first))) return { ok: false };
  return { ok: true, value: first };
}

function decodeWhole(text: string): Decoded | undefined {
  const start = skipSpace(text, 0, text.length);
  return isOpener(text.charCodeAt(start)) ? decodeRelaxed(text, start, text.length) : undefined;
}

/**
 * The complete part of a text that starts a container and ends inside it; undefined when it ends nowhere inside, or holds nothing complete. What is
 * torn, a number at the end included, is dropped and never completed.
 */
export function closeTruncated(text: string): JsonValue | undefined {
  const decoded = decodeWhole(text);
  return decoded?.kind === 'open' ? decoded.salvaged : undefined;
}

/** The text starts a container and ends inside it. Text that is invalid in another way is not truncated. */
export function isTruncatedJson(text: string): boolean {
  const decoded = decodeWhole(text);
  return decoded?.kind === 'open' && isBlank(text, decoded.end, text.length);
}

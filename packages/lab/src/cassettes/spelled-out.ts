import { childPointer, isJsonObject, type JsonPointer } from '@vouch/contracts';
import type { Redactor } from './redact.ts';

/**
 * A streamed body spells a secret in pieces, over the texts of several events: then no replacement of bytes can take it out. Looks at every line that
 * is JSON, with or without `data:` before it, and joins the texts that stand at the same place (entries of lists by their `index`, where they have
 * one). Bodies of one line were searched already.
 */
export function spellsSecretOut(body: string, redactor: Redactor): boolean {
  if (!redactor.active()) return false;
  const joined = new Map<JsonPointer, string[]>();
  const lines = body.split(/\r\n|\r|\n/);
  if (lines.length < 2) return false;
  for (const line of lines) {
    const value = decode(line.replace(/^data: ?/, ''));
    if (value !== undefined) gather(value, joined);
  }
  return [...joined.values()].some((texts) => texts.length > 1 && redactor.finds(texts.join('')));
}

function decode(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Adds every text of a value to those at the same place. Iterative. */
function gather(root: unknown, joined: Map<JsonPointer, string[]>): void {
  const work: { readonly pointer: JsonPointer; readonly value: unknown }[] = [{ pointer: '', value: root }];
  for (let here = work.pop(); here !== undefined; here = work.pop()) {
    const { pointer, value } = here;
    if (typeof value === 'string') {
      const texts = joined.get(pointer);
      if (texts !== undefined) texts.push(value);
      else if (joined.size < mostPlaces) joined.set(pointer, [value]);
    } else if (typeof value === 'object' && value !== null && pointer.length < longestPointer) {
      for (const [key, member] of Object.entries(value)) work.push({ pointer: childPointer(pointer, placeOf(key, member)), value: member });
    }
  }
}

// Texts deeper down or at further places are not joined, so that memory stays within a few times the body.
const longestPointer = 500;
const mostPlaces = 10_000;

const placeOf = (key: string, member: unknown): string =>
  isJsonObject(member) && typeof member.index === 'number' ? `${key}[${member.index}]` : key;

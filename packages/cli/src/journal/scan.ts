import type { FileHandle } from 'node:fs/promises';
import { UsageError } from '../usage-error.ts';
import { fileLines } from './file-lines.ts';
import { isTorn, type JournalEntry, readEntry } from './journal-line.ts';

/** The line that counts for a document. */
export interface LiveLine extends JournalEntry {
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
}

/** A line that a later one of the same document has replaced. */
export interface ReplacedLine {
  readonly hasValue: boolean;
}

/** What a file of lines holds. Of the lines themselves nothing is kept. */
export interface JournalState {
  /** By document. */
  readonly live: Map<string, LiveLine>;
  /** By offset in bytes; blank lines too. */
  readonly replaced: Map<number, ReplacedLine>;
  /** Bytes of whole lines. */
  length: number;
}

/** What has to be done about an end that is no whole line: cut to the state's length, or completed with its line feed. */
export type TornEnd = { readonly mend: 'cut'; readonly bytes: number } | { readonly mend: 'complete' };

/** Reads a file of lines without changing it. Throws `UsageError`, naming the line, for one that is not ours. */
export async function scanJournal(handle: FileHandle, shown: string): Promise<{ readonly state: JournalState; readonly torn?: TornEnd }> {
  const state: JournalState = { live: new Map(), replaced: new Map(), length: 0 };
  let torn: TornEnd | undefined;
  let number = 0;
  try {
    for await (const { offset, bytes, isEnded } of fileLines(handle)) {
      number += 1;
      // Something stands after the line that was taken for the torn end.
      if (torn !== undefined) throw foreign(shown, number - 1);
      const entry = readEntry(bytes);
      if (entry === 'foreign') throw foreign(shown, number);
      if (entry === 'unreadable') {
        const mayBeTorn = (!isEnded || bytes.includes(0)) && isTorn(bytes, state.length === 0);
        if (!mayBeTorn) throw foreign(shown, number);
        torn = { mend: 'cut', bytes: bytes.byteLength + (isEnded ? 1 : 0) };
        continue;
      }
      noteLine(state, entry, offset);
      state.length = offset + bytes.byteLength + 1;
      if (!isEnded) torn = { mend: 'complete' };
    }
  } catch (error) {
    if (error instanceof RangeError) throw foreign(shown, number + 1);
    throw error;
  }
  return torn === undefined ? { state } : { state, torn };
}

/** Takes a line into the state: it replaces an earlier one of its document. */
export function noteLine(state: JournalState, entry: JournalEntry | 'blank', offset: number): void {
  if (entry === 'blank') {
    state.replaced.set(offset, { hasValue: false });
    return;
  }
  const earlier = state.live.get(entry.path);
  if (earlier !== undefined) state.replaced.set(earlier.offset, { hasValue: earlier.hasValue });
  state.live.set(entry.path, { ...entry, offset });
}

function foreign(shown: string, line: number): UsageError {
  return new UsageError(`line ${line} of ${shown} is no line that vouch wrote`, 'give another --out; the file was left as it is');
}

import { constants } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compactJournal, draftFileOf, replacedFileOf, syncDirectory } from './compact.ts';
import type { JournalEntry } from './journal-line.ts';
import { acquireLock, type Lock } from './lock.ts';
import { type JournalState, noteLine, scanJournal, type TornEnd } from './scan.ts';

/** A file of lines that outlives any run: what is in it stays, what is appended is on the disk before the append is done. */
export interface Journal {
  /** The line that counts for a document. */
  find(path: string): JournalEntry | undefined;
  /** Writes one line and flushes it; lines are written one after another, whoever calls. `text` is without its line feed. */
  append(text: string, entry: JournalEntry): Promise<void>;
  /** `tidy`: leaves each document's last line only. Releases the lock in any case. */
  close(options: { readonly tidy: boolean }): Promise<void>;
}

/** The files that may be written beside a journal's own. */
export const besideOf = (file: string): readonly string[] => [replacedFileOf(file), draftFileOf(file), `${file}.lock`];

/** How a journal is opened. */
export interface JournalOptions {
  /** What the file is called in messages. */
  readonly shown: string;
  /** Discards what the file holds. */
  readonly overwrite: boolean;
  /** Hears what was done to the file, in a sentence. */
  readonly note: (text: string) => Promise<void>;
}

/**
 * Opens `file`, a real path, for one writer. Throws `UsageError` while another process writes it, and for a file that holds anything but our lines,
 * which is left as it is. A last line that was torn is cut away, or completed when only its line feed is missing; lines that later ones replaced
 * are left out, their values kept in `FILE.replaced.jsonl`.
 */
export async function openJournal(file: string, options: JournalOptions): Promise<Journal> {
  const lock = await acquireLock(file);
  try {
    await unlink(draftFileOf(file)).catch(() => undefined);
    const opened = await openTidied(file, options);
    return journalOver(file, opened, lock, options.shown);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Opened {
  handle: FileHandle;
  state: JournalState;
}

const openForAppending = (file: string): Promise<FileHandle> =>
  open(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o666);

async function openTidied(file: string, options: JournalOptions): Promise<Opened> {
  const handle = await openForAppending(file);
  try {
    if (options.overwrite) await handle.truncate(0);
    const { state, torn } = await scanJournal(handle, options.shown);
    if (torn !== undefined) await mend(handle, state, torn, options);
    await syncDirectory(dirname(file));
    if (state.replaced.size === 0) return { handle, state };
    await compactJournal(file, handle, state);
    if (holdsReplacedValue(state)) await options.note(`values that later ones replaced were moved to ${replacedFileOf(options.shown)}`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return openTidied(file, { ...options, overwrite: false });
}

const holdsReplacedValue = ({ replaced }: JournalState): boolean => [...replaced.values()].some(({ hasValue }) => hasValue);

async function mend(handle: FileHandle, state: JournalState, torn: TornEnd, { shown, note }: JournalOptions): Promise<void> {
  if (torn.mend === 'complete') await handle.appendFile('\n');
  else await handle.truncate(state.length);
  await handle.datasync();
  await note(
    torn.mend === 'complete'
      ? `${shown}: the last line had no end, and was completed`
      : `${shown}: the last line was torn while it was written; ${torn.bytes} bytes were cut away`,
  );
}

function journalOver(file: string, opened: Opened, lock: Lock, shown: string): Journal {
  const { handle, state } = opened;
  let writing: Promise<void> = Promise.resolve();
  const write = async (text: string, entry: JournalEntry): Promise<void> => {
    await requireSameFile(file, handle, state.length, shown);
    const bytes = Buffer.from(`${text}\n`);
    try {
      await handle.appendFile(bytes);
      await handle.datasync();
    } catch (error) {
      // Half a line would be mended by the next run; better it is not there.
      await handle.truncate(state.length).catch(() => undefined);
      throw error;
    }
    noteLine(state, entry, state.length);
    state.length += bytes.byteLength;
  };
  return {
    find: (path) => state.live.get(path),
    append(text, entry) {
      const done = writing.then(() => write(text, entry));
      writing = done.catch(() => undefined);
      return done;
    },
    async close({ tidy }) {
      await writing;
      try {
        if (tidy && state.replaced.size > 0) {
          await requireSameFile(file, handle, state.length, shown);
          await compactJournal(file, handle, state);
        }
      } finally {
        await handle.close();
        await lock.release();
      }
    },
  };
}

/** A file that was moved away or replaced would take lines that nobody finds; in one that another changed, no line is where it was noted. */
async function requireSameFile(file: string, handle: FileHandle, length: number, shown: string): Promise<void> {
  const [own, there] = await Promise.all([handle.stat({ bigint: true }), stat(file, { bigint: true }).catch(() => undefined)]);
  if (there?.ino !== own.ino || there.dev !== own.dev)
    throw new Error(`${shown} was moved, removed or replaced while it was written; run again to go on`);
  if (own.size !== BigInt(length)) throw new Error(`${shown} was changed by another program while it was written; run again to go on`);
}

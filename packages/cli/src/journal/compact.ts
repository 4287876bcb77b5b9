import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { fileLines } from './file-lines.ts';
import { isTorn, readEntry } from './journal-line.ts';
import type { JournalState } from './scan.ts';

/** Where the values go that later ones replaced. */
export const replacedFileOf = (file: string): string => `${file}.replaced.jsonl`;

/** The next content of a file while it is written. */
export const draftFileOf = (file: string): string => `${file}.compacting`;

const writeAtBytes = 1024 * 1024;
const lineFeed = Uint8Array.of(0x0a);

/**
 * Leaves out the replaced lines: writes the others to a draft, makes it durable and renames it over the file, so that a kill at any moment leaves the
 * one or the other whole. Replaced values are appended to `FILE.replaced.jsonl` and made durable before; a kill in between appends them again.
 * Where it fails, as on a full disk, the file stays as it is, and no draft takes room.
 */
export async function compactJournal(file: string, handle: FileHandle, { replaced }: Pick<JournalState, 'replaced'>): Promise<void> {
  const { mode: fullMode } = await handle.stat();
  const mode = fullMode & 0o777;
  const hasValues = [...replaced.values()].some(({ hasValue }) => hasValue);
  const draft = await open(draftFileOf(file), 'w', mode);
  try {
    // The process's mask took bits away.
    await draft.chmod(mode);
    const values = hasValues ? await openReplaced(replacedFileOf(file), mode) : undefined;
    try {
      await distribute(handle, replaced, { draft, values });
    } finally {
      await values?.close();
    }
    await draft.sync();
    await rename(draftFileOf(file), file);
  } catch (error) {
    await unlink(draftFileOf(file)).catch(() => undefined);
    throw error;
  } finally {
    await draft.close();
  }
  await syncDirectory(dirname(file));
}

interface Distribution {
  readonly draft: FileHandle;
  readonly values: FileHandle | undefined;
}

/** Replaced values are durable when it resolves; the draft is not yet. */
async function distribute(handle: FileHandle, replaced: JournalState['replaced'], { draft, values }: Distribution): Promise<void> {
  const kept = gather(draft);
  const put = values === undefined ? undefined : gather(values);
  for await (const { offset, bytes } of fileLines(handle)) {
    const old = replaced.get(offset);
    if (old === undefined) await kept.add(bytes);
    else if (old.hasValue) await put?.add(bytes);
  }
  await put?.flush();
  await values?.sync();
  await kept.flush();
}

/**
 * Opened for appending, after an end that a kill tore was cut away: what it held is still in the journal, and comes again. Throws `UsageError` for
 * an end that cannot be ours.
 */
async function openReplaced(path: string, mode: number): Promise<FileHandle> {
  const handle = await open(path, 'a+', mode);
  try {
    await mendEnd(handle, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function mendEnd(handle: FileHandle, path: string): Promise<void> {
  let whole = 0;
  for await (const { offset, bytes, isEnded } of fileLines(handle)) {
    if (isEnded && !bytes.includes(0)) whole = offset + bytes.byteLength + 1;
    // An editor may have taken the last line feed.
    else if (typeof readEntry(bytes) === 'object') return handle.appendFile(lineFeed);
    else if (!isTorn(bytes, whole === 0))
      throw new UsageError(`the end of ${path} is no line that vouch wrote`, 'move that file away; both files were left as they are');
  }
  if ((await handle.stat()).size > whole) await handle.truncate(whole);
}

/** Collects lines into larger writes. */
function gather(handle: FileHandle): { add(line: Uint8Array): Promise<void>; flush(): Promise<void> } {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const flush = async (): Promise<void> => {
    if (heldBytes === 0) return;
    const bytes = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    await handle.appendFile(bytes);
  };
  return {
    async add(line) {
      // The line's bytes are valid only until the next one.
      held.push(Buffer.from(line), lineFeed);
      heldBytes += line.byteLength + 1;
      if (heldBytes >= writeAtBytes) await flush();
    },
    flush,
  };
}

/** Makes a rename durable, where the system can. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Some systems cannot open a directory; there the rename is as durable as they make it.
  }
}

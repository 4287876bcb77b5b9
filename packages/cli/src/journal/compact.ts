import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileLines } from './file-lines.ts';
import { readEntry } from './journal-line.ts';
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
 */
export async function compactJournal(file: string, handle: FileHandle, { replaced }: Pick<JournalState, 'replaced'>): Promise<void> {
  const { mode } = await handle.stat();
  const hasValues = [...replaced.values()].some(({ hasValue }) => hasValue);
  const draft = await open(draftFileOf(file), 'w', mode & 0o777);
  const values = hasValues ? await openReplaced(replacedFileOf(file), mode & 0o777) : undefined;
  try {
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
    await draft.sync();
  } finally {
    await draft.close();
    await values?.close();
  }
  await rename(draftFileOf(file), file);
  await syncDirectory(dirname(file));
}

/** Opened for appending, after an end that a kill tore was cut away: what it held is still in the journal, and comes again. */
async function openReplaced(path: string, mode: number): Promise<FileHandle> {
  const handle = await open(path, 'a+', mode);
  let whole = 0;
  for await (const { offset, bytes, isEnded } of fileLines(handle))
    if (isEnded && typeof readEntry(bytes) === 'object') whole = offset + bytes.byteLength + 1;
  if ((await handle.stat()).size > whole) await handle.truncate(whole);
  return handle;
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

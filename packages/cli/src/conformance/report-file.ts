import { open, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { reportBeginning } from './report.ts';

/** Refuses a file that is there and holds other than an earlier report. An empty one, a pipe and a device lose nothing. Throws `UsageError`. */
export async function refuseForeignFile(shown: string, cwd: string): Promise<void> {
  const file = await open(resolve(cwd, shown), 'r').catch((error: NodeJS.ErrnoException) => {
    // What cannot be read for another reason must not be replaced either.
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(shown, error);
  });
  if (file === undefined) return;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size === 0) return;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(reportBeginning.length), 0, reportBeginning.length, 0);
    if (buffer.toString('utf8', 0, bytesRead) === reportBeginning) return;
  } finally {
    await file.close();
  }
  throw new UsageError(`--out ${shown} is there, and is no report of this command`, 'give another file, or remove it');
}

/** Writes the report as the whole file. Throws `UsageError` when it cannot be written. */
export async function writeReport(shown: string, cwd: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(cwd, shown), text);
  } catch (error) {
    throw unwritable(shown, error as NodeJS.ErrnoException);
  }
}

const unwritable = (shown: string, error: NodeJS.ErrnoException): UsageError =>
  new UsageError(`--out ${shown} cannot be written: ${error.code ?? 'unknown'}`, 'give another file');

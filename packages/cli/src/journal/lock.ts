import { createHash, randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonObject } from '@vouch/contracts';
import { UsageError } from '../usage-error.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** The right to write one file, held by one process. */
export interface Lock {
  release(): Promise<void>;
}

/** What stands behind the name of a lock in the name of its drafts and claims, and of theirs. */
const leftover = /^(?:\.[0-9a-f]{12})*\.(?:[0-9a-f]{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

// A lock can change hands between two looks at it; this often in a row is no accident.
const mostLooks = 100;

/**
 * Takes `FILE.lock`, which names its process. Throws `UsageError` while another process that runs holds it. The lock of a process that is gone is
 * taken over: of several starters that see it, one claims it (a file named after the dead lock's content), looks again and replaces it; whoever
 * comes later finds a living lock. A process of another machine counts as running.
 */
export async function acquireLock(file: string): Promise<Lock> {
  const path = `${file}.lock`;
  const content = JSON.stringify({ ...(await ownIdentity()), nonce: randomUUID() });
  await take(path, content, file);
  await removeLeftovers(path);
  return {
    async release() {
      if ((await contentOf(path)) === content) await unlink(path);
    },
  };
}

async function take(path: string, content: string, file: string): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    if (await createWhole(path, content)) return;
    const found = await contentOf(path);
    if (found === undefined) continue;
    const owner = ownerOf(found);
    if (owner === undefined || (await isRunning(owner))) throw held(file, path, owner);
    const claim = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 12)}`;
    // A claim of a process that died in the middle is taken over in the same way.
    await take(claim, content, file);
    try {
      if ((await contentOf(path)) === found && (await replaceWhole(path, content))) return;
    } finally {
      await removeIfThere(claim);
    }
  }
  throw new UsageError(`${path} changes hands all the time`, 'let one run write the file');
}

/** Creates `path` with its whole content at once, so that nobody sees half of it; false when it is there. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    return createWithoutLinks(path, content, error);
  } finally {
    await removeIfThere(draft);
  }
}

/** For file systems that have no hard links. */
async function createWithoutLinks(path: string, content: string, reason: unknown): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    await handle.writeFile(content);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw reason;
  }
}

async function replaceWhole(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content);
  try {
    await rename(draft, path);
    return true;
  } catch (error) {
    // Swept away by a run that took the lock meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function writeDraft(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(content);
      // After a power cut a lock must still name its process.
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `cannot lock ${path.replace(/\.lock.*$/, '')}: ${code ?? 'unknown error'}`,
      code !== undefined && fullCodes.has(code) ? 'no space is left there: free some' : 'its directory must be writable',
    );
  }
  return draft;
}

/** Drafts and claims of processes that were killed. Whoever still works on one looks at the lock again, and finds this process. */
async function removeLeftovers(path: string): Promise<void> {
  const directory = dirname(path);
  const lock = basename(path);
  for (const name of await readdir(directory))
    if (name.startsWith(lock) && leftover.test(name.slice(lock.length))) await removeIfThere(join(directory, name));
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    // A directory is no lock of ours.
    if (code === 'EISDIR') return '';
    throw error;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function ownerOf(content: string): ProcessIdentity | undefined {
  try {
    const parsed: unknown = JSON.parse(content);
    if (!isJsonObject(parsed)) return undefined;
    const { pid, host, start } = parsed;
    if (!Number.isSafeInteger(pid) || Number(pid) <= 0 || typeof host !== 'string') return undefined;
    return { pid: Number(pid), host, ...(typeof start === 'string' ? { start } : {}) };
  } catch {
    return undefined;
  }
}

function held(file: string, path: string, owner: ProcessIdentity | undefined): UsageError {
  if (owner === undefined) return new UsageError(`${path} is no lock that vouch can read`, 'remove it when no other run writes there');
  return new UsageError(
    `${file} is being written by process ${owner.pid} on ${owner.host}`,
    `wait for it, or remove ${path} when that process has ended`,
  );
}

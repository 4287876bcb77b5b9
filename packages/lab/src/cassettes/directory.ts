import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cassette, CassetteError } from './cassette.ts';
import { readCassette } from './read-cassette.ts';
import type { MatchedRequest } from './request.ts';

/** A cassette file's place, taken and not yet written. */
export interface Claim {
  /** The file's name in the directory. */
  readonly name: string;
  /** Writes the file whole: under another name first, so that a stop between leaves no cassette. */
  write(cassette: Cassette): Promise<void>;
  /** Gives the place back. */
  drop(): Promise<void>;
}

/** A cassette with the place that its file's name gives it. */
export interface LoadedCassette {
  readonly name: string;
  readonly cassette: Cassette;
}

const unfinished = '.part';
const mostCassettes = 10_000;
const mostFileBytes = 256 * 1024 * 1024;

/** Makes the directory when it is not there. Throws `CassetteError` when it cannot be written. */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (cause) {
    throw new CassetteError(directory, `cannot be written (${codeOf(cause)}); give a directory to record into`, { cause });
  }
}

/**
 * Takes the next place for a request: `<method and end of the path>-<digest>-<number>.json`. The places of several recorders, also of other
 * processes, do not collide, because a place is taken by making its unfinished file, which fails when there is one.
 */
export async function claimPlace(
  directory: string,
  request: MatchedRequest,
  digest: string,
  first: number,
): Promise<Claim & { readonly number: number }> {
  const stem = `${nameOf(request)}-${digest}`;
  for (let number = first; number <= mostCassettes; number += 1) {
    const name = `${stem}-${String(number).padStart(3, '0')}.json`;
    const path = join(directory, name);
    if (await claim(path))
      return { name, number, write: (cassette) => write(path, cassette), drop: () => rm(path + unfinished, { force: true }) };
  }
  throw new CassetteError(join(directory, stem), `${mostCassettes} answers to one request are the most; record into another directory`);
}

async function claim(path: string): Promise<boolean> {
  try {
    await (await open(path + unfinished, 'wx')).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  const taken = await stat(path).then(
    () => true,
    () => false,
  );
  // Only who holds the unfinished file makes the finished one, so it cannot appear after this look.
  if (taken) await rm(path + unfinished, { force: true });
  return !taken;
}

async function write(path: string, cassette: Cassette): Promise<void> {
  const text = `${JSON.stringify(cassette, null, 2)}\n`;
  const file = await open(path + unfinished, 'w');
  try {
    await file.writeFile(text, 'utf8');
    // The name must not survive a power cut that the bytes do not.
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path + unfinished, path);
}

function nameOf({ method, path }: MatchedRequest): string {
  const words = path
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
  return `${method.toLowerCase().replace(/\W/g, '')}-${words.slice(-40).replace(/^-/, '') || 'root'}`;
}

/**
 * Every cassette of a directory, in the order of the names. Every file that ends in `.json` must be one; others are not looked at, nor are files
 * that begin with a dot, folders, and unfinished files. Throws `CassetteError`, which names the file.
 */
export async function loadDirectory(directory: string): Promise<readonly LoadedCassette[]> {
  const names = await listing(directory);
  if (names.length > mostCassettes) throw new CassetteError(directory, `holds ${names.length} cassettes; ${mostCassettes} are the most`);
  const loaded: LoadedCassette[] = [];
  for (const name of names) {
    const path = join(directory, name);
    loaded.push({ name, cassette: readCassette(await textOf(path), path) });
  }
  return loaded;
}

async function listing(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json') && !entry.name.startsWith('.'));
    return files.map(({ name }) => name).sort(byNumber);
  } catch (cause) {
    throw new CassetteError(directory, `cannot be read (${codeOf(cause)}); give a directory of cassettes`, { cause });
  }
}

/** By name, and the numbers at the end by size: 1000 comes after 999. */
function byNumber(a: string, b: string): number {
  const [stemOfA, stemOfB] = [a, b].map((name) => name.replace(/\d+\.json$/, ''));
  if (stemOfA !== stemOfB) return a < b ? -1 : 1;
  return a.length - b.length || (a < b ? -1 : 1);
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > mostFileBytes) throw new CassetteError(path, `has ${size} bytes; ${mostFileBytes} are the most`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    if (cause instanceof CassetteError) throw cause;
    throw new CassetteError(path, `cannot be read (${codeOf(cause)})`, { cause });
  }
}

/** The short word of a file system's error. */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.message : String(error);
}

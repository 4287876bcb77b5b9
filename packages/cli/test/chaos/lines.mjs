// What an output file holds, and how it differs from that of an undisturbed run.
import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/**
 * @typedef {object} Lines
 * @property {Map<string, unknown>} values  the last value of each document
 * @property {number} count  whole lines
 * @property {readonly string[]} problems  lines that are no JSON, that fail, that come twice
 * @property {number} tornBytes  behind the last line feed
 */

/**
 * @param {string} file
 * @returns {Promise<Lines>}
 */
export async function readLines(file) {
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  const pieces = text.split('\n');
  const torn = pieces.pop() ?? '';
  /** @type {Map<string, unknown>} */
  const values = new Map();
  /** @type {string[]} */
  const problems = [];
  for (const [index, piece] of pieces.entries()) {
    try {
      const line = JSON.parse(piece);
      if (line.value === undefined)
        problems.push(`line ${index + 1}: ${line.path} has no value: ${JSON.stringify(line.failure)?.slice(0, 300)}`);
      if (values.has(line.path)) problems.push(`line ${index + 1}: ${line.path} comes twice`);
      values.set(line.path, line.value);
    } catch {
      problems.push(`line ${index + 1} is no JSON: ${piece.slice(0, 100)}`);
    }
  }
  return { values, count: pieces.length, problems, tornBytes: Buffer.byteLength(torn) };
}

/**
 * Everything in which `lines` is not what an undisturbed run gives.
 * @param {Lines} lines
 * @param {ReadonlyMap<string, unknown>} expected
 */
export function differences(lines, expected) {
  const found = [...lines.problems];
  if (lines.tornBytes > 0) found.push(`${lines.tornBytes} bytes stand behind the last line feed`);
  for (const [path, value] of expected) {
    if (!lines.values.has(path)) found.push(`${path} is missing`);
    else if (!isDeepStrictEqual(lines.values.get(path), value))
      found.push(`${path} has another value: ${JSON.stringify(lines.values.get(path))}, not ${JSON.stringify(value)}`);
  }
  for (const path of lines.values.keys()) if (!expected.has(path)) found.push(`${path} was not asked for`);
  return found;
}

/**
 * Names of the files beside `file` that begin like it: locks, drafts, replaced values.
 * @param {string} file
 */
export async function leftovers(file) {
  const name = basename(file);
  return (await readdir(dirname(file))).filter((other) => other !== name && other.startsWith(`${name}.`));
}

/**
 * Cuts up to a whole line off the end of a file, as a machine that loses power does to what was not yet on the disk.
 * @param {string} file
 * @param {() => number} random
 * @returns {Promise<number>} bytes cut
 */
export async function tearEnd(file, random) {
  if (!existsSync(file)) return 0;
  const bytes = await readFile(file);
  const lineStart = bytes.lastIndexOf(0x0a, Math.max(0, bytes.length - 2)) + 1;
  const cut = Math.ceil(random() * (bytes.length - lineStart));
  if (cut === 0) return 0;
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(bytes.length - cut);
  } finally {
    await handle.close();
  }
  return cut;
}

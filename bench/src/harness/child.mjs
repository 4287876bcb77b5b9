// Child processes that print one JSON value: for what a process can only be asked once (its start, its memory).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a module's text in a fresh process and parses what it printed.
 *
 * @param {string} source ECMAScript module text
 * @param {readonly string[]} [flags] of node
 * @returns {Promise<unknown>}
 */
export async function evaluateInChild(source, flags = []) {
  const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '--eval', source], { cwd: import.meta.dirname });
  return JSON.parse(stdout === '' ? 'null' : stdout);
}

/**
 * The time from start to end of a fresh process, in nanoseconds.
 *
 * @param {string} source ECMAScript module text
 * @returns {Promise<number>}
 */
export async function childNanoseconds(source) {
  const before = process.hrtime.bigint();
  await evaluateInChild(source);
  return Number(process.hrtime.bigint() - before);
}

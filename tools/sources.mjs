// The project's own source files, read and parsed for the checks on structure.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** @typedef {{ readonly path: string, readonly text: string }} Source  `path` is relative to the root, with forward slashes. */

const skipped = new Set(['node_modules', 'dist', 'fixtures', '.git', '.cache']);

/** Files under a folder whose name passes, in a stable order. @param {string} root @param {string} folder @param {(path: string) => boolean} wanted @returns {Source[]} */
export function readSources(root, folder, wanted) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : readSources(root, path, wanted);
      return wanted(path) ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : [];
    });
}

/** A test, or what only tests load. @param {string} path */
export const isTest = (path) => /\.(test|test-d|property)\.ts$|\/test-support\/|^packages\/[^/]+\/test\//.test(path);

/** The sources that ship. @param {string} root @returns {Source[]} */
export function shippedSources(root) {
  return readSources(root, 'packages', (path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !isTest(path));
}

/** @param {Source} source */
export function parse({ path, text }) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** Every node of a file, parents first. @param {ts.Node} start @returns {Generator<ts.Node>} */
export function* nodesOf(start) {
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    /** @type {ts.Node[]} */
    const children = [];
    node.forEachChild((child) => {
      children.push(child);
    });
    open.push(...children.reverse());
  }
}

/** `path:line` of a node. @param {ts.Node} node */
export function placeOf(node) {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

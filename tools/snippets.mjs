// Code fences in the documents are regions of files in examples/. A fence stands under a comment that names its source:
//   <!-- snippet: examples/first.ts#call -->
// and the file marks the region by `// #region call` and `// #endregion`; without #name it is the whole file.
// Fails when a fence differs or when a fence of code has no source; --write brings the fences up to date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const code = /^(ts|typescript|js|javascript|mjs|tsx)$/;

/** The lines of a region, with the lines of regions inside it; undefined when the file does not open and close it. @param {readonly string[]} lines @param {string} region */
function linesOfRegion(lines, region) {
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  if (start < 0) return undefined;
  let inside = 1;
  for (let at = start + 1; at < lines.length; at += 1) {
    const line = lines[at]?.trim() ?? '';
    if (line.startsWith('// #region ')) inside += 1;
    if (/^\/\/ #endregion\b/.test(line)) inside -= 1;
    if (inside === 0) return lines.slice(start + 1, at);
  }
  return undefined;
}

/** The text of a region without its common indentation; the whole file without a region. @param {string} source @param {string | undefined} region */
export function regionOf(source, region) {
  const lines = source.split('\n');
  const inside = region === undefined ? lines : linesOfRegion(lines, region);
  if (inside === undefined) return undefined;
  const body = inside.filter((line) => !/^\s*\/\/ #(end)?region\b/.test(line));
  const indents = body.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return body
    .map((line) => line.slice(indent))
    .join('\n')
    .replace(/^\n+|\s+$/g, '');
}

/**
 * A document with its fences replaced by their sources, and what is wrong with it.
 * @param {string} text
 * @param {(path: string) => string | undefined} read
 */
export function syncSnippets(text, read) {
  /** @type {string[]} */
  const problems = [];
  const lines = text.split('\n');
  /** @type {string[]} */
  const out = [];
  /** @type {{ path: string, region: string | undefined } | undefined} */
  let source;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const open = /^(`{3,})(\S*)/.exec(line);
    if (open === null) {
      const named = /^<!-- snippet: ([^#\s]+)(?:#(\S+))? -->$/.exec(line.trim());
      if (named !== null) source = { path: named[1] ?? '', region: named[2] };
      else if (line.trim() !== '') source = undefined;
      out.push(line);
      continue;
    }
    let close = at + 1;
    while (close < lines.length && lines[close]?.trim() !== open[1]) close += 1;
    const body = lines.slice(at + 1, close).join('\n');
    let wanted = body;
    if (source !== undefined) {
      const file = read(source.path);
      const region = file === undefined ? undefined : regionOf(file, source.region);
      const name = `${source.path}${source.region === undefined ? '' : `#${source.region}`}`;
      if (region === undefined) problems.push(`line ${at + 1}: ${name} does not exist`);
      else {
        if (region !== body) problems.push(`line ${at + 1}: differs from ${name}`);
        wanted = region;
      }
    } else if (code.test(open[2] ?? '')) problems.push(`line ${at + 1}: a fence of code without a source`);
    out.push(line, ...(wanted === '' ? [] : [wanted]), lines[close] ?? '');
    at = close;
    source = undefined;
  }
  return { text: out.join('\n'), problems };
}

/** @param {string} root @returns {string[]} */
function documents(root) {
  const found = readdirSync(root).filter((name) => name.endsWith('.md'));
  const walk = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      // The requirements are a copy of a text from elsewhere.
      if (entry.isDirectory()) path === join('docs', 'requirements') || walk(path);
      else if (entry.name.endsWith('.md')) found.push(path);
    }
  };
  for (const folder of ['docs', 'examples']) if (existsSync(join(root, folder))) walk(folder);
  for (const folder of readdirSync(join(root, 'packages')))
    if (existsSync(join(root, 'packages', folder, 'README.md'))) found.push(join('packages', folder, 'README.md'));
  return found;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const read = (/** @type {string} */ path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined);
  let wrong = 0;
  const all = documents(root);
  for (const path of all) {
    const before = readFileSync(join(root, path), 'utf8');
    const { text, problems } = syncSnippets(before, read);
    const write = process.argv.includes('--write') && text !== before;
    if (write) writeFileSync(join(root, path), text);
    for (const problem of problems)
      if (!(write && problem.includes('differs from'))) {
        wrong += 1;
        console.log(`${relative('.', path)}, ${problem}`);
      }
  }
  if (wrong > 0) process.exit(1);
  console.log(`${all.length} documents agree with the examples`);
}

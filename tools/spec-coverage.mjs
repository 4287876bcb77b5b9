#!/usr/bin/env node
// Which requirements of docs/requirements/*.md are named by a test of the project, and which are not.
// Usage: node tools/spec-coverage.mjs [PREFIX ...] [--missing] [--strict]      (run from the project's root; PREFIX e.g. SG, AC-09, TH)
// A test names a requirement by having its id in square brackets in the test's title: it('[SG-061] ...').
// --missing lists the texts of the ones not named; --strict exits 1 when any is missing.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const specDir = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'requirements');
const args = process.argv.slice(2);
const prefixes = args.filter((arg) => !arg.startsWith('--'));
const wanted = (/** @type {string} */ id) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix));

/** @type {Map<string, { file: string, text: string }>} */
const requirements = new Map();
for (const file of readdirSync(specDir).filter((name) => name.endsWith('.md')))
  for (const match of readFileSync(join(specDir, file), 'utf8').matchAll(/^\| ([A-Z]{2}-\d{3}) \| (.*) \|$/gm))
    if (wanted(match[1] ?? '')) requirements.set(match[1] ?? '', { file, text: match[2] ?? '' });

/** @type {Map<string, string[]>} */
const named = new Map();
const walk = (/** @type {string} */ dir) => {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (['node_modules', 'dist', '.git'].includes(entry.name)) continue;
    const path = join(dir, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (/\.(test|cases|test-d|spec)\.[cm]?tsx?$/.test(entry.name))
      for (const match of readFileSync(path, 'utf8').matchAll(/\[([A-Z]{2}-\d{3}[^\]\n]*)\]/g))
        for (const id of match[1]?.match(/[A-Z]{2}-\d{3}/g) ?? []) named.set(id, [...(named.get(id) ?? []), path]);
  }
};
walk(process.cwd());

const missing = [...requirements].filter(([id]) => !named.has(id));
/** @type {Map<string, { total: number, covered: number }>} */
const byFile = new Map();
for (const [id, { file }] of requirements) {
  const row = byFile.get(file) ?? { total: 0, covered: 0 };
  row.total += 1;
  if (named.has(id)) row.covered += 1;
  byFile.set(file, row);
}
for (const [file, row] of byFile) console.log(`${file}: ${row.covered} of ${row.total} requirements are named by a test`);
const unknown = [...named.keys()].filter((id) => prefixes.length === 0 && !requirements.has(id));
if (unknown.length) console.log(`named by a test but in no spec: ${unknown.join(', ')}`);
if (args.includes('--missing')) for (const [id, { text }] of missing) console.log(`${id}  ${text}`);
else if (missing.length) console.log(`not named: ${missing.map(([id]) => id).join(' ')}`);
process.exit(args.includes('--strict') && missing.length ? 1 : 0);

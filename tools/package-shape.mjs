// What a user would install: publint and "are the types wrong" over every package that has exports.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
let failed = false;

/** @param {string} title @param {readonly string[]} command */
function run(title, command) {
  const [program = 'node', ...args] = command;
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', program), args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return;
  failed = true;
  console.log(`${title}\n${stdout}${stderr}`);
}

for (const folder of readdirSync(join(root, 'packages'))) {
  const manifest = join(root, 'packages', folder, 'package.json');
  if (!existsSync(manifest)) continue;
  run(`publint ${folder}`, ['publint', '--strict', `packages/${folder}`]);
  if (JSON.parse(readFileSync(manifest, 'utf8')).exports === undefined) continue;
  run(`types of ${folder}`, ['attw', '--pack', `packages/${folder}`, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']);
}
if (failed) process.exit(1);
console.log('every package has the shape that its manifest states');

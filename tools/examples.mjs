// Runs every example: examples/x.mjs, examples/x.ts, and examples/x/main.mjs or main.ts. Each must exit 0 within a minute, without network.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'examples');
const longestMs = 60_000;

/** @returns {string[]} */
function examples() {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return /(?<!\.test|\.d)\.(mjs|ts)$/.test(entry.name) ? [entry.name] : [];
    const main = ['main.mjs', 'main.ts'].find((name) => existsSync(join(folder, entry.name, name)));
    return main === undefined ? [] : [join(entry.name, main)];
  });
}

const failures = [];
const all = examples();
for (const example of all) {
  const path = join('examples', example);
  const runner = example.endsWith('.ts') ? [join('node_modules', 'jiti', 'lib', 'jiti-cli.mjs'), path] : [path];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, runner, { cwd: root, encoding: 'utf8', timeout: longestMs });
  if (status === 0) continue;
  failures.push(path);
  console.log(`${path} exited ${status ?? error?.message ?? 'on a signal'}\n${stdout}${stderr}`);
}
if (failures.length > 0) process.exit(1);
console.log(`${all.length} examples ran`);

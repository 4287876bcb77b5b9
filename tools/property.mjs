// The property of SG-065 at any size: npm run property -- [--cases N] [--seed N]. Bundles the runner from the sources, so that no build is needed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = join(root, 'packages', 'signal', 'test', 'property', 'run.ts');
if (!existsSync(entry)) {
  console.log('there is no property runner yet');
  process.exit(1);
}
const outfile = join(root, 'node_modules', '.cache', 'vouch', 'property.mjs');
mkdirSync(join(outfile, '..'), { recursive: true });
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@vouch/source'],
  // Dependencies of the tests stay where they are.
  packages: 'external',
  alias: { '@vouch/contracts': join(root, 'packages', 'contracts', 'src', 'index.ts') },
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);

// The catalogue of pathologies through Vouch and through other clients: npm run conformance:peers -- [--help]. Bundles the runner from its sources;
// what it measures are the built packages.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const outfile = join(root, 'node_modules', '.cache', 'vouch', 'conformance.mjs');
await build({
  entryPoints: [fileURLToPath(new URL('src/conformance/main.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);

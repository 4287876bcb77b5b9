#!/usr/bin/env node
// npm links a command only to a file that exists when it installs, and the build comes later.
import { existsSync } from 'node:fs';

const built = new URL('../dist/bin.js', import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  process.stderr.write('vouch: it is not built yet. Run `npm run build` in the repository first.\n');
  process.exitCode = 2;
}

#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { runCli } from './run-cli.ts';
import { exitCodes } from './terminal/cli-io.ts';

const interrupt = new AbortController();
// A supervisor's SIGTERM ends a run as cleanly as Ctrl-C. SIGHUP stays as it is: `nohup` has it ignored.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    // The second one does not wait for anything.
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  });

let finished = false;
process.on('exit', (code) => {
  if (finished || code === exitCodes.interrupted) return;
  // Nothing else may look like success.
  process.exitCode = exitCodes.usage;
  writeSync(2, 'vouch: ended before its work was done (the module of --schema ended the process, or waits for what never comes)\n');
});

const exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  isTTY: { stdout: process.stdout.isTTY === true, stderr: process.stderr.isTTY === true },
  signal: interrupt.signal,
});
finished = true;
// All is written by now; a timer of a schema's module, or an open stdin, must not hold the process.
process.exit(exitCode);

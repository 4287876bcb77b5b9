#!/usr/bin/env node
import { runCli } from './run-cli.ts';
import { exitCodes } from './terminal/cli-io.ts';

const interrupt = new AbortController();
process.on('SIGINT', () => {
  // The second Ctrl-C does not wait for anything.
  if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
  interrupt.abort();
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  isTTY: { stdout: process.stdout.isTTY === true, stderr: process.stderr.isTTY === true },
  signal: interrupt.signal,
});

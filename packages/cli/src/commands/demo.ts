import Table from 'cli-table3';
import { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCodes } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';

export function demoCommand(io: CliIo, finish: (exitCode: number) => void): Command {
  return new Command('demo').action(async () => {
    await sinkOf(io.stdout).write(new Table({}).toString());
    finish(exitCodes.fine);
  });
}

import { SignalError } from '@vouch/contracts';
import { Command, CommanderError } from 'commander';
import { conformanceCommand } from './commands/conformance.ts';
import { demoCommand } from './commands/demo.ts';
import { extractCommand } from './commands/extract.ts';
import { labCommand } from './commands/lab.ts';
import { providersCommand } from './commands/providers.ts';
import { routeCommand } from './commands/route.ts';
import { ownVersion } from './own-version.ts';
import { type CliIo, exitCodes } from './terminal/cli-io.ts';
import { oneLine } from './terminal/one-line.ts';
import { sinkOf } from './terminal/text-sink.ts';
import { UsageError } from './usage-error.ts';

const help = `
Try it without a key:
  vouch demo

Exit codes: 0 all done, 1 some work failed, 2 wrong use, 130 interrupted.`;

/** Runs one command line (without the program's own name) and gives its exit code. Never throws: every error is one line on stderr. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = exitCodes.fine;
  let shown = '';
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        shown += text;
      },
      // Commander's errors come back as CommanderError and are printed below.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
  try {
    refuseHelpOfNothing(argv, program);
    if (argv.length === 0) {
      await sinkOf(io.stderr).write(`${program.helpInformation()}${help}\n`);
      return exitCodes.usage;
    }
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    exitCode =
      error instanceof CommanderError && error.exitCode === 0 ? await show(shown, io) : await reportError(error, argv, program, io);
  }
  return io.signal.aborted && exitCode !== exitCodes.usage ? exitCodes.interrupted : exitCode;
}

function createProgram(io: CliIo, finish: (exitCode: number) => void): Command {
  const program = new Command('vouch')
    .description('Conforming values from documents, or typed failures with evidence.')
    .version(ownVersion(), '-V, --version')
    .addHelpText('after', help)
    .showSuggestionAfterError();
  for (const make of [extractCommand, demoCommand, labCommand, conformanceCommand, providersCommand, routeCommand]) {
    program.addCommand(make(io, finish).showSuggestionAfterError());
  }
  return program;
}

async function show(text: string, io: CliIo): Promise<number> {
  try {
    await sinkOf(io.stdout).write(text);
    return exitCodes.fine;
  } catch (error) {
    await sinkOf(io.stderr).write(`vouch: ${oneLine(messageOf(error))}\n`);
    return exitCodes.failed;
  }
}

/** `vouch help NAME` of a command that there is not; commander has no message for it. */
function refuseHelpOfNothing([verb, name]: readonly string[], program: Command): void {
  if (verb !== 'help' || name === undefined || name.startsWith('-') || program.commands.some((command) => command.name() === name)) return;
  throw new UsageError(`unknown command '${name}'`);
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function messageOf(error: unknown): string {
  if (fullCodes.has((error as NodeJS.ErrnoException | undefined)?.code ?? ''))
    return 'no space is left for the output; free some, or write elsewhere';
  return error instanceof Error ? error.message : String(error);
}

async function reportError(error: unknown, argv: readonly string[], program: Command, io: CliIo): Promise<number> {
  const stderr = sinkOf(io.stderr);
  const named = program.commands.find((command) => command.name() === argv[0])?.name();
  const manual = `see: vouch ${named === undefined ? '' : `${named} `}--help`;
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
    await stderr.write(`vouch: ${oneLine(message)} (${manual})\n`);
    return exitCodes.usage;
  }
  if (error instanceof UsageError) {
    await stderr.write(`vouch: ${oneLine(error.message)} (${error.hint ?? manual})\n`);
    return exitCodes.usage;
  }
  if (error instanceof SignalError && error.kind === 'configuration') {
    await stderr.write(`vouch: ${oneLine(error.message)} (${manual})\n`);
    return exitCodes.usage;
  }
  await stderr.write(`vouch: ${oneLine(messageOf(error))}\n`);
  return exitCodes.failed;
}

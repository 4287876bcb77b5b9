import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { directoryOf, jsonLines, root } from './support/run-vouch.ts';

// From the source, by the loader that the command itself uses for TypeScript: no build is needed.
const start = `
import { createJiti } from ${JSON.stringify(import.meta.resolve('jiti'))};
await createJiti(import.meta.url, { fsCache: false }).import(${JSON.stringify(join(root, 'packages/cli/src/bin.ts'))});`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const runProcess = (argv: readonly string[], cwd: string): Promise<Ended> => runCommand(process.execPath, [...node, ...argv], cwd);

const node = ['--conditions=@vouch/source', 'start.mjs'];

async function runCommand(command: string, argv: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(command, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

const plain = "export default { type: 'object', properties: { pier: { type: 'integer' } } };";

// A process of its own compiles the sources first.
describe('the process', { timeout: 60_000 }, () => {
  it.each([
    ['ends the process', `process.exit(0); ${plain}`],
    ['never settles', `await new Promise(() => undefined); ${plain}`],
  ])('is no success when the schema module %s', async (_title, module) => {
    const cwd = await directoryOf({ 'start.mjs': start, 'schema.mjs': module, 'a.txt': 'Pier: 7' });
    const ran = await runProcess(['extract', '--schema', 'schema.mjs', 'a.txt'], cwd);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^vouch: ended before its work was done .+\n$/);
  });

  it('that may write no byte more says so, and leaves nothing beside the file', async () => {
    const cwd = await directoryOf({ 'start.mjs': start, 'schema.mjs': plain, 'a.txt': 'Pier: 7' });
    const argv = [
      '-c',
      'ulimit -f 0; exec "$@"',
      'sh',
      process.execPath,
      ...node,
      'extract',
      '--schema',
      'schema.mjs',
      '--out',
      'o',
      'a.txt',
    ];
    const ran = await runCommand('sh', argv, cwd);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('no space is left there: free some');
    expect((await readdir(cwd)).sort()).toEqual(['a.txt', 'o', 'schema.mjs', 'start.mjs']);
  });

  it('ends when its work is done, whatever the schema module left running', async () => {
    const cwd = await directoryOf({ 'start.mjs': start, 'schema.mjs': `setInterval(() => undefined, 1000); ${plain}`, 'a.txt': 'Pier: 7' });
    const ran = await runProcess(['extract', '--schema', 'schema.mjs', 'a.txt'], cwd);
    expect(ran.code).toBe(0);
    expect(jsonLines(ran.stdout)).toMatchObject([{ value: { pier: 7 } }]);
  });

  it('[SG-100] a lab ends on SIGTERM as on Ctrl-C: with its summary and exit code 130', async () => {
    const cwd = await directoryOf({ 'start.mjs': start });
    const child = spawn(process.execPath, [...node, 'lab', '--port', '0'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<readonly unknown[]>((resolve) => child.once('close', (...how) => resolve(how)));
    const stderr = text(child.stderr);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toEqual([130, null]);
    expect(await stderr).toMatch(/\n0 requests; 0 as they are\n$/);
  });

  it('the second Ctrl-C waits for nothing', async () => {
    // Said when the first one is there; the module never ends, so the command cannot either.
    const module = `process.on('SIGINT', () => process.stdout.write('heard '));
setInterval(() => undefined, 1000);
process.stdout.write('ready ');
await new Promise(() => undefined);`;
    const cwd = await directoryOf({ 'start.mjs': start, 'schema.mjs': module, 'a.txt': 'Pier: 7' });
    const argv = [...node, 'extract', '--schema', 'schema.mjs', 'a.txt'];
    const child = spawn(process.execPath, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<readonly unknown[]>((resolve) => child.once('close', (...how) => resolve(how)));
    const heard = async (): Promise<string> => String(await new Promise((resolve) => child.stdout.once('data', resolve)));
    expect(await heard()).toBe('ready ');
    child.kill('SIGINT');
    expect(await heard()).toBe('heard ');
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completion, type FakeServer, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, jsonLines, root } from './support/run-vouch.ts';

const start = `
import { createJiti } from ${JSON.stringify(import.meta.resolve('jiti'))};
await createJiti(import.meta.url, { fsCache: false }).import(${JSON.stringify(join(root, 'packages/cli/src/bin.ts'))});`;

const names = Array.from({ length: 6 }, (_, index) => `${index}.txt`);
const files = {
  'start.mjs': start,
  'schema.json': '{"type":"object","properties":{"pier":{"type":"integer"}},"required":["pier"]}',
  ...Object.fromEntries(names.map((name, index) => [name, `Pier: ${index}.`])),
};

function startExtract(cwd: string, baseUrl: string, ...rest: readonly string[]): ChildProcess {
  const argv = ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--out', 'o.jsonl', '--concurrency', '2'];
  const child = spawn(process.execPath, ['--conditions=@vouch/source', 'start.mjs', ...argv, ...rest, ...names], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const ended = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
const linesIn = async (cwd: string) => jsonLines(await readFile(join(cwd, 'o.jsonl'), 'utf8'));

/** Answers the documents 0 to 2; tells when the fourth request is there, which is never answered. */
async function stallsAtThree(): Promise<{ readonly server: FakeServer; readonly stalled: Promise<void> }> {
  let tell: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let waiting = 0;
  const server = await fakeServer((response, _request, body) => {
    const number = Number(/Pier: (\d+)\./.exec(body)?.[1]);
    if (number < 3) sendJson(response, 200, completion(`{"pier": ${number}}`));
    else {
      waiting += 1;
      // Both workers wait, so the three lines before are written.
      if (waiting === 2) tell();
    }
  });
  return { server, stalled };
}

const answersAll = (): Promise<FakeServer> =>
  fakeServer((response, _request, body) => sendJson(response, 200, completion(`{"pier": ${/Pier: (\d+)\./.exec(body)?.[1]}}`)));

// A process of its own compiles the sources first.
describe('a run that is stopped', { timeout: 90_000 }, () => {
  it('kill -9: what was finished is in the file, and the next run takes the lock over and does the rest', async () => {
    const cwd = await directoryOf(files);
    const { server, stalled } = await stallsAtThree();
    const child = startExtract(cwd, server.baseUrl);
    const end = ended(child);
    await stalled;
    child.kill('SIGKILL');
    expect(await end).toBe('SIGKILL');
    expect((await linesIn(cwd)).map(({ path }) => path).sort()).toEqual(['0.txt', '1.txt', '2.txt']);
    expect(await readdir(cwd)).toContain('o.jsonl.lock');
    const second = await answersAll();
    const again = startExtract(cwd, second.baseUrl, '--model', 'm');
    // Another address is another question, so nothing is taken as done.
    expect(await ended(again)).toBe(0);
    expect(second.requests).toHaveLength(6);
    expect((await linesIn(cwd)).map(({ path }) => path).sort()).toEqual(names);
    expect(jsonLines(await readFile(join(cwd, 'o.jsonl.replaced.jsonl'), 'utf8'))).toHaveLength(3);
    expect((await readdir(cwd)).filter((name) => name.startsWith('o.')).sort()).toEqual(['o.jsonl', 'o.jsonl.replaced.jsonl']);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: the lines that are done, exit 130, and a line that says how to go on; the same command then does the rest',
    async (signal) => {
      const cwd = await directoryOf(files);
      let isStalling = true;
      let tell: () => void = () => undefined;
      const stalled = new Promise<void>((resolve) => {
        tell = resolve;
      });
      let waiting = 0;
      const server = await fakeServer((response, _request, body) => {
        const number = Number(/Pier: (\d+)\./.exec(body)?.[1]);
        if (number < 3 || !isStalling) sendJson(response, 200, completion(`{"pier": ${number}}`));
        else {
          waiting += 1;
          if (waiting === 2) tell();
        }
      });
      const child = startExtract(cwd, server.baseUrl);
      const end = ended(child);
      const said = text(child.stderr as NonNullable<typeof child.stderr>);
      await stalled;
      child.kill(signal);
      expect(await end).toBe(130);
      expect(await said).toContain('interrupted with 3 unfinished');
      expect(await said).toContain('interrupted: the same command goes on where this one stopped');
      expect((await linesIn(cwd)).map(({ path }) => path).sort()).toEqual(['0.txt', '1.txt', '2.txt']);
      expect(await readdir(cwd)).not.toContain('o.jsonl.lock');
      isStalling = false;
      const before = server.requests.length;
      expect(await ended(startExtract(cwd, server.baseUrl))).toBe(0);
      expect(server.requests.length - before).toBe(3);
      expect((await linesIn(cwd)).map(({ path }) => path).sort()).toEqual(names);
    },
  );
});

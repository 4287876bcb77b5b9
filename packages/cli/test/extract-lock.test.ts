import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../src/journal/lock.ts';
import { ownIdentity } from '../src/journal/process-identity.ts';
import { completion, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines, vouch } from './support/run-vouch.ts';

const documents = { 'schema.json': '{"type":"object","properties":{"pier":{"type":"integer"}}}', 'a.txt': 'Pier: 7' };

/** The id of a process that has ended, and was reaped. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('close', resolve));
  return child.pid ?? 0;
}

const argvFor = (baseUrl: string): readonly string[] => [
  'extract',
  '--schema',
  'schema.json',
  '--base-url',
  baseUrl,
  '--model',
  'm',
  '--out',
  'o.jsonl',
  'a.txt',
];

const answersSeven = () => fakeServer((response) => sendJson(response, 200, completion('{"pier": 7}')));

describe('one writer', () => {
  it('a second run of the same file while the first writes: exit 2, and the first goes on', async () => {
    const cwd = await directoryOf(documents);
    let release: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answer: () => void = () => undefined;
    const { baseUrl } = await fakeServer((response) => {
      answer = () => sendJson(response, 200, completion('{"pier": 7}'));
      release();
    });
    const first = vouch(argvFor(baseUrl), { cwd });
    await asked;
    const second = await vouch(argvFor(baseUrl), { cwd });
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`o.jsonl is being written by process ${process.pid} on ${hostname()}`);
    expect(second.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(isPlain(second.stderr)).toBe(true);
    answer();
    expect((await first).code).toBe(0);
    expect(jsonLines(await readFile(join(cwd, 'o.jsonl'), 'utf8'))).toHaveLength(1);
    expect(await readdir(cwd)).not.toContain('o.jsonl.lock');
  });

  it.each([
    ['a process that is gone', async () => ({ pid: await deadPid(), host: hostname() })],
    ['a process whose id another has now', async () => ({ ...(await ownIdentity()), start: 'an-earlier-boot:1' })],
  ])('the lock of %s is taken over, with what was left beside it', async (_title, identityOf) => {
    const { baseUrl } = await answersSeven();
    const cwd = await directoryOf({
      ...documents,
      'o.jsonl.lock': JSON.stringify(await identityOf()),
      'o.jsonl.lock.0123456789ab': 'a claim that was left',
      'o.jsonl.compacting': 'half a file',
    });
    expect((await vouch(argvFor(baseUrl), { cwd })).code).toBe(0);
    expect((await readdir(cwd)).sort()).toEqual(['a.txt', 'o.jsonl', 'schema.json']);
  });

  it.each([
    ['of another machine', { pid: 7, host: 'another.example' }, 'being written by process 7 on another.example'],
    ['that is none', 'hello', 'is no lock that vouch can read'],
  ])('a lock %s stays: exit 2, with what to do', async (_title, content, says) => {
    const { baseUrl, requests } = await answersSeven();
    const cwd = await directoryOf({ ...documents, 'o.jsonl.lock': JSON.stringify(content) });
    const ran = await vouch(argvFor(baseUrl), { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(ran.stderr).toMatch(/remove .*o\.jsonl\.lock when|remove it when/);
    expect(requests).toHaveLength(0);
    expect(await readFile(join(cwd, 'o.jsonl.lock'), 'utf8')).toBe(JSON.stringify(content));
  });

  it('of many that see a dead lock at once, exactly one gets the file', async () => {
    const pid = await deadPid();
    const cwd = await directoryOf({});
    const file = join(cwd, 'o.jsonl');
    for (let round = 0; round < 10; round += 1) {
      await writeFile(`${file}.lock`, JSON.stringify({ pid, host: hostname(), nonce: `${round}` }));
      const starters = await Promise.allSettled(Array.from({ length: 12 }, () => acquireLock(file)));
      const holders = starters.filter((starter) => starter.status === 'fulfilled');
      expect(holders).toHaveLength(1);
      for (const starter of starters)
        if (starter.status === 'rejected') expect(String(starter.reason)).toContain('is being written by process');
      await holders[0]?.value.release();
      expect(await readdir(cwd)).toEqual([]);
    }
  });

  it('a claim of a starter that died in the middle does not block the next', async () => {
    const pid = await deadPid();
    const cwd = await directoryOf({});
    const file = join(cwd, 'o.jsonl');
    const dead = JSON.stringify({ pid, host: hostname() });
    const { createHash } = await import('node:crypto');
    await writeFile(`${file}.lock`, dead);
    await writeFile(`${file}.lock.${createHash('sha256').update(dead).digest('hex').slice(0, 12)}`, dead);
    const lock = await acquireLock(file);
    await lock.release();
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('a file that goes away while it is written', () => {
  it('ends the run with a line that says so; nothing is written where nobody finds it', async () => {
    const cwd = await directoryOf(documents);
    const { baseUrl } = await fakeServer(async (response) => {
      await writeFile(join(cwd, 'other'), 'mine\n');
      const { rename } = await import('node:fs/promises');
      await rename(join(cwd, 'other'), join(cwd, 'o.jsonl'));
      sendJson(response, 200, completion('{"pier": 7}'));
    });
    const ran = await vouch(argvFor(baseUrl), { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('o.jsonl was moved, removed or replaced');
    expect(await readFile(join(cwd, 'o.jsonl'), 'utf8')).toBe('mine\n');
    expect(await readdir(cwd)).not.toContain('o.jsonl.lock');
  });

  it.each([
    ['was emptied', 'w'],
    ['was added to', 'a'],
  ])('a file that %s by another ends the run: no line is where it was noted', async (_title, flag) => {
    const cwd = await directoryOf(documents);
    const earlier = await fakeServer((response) => sendJson(response, 200, completion('{"pier": 7}')));
    expect((await vouch(argvFor(earlier.baseUrl), { cwd })).code).toBe(0);
    const { baseUrl } = await fakeServer(async (response) => {
      await writeFile(join(cwd, 'o.jsonl'), '\n', { flag });
      sendJson(response, 200, completion('{"pier": 8}'));
    });
    const ran = await vouch(argvFor(baseUrl), { cwd });
    expect([ran.code, isPlain(ran.stderr)]).toEqual([1, true]);
    expect(ran.stderr).toContain('o.jsonl was changed by another program');
    expect(await readFile(join(cwd, 'o.jsonl'), 'utf8')).not.toContain('{"pier":8}');
  });
});

describe('files beside the output that are not its own', () => {
  it('stay, whatever they are called', async () => {
    const mine = { 'o.jsonl.lock.notes.txt': 'mine', 'o.jsonl.lock.0': 'mine' };
    const cwd = await directoryOf({ ...documents, ...mine });
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('{"pier": 7}')));
    expect((await vouch(argvFor(baseUrl), { cwd })).code).toBe(0);
    expect(await readdir(cwd)).toEqual(expect.arrayContaining(Object.keys(mine)));
  });

  it.each(['o.jsonl.compacting', 'o.jsonl.replaced.jsonl', 'o.jsonl.lock'])(
    'a document called %s is refused: the run would write there',
    async (name) => {
      const cwd = await directoryOf({ ...documents, [name]: 'Pier: 9' });
      const ran = await vouch(['extract', '--schema', 'schema.json', '--out', 'o.jsonl', name], { cwd });
      expect([ran.code, isPlain(ran.stderr)]).toEqual([2, true]);
      expect(ran.stderr).toContain(`would overwrite ${name}`);
      expect(await readFile(join(cwd, name), 'utf8')).toBe('Pier: 9');
    },
  );
});

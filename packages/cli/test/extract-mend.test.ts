import { spawn } from 'node:child_process';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { completion, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines, type Ran, vouch } from './support/run-vouch.ts';

const schema = '{"type":"object","properties":{"pier":{"type":"string"}},"required":["pier"]}';
const documents = { 'schema.json': schema, 'a.txt': 'Pier: one', 'b.txt': 'Pier: two' };
const line = (path: string, pier: string): string =>
  `${JSON.stringify({ path, value: { pier }, key: 'k', model: 'm', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, reported: true } })}\n`;
const whole = line('x.txt', 'Grün 🚢');

async function extractOver(
  content: string | Uint8Array,
): Promise<{ readonly ran: Ran; readonly after: Buffer; readonly names: readonly string[] }> {
  const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('{"pier": "seven"}')));
  const cwd = await directoryOf({ ...documents, 'o.jsonl': content });
  const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--out', 'o.jsonl', 'a.txt'], {
    cwd,
  });
  return { ran, after: await readFile(join(cwd, 'o.jsonl')), names: await readdir(cwd) };
}

describe('a file whose end was torn', () => {
  const bytes = Buffer.from(whole);
  const inCharacter = bytes.indexOf(Buffer.from('🚢')) + 2;
  it.each<readonly [string, Uint8Array]>([
    ['in the first byte', bytes.subarray(0, 1)],
    ['in a name', bytes.subarray(0, 20)],
    ['inside a character of several bytes', bytes.subarray(0, inCharacter)],
    ['before its last brace', bytes.subarray(0, bytes.length - 2)],
    ['with NUL bytes after it', Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(4_096)])],
    ['as NUL bytes alone', Buffer.alloc(512)],
    ['with NUL bytes in it and its end there', Buffer.concat([bytes.subarray(0, 10), Buffer.alloc(8), bytes.subarray(20)])],
    ['with NUL bytes before its end', Buffer.concat([Buffer.alloc(30), bytes.subarray(30)])],
  ])('%s: cut away, said in one line', async (_title, torn) => {
    const before = line('y.txt', 'kept') + whole;
    const { ran, after } = await extractOver(Buffer.concat([Buffer.from(before), torn]));
    expect(ran.code).toBe(0);
    expect(ran.stderr.split('\n').filter((said) => said.includes('torn'))).toEqual([
      `vouch: o.jsonl: the last line was torn while it was written; ${torn.byteLength} bytes were cut away`,
    ]);
    expect(after.toString('utf8').startsWith(before)).toBe(true);
    expect(jsonLines(after.toString('utf8')).map(({ path }) => path)).toEqual(['y.txt', 'x.txt', 'a.txt']);
  });

  it.each<readonly [string, Uint8Array]>([
    ['a piece of the very first line', bytes.subarray(0, 40)],
    ['NUL bytes and nothing else', Buffer.alloc(512)],
  ])('%s: the file starts anew', async (_title, torn) => {
    const { ran, after } = await extractOver(torn);
    expect(ran.code).toBe(0);
    expect(jsonLines(after.toString('utf8')).map(({ path }) => path)).toEqual(['a.txt']);
  });

  it('without its line feed alone: completed', async () => {
    const { ran, after } = await extractOver(whole.slice(0, -1));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('o.jsonl: the last line had no end, and was completed');
    expect(after.toString('utf8').startsWith(whole)).toBe(true);
    expect(jsonLines(after.toString('utf8'))).toHaveLength(2);
  });
});

describe('a file that is not ours', () => {
  it.each<readonly [string, string | Uint8Array, number]>([
    ['a table', 'name;pier\na;7\n', 1],
    ['a table of one line without an end', 'name;pier', 1],
    ['other JSON lines', '{"id":1}\n{"id":2}\n', 1],
    ['other JSON with a path, without an end', '{"path":"x.txt","size":7}', 1],
    ['a JSON document', '{\n  "path": "x"\n}\n', 1],
    ['ours, then something else', `${whole}\n${whole}hello\n`, 4],
    ['ours with a torn line in the middle', `${whole.slice(0, 40)}\n${whole}`, 1],
    ['ours with NUL bytes in the middle', `${whole}${'\0'.repeat(9)}\n${whole}`, 2],
    ['a line with value and failure', whole.replace('"key"', '"failure":{"kind":"limit"},"key"'), 1],
    ['an image', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13), 1],
    ['a file that begins with NUL bytes', Uint8Array.of(0, 0, 0, 0x20, 0x66, 0x74, 0x79, 0x70), 1],
    ['text that is no UTF-8', Buffer.from([...Buffer.from('{"id":"'), 0xfc, 0x22, 0x7d]), 1],
  ])('%s: exit 2, the line named, the file untouched', async (_title, content, number) => {
    const { ran, after, names } = await extractOver(content);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`line ${number} of o.jsonl is no line that vouch wrote`);
    expect(isPlain(ran.stderr)).toBe(true);
    expect(after).toEqual(Buffer.from(content));
    expect([...names].sort()).toEqual(['a.txt', 'b.txt', 'o.jsonl', 'schema.json']);
  });
});

describe('the file of replaced values', () => {
  const replacedName = 'o.jsonl.replaced.jsonl';

  async function extractReplacing(content: string): Promise<{ readonly ran: Ran; readonly cwd: string }> {
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('{"pier": "seven"}')));
    const cwd = await directoryOf({ ...documents, 'o.jsonl': line('a.txt', 'old'), [replacedName]: content });
    const argv = ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--out', 'o.jsonl', 'a.txt'];
    return { ran: await vouch(argv, { cwd }), cwd };
  }

  it.each<readonly [string, string, string]>([
    ['whole', whole, whole],
    ['torn', whole + whole.slice(0, 40), whole],
    ['torn in its only line', whole.slice(0, 40), ''],
    ['without its last line feed', whole + whole.slice(0, -1), whole + whole],
    ['with Windows line ends', whole.replace('\n', '\r\n'), whole.replace('\n', '\r\n')],
  ])('%s: keeps every whole line, and gets the next', async (_title, content, kept) => {
    const { ran, cwd } = await extractReplacing(content);
    expect(ran.code).toBe(0);
    expect(await readFile(join(cwd, replacedName), 'utf8')).toBe(kept + line('a.txt', 'old'));
  });

  it('with an end that is not ours: exit 2, nothing is lost, and no draft is left', async () => {
    const { ran, cwd } = await extractReplacing(`${whole}my notes`);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`${replacedName} is no line that vouch wrote`);
    expect(await readFile(join(cwd, replacedName), 'utf8')).toBe(`${whole}my notes`);
    const lines = jsonLines(await readFile(join(cwd, 'o.jsonl'), 'utf8')) as readonly { value?: unknown }[];
    expect(lines.map(({ value }) => value)).toEqual([{ pier: 'old' }, { pier: 'seven' }]);
    expect((await readdir(cwd)).filter((name) => name.startsWith('o.')).sort()).toEqual(['o.jsonl', replacedName]);
  });
});

describe('what --out may be', () => {
  const argvFor = async (out: string): Promise<readonly string[]> => {
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('{"pier": "seven"}')));
    return ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--out', out, 'b.txt', 'a.txt'];
  };

  it('a symbolic link: its file is written and tidied, the link stays', async () => {
    const cwd = await directoryOf({ ...documents, 'real.jsonl': line('a.txt', 'old') });
    await symlink('real.jsonl', join(cwd, 'o.jsonl'));
    expect((await vouch(await argvFor('o.jsonl'), { cwd })).code).toBe(0);
    expect((await lstat(join(cwd, 'o.jsonl'))).isSymbolicLink()).toBe(true);
    expect(
      jsonLines(await readFile(join(cwd, 'real.jsonl'), 'utf8'))
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['a.txt', 'b.txt']);
    expect(jsonLines(await readFile(join(cwd, 'real.jsonl.replaced.jsonl'), 'utf8'))).toHaveLength(1);
  });

  it('a symbolic link to a file that is not there yet', async () => {
    const cwd = await directoryOf(documents);
    await symlink('real.jsonl', join(cwd, 'o.jsonl'));
    expect((await vouch(await argvFor('o.jsonl'), { cwd })).code).toBe(0);
    expect(jsonLines(await readFile(join(cwd, 'real.jsonl'), 'utf8'))).toHaveLength(2);
  });

  it('/dev/stdout is stdout', async () => {
    const cwd = await directoryOf(documents);
    const ran = await vouch(await argvFor('/dev/stdout'), { cwd });
    expect(ran.code).toBe(0);
    expect(jsonLines(ran.stdout).map(({ path }) => path)).toEqual(['b.txt', 'a.txt']);
  });

  it('a named pipe has the lines in the order of the documents, and no lock', async () => {
    const cwd = await directoryOf(documents);
    const pipe = join(cwd, 'pipe');
    await makePipe(pipe);
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [ran, read] = await Promise.all([argvFor('pipe').then((argv) => vouch(argv, { cwd })), text(reader.stdout)]);
    expect(ran.code).toBe(0);
    expect(jsonLines(read).map(({ path }) => path)).toEqual(['b.txt', 'a.txt']);
    expect((await readdir(cwd)).sort()).toEqual(['a.txt', 'b.txt', 'pipe', 'schema.json']);
  });

  it('Ctrl-C ends the wait for a reader of a named pipe', async () => {
    const cwd = await directoryOf(documents);
    const pipe = join(cwd, 'pipe');
    await makePipe(pipe);
    const interrupt = new AbortController();
    const running = vouch(await argvFor('pipe'), { cwd, signal: interrupt.signal });
    interrupt.abort();
    expect((await running).code).toBe(130);
  });

  it.each([0o600, 0o664])('keeps the permissions of the file when it is tidied: %i', async (mode) => {
    const cwd = await directoryOf(documents);
    await writeFile(join(cwd, 'o.jsonl'), line('a.txt', 'old'));
    // The process's mask has no say in it.
    await chmod(join(cwd, 'o.jsonl'), mode);
    expect((await vouch(await argvFor('o.jsonl'), { cwd })).code).toBe(0);
    expect((await stat(join(cwd, 'o.jsonl'))).mode & 0o777).toBe(mode);
    expect((await stat(join(cwd, 'o.jsonl.replaced.jsonl'))).mode & 0o777 & ~mode).toBe(0);
  });
});

// Of the system, as `cat` above.
const pipeMaker = 'mkfifo';

async function makePipe(path: string): Promise<void> {
  expect(await ends(spawn(pipeMaker, [path]))).toBe(0);
}

function ends(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

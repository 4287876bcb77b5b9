import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completion, fakeServer, sendJson } from './support/fake-server.ts';
import { directoryOf, isPlain, jsonLines, vouch } from './support/run-vouch.ts';

const pierSchema = JSON.stringify({
  type: 'object',
  properties: { pier: { type: 'integer' }, note: { type: 'string' } },
  required: ['pier'],
  additionalProperties: false,
});

const answersSeven = () => fakeServer((response) => sendJson(response, 200, completion('{"pier": 7}')));

describe('documents that cannot be read', () => {
  it('each fails typed with one line, and the others go on', async () => {
    const { baseUrl } = await answersSeven();
    const cwd = await directoryOf({
      'schema.json': pierSchema,
      'good.txt': 'Pier: 7',
      'empty.txt': '  \n\t\n',
      'image.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13),
      'latin1.txt': Uint8Array.of(0x50, 0xfc, 0x72),
      'last.txt': 'Pier: 7',
    });
    await mkdir(join(cwd, 'folder'));
    const files = ['good.txt', 'empty.txt', 'image.png', 'latin1.txt', 'folder', 'missing.txt', 'last.txt'];
    const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', ...files], { cwd });
    expect(ran.code).toBe(1);
    const lines = jsonLines(ran.stdout);
    expect(lines.map((line) => line.path)).toEqual(files);
    expect(lines.filter((line) => line.value !== undefined).map((line) => line.path)).toEqual(['good.txt', 'last.txt']);
    for (const line of lines.slice(1, 6))
      expect(line.failure).toMatchObject({
        kind: 'configuration',
        code: 'E_CONFIGURATION',
        message: expect.stringMatching(/^The document was not read: /),
        evidence: { note: 'document' },
      });
    expect(isPlain(ran.stderr)).toBe(true);
    const said = ran.stderr.split('\n');
    for (const [file, words] of [
      ['empty.txt', 'empty'],
      ['image.png', 'binary'],
      ['latin1.txt', 'UTF-8'],
      ['folder', 'directory'],
      ['missing.txt', 'no such file'],
    ]) {
      const about = said.filter((line) => line.startsWith(`vouch: ${file}:`));
      expect(about).toHaveLength(1);
      expect(about[0]).toContain(words);
    }
  });

  it('reads UTF-8 with a byte order mark and UTF-16', async () => {
    const { baseUrl, requests } = await answersSeven();
    const cwd = await directoryOf({
      'schema.json': pierSchema,
      'bom.txt': '\ufeffPier: 7 grün',
      'wide.txt': Buffer.from('\ufeffPier: 7 breit', 'utf16le'),
    });
    const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', 'bom.txt', 'wide.txt'], { cwd });
    expect(ran.code).toBe(0);
    const sent = requests.map((request) => request.body).join('\n');
    expect(sent).toContain('Pier: 7 grün');
    expect(sent).toContain('Pier: 7 breit');
    expect(sent).not.toContain('\ufeff');
  });

  it('takes stdin as one document', async () => {
    const { baseUrl, requests } = await answersSeven();
    const cwd = await directoryOf({ 'schema.json': pierSchema });
    const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '-'], {
      cwd,
      stdin: ['Pi', 'er: 7'],
    });
    expect(ran.code).toBe(0);
    expect(jsonLines(ran.stdout)).toMatchObject([{ path: '-', value: { pier: 7 }, model: 'm' }]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toContain('Pier: 7');
  });
});

describe('wrong use', () => {
  const cases: readonly (readonly [title: string, argv: readonly string[], says: string])[] = [
    ['no documents', ['extract', '--schema', 'schema.json'], "missing required argument 'files'"],
    ['no schema', ['extract', 'a.txt'], '--schema is missing'],
    ['an option that is misspelled', ['extract', '--shema', 'schema.json', 'a.txt'], 'Did you mean --schema?'],
    ['a concurrency of zero', ['extract', '--schema', 'schema.json', '--concurrency', '0', 'a.txt'], 'from 1 to 64'],
    ['a grade that is none', ['extract', '--schema', 'schema.json', '--accept', 'all', 'a.txt'], 'exact, repaired, lossy'],
    ['a missing schema file', ['extract', '--schema', 'none.json', 'a.txt'], 'there is no such file'],
    ['a schema that is not JSON', ['extract', '--schema', 'broken.json', 'a.txt'], 'is not JSON'],
    ['a schema that is no JSON Schema', ['extract', '--schema', 'wrong.json', 'a.txt'], 'JSON Schema is not valid'],
    ['a schema file that holds a list', ['extract', '--schema', 'list.json', 'a.txt'], 'it is an array'],
    ['a schema with a reference that leads nowhere', ['extract', '--schema', 'remote.json', 'a.txt'], "can't resolve reference"],
    ['a module without a schema', ['extract', '--schema', 'none.mjs', 'a.txt'], 'exports no schema'],
    ['a module that throws', ['extract', '--schema', 'throws.mjs', 'a.txt'], 'no good'],
    ['an unknown provider', ['extract', '--schema', 'schema.json', '--model', 'grok/x', 'a.txt'], 'no provider is called "grok"'],
    ['a provider without its key', ['extract', '--schema', 'schema.json', '--model', 'groq/x', 'a.txt'], 'set GROQ_API_KEY'],
    ['a base URL without a model', ['extract', '--schema', 'schema.json', '--base-url', 'http://localhost:1', 'a.txt'], '--model NAME'],
    [
      'a base URL that is none',
      ['extract', '--schema', 'schema.json', '--base-url', 'localhost:8080', '--model', 'm', 'a.txt'],
      'not an http',
    ],
    ['a schema of no keyword', ['extract', '--schema', 'instance.json', 'a.txt'], 'holds no keyword of one, only pier'],
    ['a schema at an address', ['extract', '--schema', 'https://example.org/s.json', 'a.txt'], 'download it first'],
    ['a schema that is nested without end', ['extract', '--schema', 'deep.json', 'a.txt'], 'nested too deeply'],
    ['a module that exports a promise', ['extract', '--schema', 'promise.mjs', 'a.txt'], 'await it in the module'],
    ['a module whose import is missing', ['extract', '--schema', 'import.mjs', 'a.txt'], 'install what the module imports'],
    ['an empty name of a document', ['extract', '--schema', 'schema.json', ''], 'the name of a document is empty'],
    ['an empty --out', ['extract', '--schema', 'schema.json', '--out', '', 'a.txt'], '--out is empty'],
    ['an empty --instruction', ['extract', '--schema', 'schema.json', '--instruction', ' ', 'a.txt'], '--instruction is empty'],
    ['an output over a document by a link', ['extract', '--schema', 'schema.json', '--out', 'link.txt', 'a.txt'], 'would overwrite a.txt'],
    ['help of an unknown command', ['help', 'frobnicate'], "unknown command 'frobnicate'"],
    ['stdin twice', ['extract', '--schema', 'schema.json', '-', '-'], 'given twice'],
    ['an output over a document', ['extract', '--schema', 'schema.json', '--out', './a.txt', 'a.txt'], 'would overwrite a.txt'],
    [
      'an output in no directory',
      ['extract', '--schema', 'schema.json', '--out', 'no/where.jsonl', 'a.txt'],
      'its directory does not exist',
    ],
    ['an unknown command', ['extrct', 'a.txt'], 'Did you mean extract?'],
  ];
  it.each(cases)('%s: exit 2 and one line that says what to do', async (_title, argv, says) => {
    const cwd = await directoryOf({
      'schema.json': pierSchema,
      'broken.json': '{"type": "object",}',
      'wrong.json': '{"type": "objekt"}',
      'list.json': '[1]',
      'remote.json': '{"$ref": "https://example.org/other.json"}',
      'none.mjs': 'export const other = 1;',
      'throws.mjs': 'throw new Error("no good");',
      'instance.json': '{"pier": 7}',
      'deep.json': `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`,
      'promise.mjs': 'export default Promise.resolve({ type: "object" });',
      'import.mjs': 'import { z } from "no-such-package"; export default z.object({});',
      'a.txt': 'Pier: 7',
    });
    await symlink('a.txt', join(cwd, 'link.txt'));
    const ran = await vouch(argv, { cwd });
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('Pier: 7');
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ran.stderr).toMatch(/^vouch: .+ \(.+\)\n$/s);
    expect(ran.stderr).toContain(says);
    expect(isPlain(ran.stderr)).toBe(true);
  });
});

describe('instruction and addresses', () => {
  it('--instruction goes as the system prompt, beside the document', async () => {
    const { baseUrl, requests } = await answersSeven();
    const cwd = await directoryOf({ 'schema.json': pierSchema, 'a.txt': 'Pier: 7' });
    const ran = await vouch(
      ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--instruction', 'Only the free pier.', 'a.txt'],
      { cwd },
    );
    expect(ran.code).toBe(0);
    const { messages } = JSON.parse(requests[0]?.body ?? '{}') as { messages: readonly { role: string; content: string }[] };
    expect(messages[0]).toMatchObject({ role: 'system' });
    expect(messages[0]?.content).toContain('Only the free pier.');
    expect(messages.at(-1)).toMatchObject({ role: 'user' });
    expect(messages.at(-1)?.content).not.toContain('Only the free pier.');
  });

  it('[SG-038] refuses a base URL with a password, and does not show it', async () => {
    const cwd = await directoryOf({ 'schema.json': pierSchema, 'a.txt': 'Pier: 7' });
    const ran = await vouch(
      ['extract', '--schema', 'schema.json', '--base-url', 'http://me:canary-77@localhost:1/v1', '--model', 'm', 'a.txt'],
      { cwd },
    );
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('holds a name or a password');
    expect(ran.stdout + ran.stderr).not.toContain('canary-77');
  });

  it('--out - is stdout', async () => {
    const { baseUrl } = await answersSeven();
    const cwd = await directoryOf({ 'schema.json': pierSchema, 'a.txt': 'Pier: 7' });
    const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--out', '-', 'a.txt'], { cwd });
    expect(jsonLines(ran.stdout)).toMatchObject([{ value: { pier: 7 } }]);
    expect(await readdir(cwd)).not.toContain('-');
  });
});

describe('schemas', () => {
  it.each([
    ['zod.mjs', "import { z } from 'ZOD'; export default z.object({ pier: z.number().int() });"],
    ['named.ts', "import { z } from 'ZOD'; const base: string = 'pier'; export const schema = z.object({ [base]: z.number() });"],
    ['plain.mjs', "export default { type: 'object', properties: { pier: { type: 'integer' } } };"],
    ['draft7.json', '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"pier":{"type":"integer"}}}'],
  ])('%s gates the answers', async (name, text) => {
    let content = '{"pier": 7}';
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion(content)));
    const zod = import.meta.resolve('zod');
    const cwd = await directoryOf({ [name]: text.replace('ZOD', zod), 'a.txt': 'Pier: 7' });
    const argv = ['extract', '--schema', name, '--base-url', baseUrl, '--model', 'm', '--retries', '0', 'a.txt'];
    expect(jsonLines((await vouch(argv, { cwd })).stdout)).toMatchObject([{ value: { pier: 7 } }]);
    content = '{"pier": "seven"}';
    const refused = await vouch(argv, { cwd });
    expect(refused.code).toBe(1);
    expect(jsonLines(refused.stdout)).toMatchObject([
      { failure: { kind: 'invalid_output', reason: 'schema_mismatch', evidence: { issues: [{ path: '/pier' }] } } },
    ]);
  });

  it('[SG-054] says which formats it does not know, and goes on', async () => {
    const { baseUrl } = await answersSeven();
    const cwd = await directoryOf({
      'schema.json': '{"type":"object","properties":{"pier":{"type":"integer"},"note":{"type":"string","format":"harbour"}}}',
      'a.txt': 'Pier: 7',
    });
    const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', 'a.txt'], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('format "harbour" is not known');
  });

  it('refuses a transform whose result JSON cannot hold, by its place', async () => {
    const { baseUrl } = await answersSeven();
    const zod = import.meta.resolve('zod');
    const cwd = await directoryOf({
      'schema.mjs': `import { z } from '${zod}'; export default z.object({ pier: z.number().transform((pier) => new Map([[pier, 1]])) });`,
      'a.txt': 'Pier: 7',
    });
    const ran = await vouch(['extract', '--schema', 'schema.mjs', '--base-url', baseUrl, '--model', 'm', 'a.txt'], { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)).toMatchObject([{ failure: { kind: 'configuration' } }]);
    expect(ran.stderr).toContain('a Map at "/pier"');
  });
});

describe('output', () => {
  it('keeps the order of the documents, whatever answers first', async () => {
    const held: (() => void)[] = [];
    const { baseUrl } = await fakeServer((response, _request, body) => {
      const answer = (pier: number) => () => sendJson(response, 200, completion(`{"pier": ${pier}}`));
      // The first document is answered last.
      if (body.includes('Pier: 1')) held.push(answer(1));
      else {
        answer(body.includes('Pier: 2') ? 2 : 3)();
        if (body.includes('Pier: 3')) for (const release of held) release();
      }
    });
    const cwd = await directoryOf({ 'schema.json': pierSchema, '1.txt': 'Pier: 1', '2.txt': 'Pier: 2', '3.txt': 'Pier: 3' });
    const ran = await vouch(
      ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--concurrency', '2', '1.txt', '2.txt', '3.txt'],
      { cwd },
    );
    expect(jsonLines(ran.stdout).map((line) => line.value)).toEqual([{ pier: 1 }, { pier: 2 }, { pier: 3 }]);
  });

  it('[SG-069] reports rung, loss and edits of a repaired answer, and --accept exact refuses it', async () => {
    const { baseUrl } = await fakeServer((response) => sendJson(response, 200, completion('Sure:\n```json\n{"pier": 7,}\n```')));
    const cwd = await directoryOf({ 'schema.json': pierSchema, 'a.txt': 'Pier: 7' });
    const argv = ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--retries', '0', 'a.txt'];
    const [line] = jsonLines((await vouch(argv, { cwd })).stdout) as readonly {
      value?: unknown;
      wire?: { loss: string; edits: { mechanism: string }[] };
    }[];
    expect(line?.value).toEqual({ pier: 7 });
    expect(line?.wire?.loss).toBe('noise');
    expect(line?.wire?.edits.map((edit) => edit.mechanism)).toContain('trailing-comma');
    const exact = await vouch([...argv, '--accept', 'exact'], { cwd });
    expect(exact.code).toBe(1);
    expect(jsonLines(exact.stdout)[0]).not.toHaveProperty('value');
  });

  it('raises no warning of its process with many documents at once', async () => {
    const { baseUrl } = await answersSeven();
    const names = Array.from({ length: 40 }, (_, index) => `${index}.txt`);
    const cwd = await directoryOf({ 'schema.json': pierSchema, ...Object.fromEntries(names.map((name) => [name, 'Pier: 7'])) });
    const warnings: string[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning.name);
    };
    process.on('warning', note);
    onTestFinished(() => {
      process.off('warning', note);
    });
    const ran = await vouch(
      ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--concurrency', '32', ...names],
      { cwd },
    );
    expect(ran.code).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('writes the lines to --out and sums up on stderr', async () => {
    const { baseUrl } = await answersSeven();
    const cwd = await directoryOf({ 'schema.json': pierSchema, 'a.txt': 'Pier: 7', 'b.txt': 'Pier: 7' });
    const ran = await vouch(
      ['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', '--out', 'out.jsonl', 'a.txt', 'b.txt', 'c.txt'],
      { cwd },
    );
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    // In the order of finishing.
    expect(
      jsonLines(await readFile(join(cwd, 'out.jsonl'), 'utf8'))
        .map((line) => line.path)
        .sort(),
    ).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(ran.stderr).toMatch(/3 documents · 2 values · 1 failure \(document 1\) · 20 tokens in, 10 out · \d+\.\d s\n$/);
  });

  it('--json leaves one line on stderr: the summary', async () => {
    const { baseUrl } = await answersSeven();
    const cwd = await directoryOf({ 'schema.json': pierSchema, 'a.txt': 'Pier: 7' });
    const ran = await vouch(['extract', '--json', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', 'a.txt', 'none.txt'], {
      cwd,
    });
    expect(jsonLines(ran.stderr)).toMatchObject([
      {
        summary: {
          documents: 2,
          values: 1,
          failures: { document: 1 },
          unfinished: 0,
          usage: { inputTokens: 10, outputTokens: 5, reported: true },
        },
      },
    ]);
  });

  it('keeps control characters of documents and answers out of the terminal', async () => {
    const { baseUrl } = await fakeServer((response) =>
      sendJson(
        response,
        400,
        JSON.stringify({ error: { message: 'bad \u001b]0;title\u0007 request\r\nsecond line', type: 'invalid_request_error' } }),
      ),
    );
    const cwd = await directoryOf({ 'schema.json': pierSchema });
    await writeFile(join(cwd, 'a\u001b[31m.txt'), 'Pier: 7');
    const ran = await vouch(['extract', '--schema', 'schema.json', '--base-url', baseUrl, '--model', 'm', 'a\u001b[31m.txt'], { cwd });
    expect(ran.code).toBe(1);
    expect(isPlain(ran.stderr)).toBe(true);
    expect(ran.stderr).not.toContain('\u0007');
  });
});

import { PassThrough } from 'node:stream';
import { faults, pathologies, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { directoryOf, isPlain, jsonLines, type Ran, type RunOptions, vouch } from './support/run-vouch.ts';

interface Started {
  readonly baseUrl: string;
  /** Ctrl-C, and what it came to. */
  stop(): Promise<Ran>;
}

/** Starts the command on a free port and waits until it says where it listens. */
async function start(argv: readonly string[], options: RunOptions = {}): Promise<Started> {
  const interrupt = new AbortController();
  let ran: Promise<Ran> | undefined;
  const baseUrl = await new Promise<string>((resolve, reject) => {
    ran = vouch(['lab', '--port', '0', ...argv], {
      ...options,
      signal: interrupt.signal,
      onStdout: (text) => resolve(/http:\/\/127\.0\.0\.1:\d+\/v1/.exec(text)?.[0] ?? ''),
    });
    ran.then((early) => reject(new Error(`it ended: ${early.stderr}`)), reject);
  });
  const stop = async (): Promise<Ran> => {
    interrupt.abort();
    return ran as Promise<Ran>;
  };
  onTestFinished(() => void stop());
  return { baseUrl, stop };
}

const ask = (baseUrl: string, headers: Record<string, string> = {}, path = '/chat/completions'): Promise<Response> =>
  fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Pier: 7' }] }),
  });

const contentOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content ?? '';
};

describe('vouch lab', () => {
  it('[SG-100] serves until Ctrl-C: the base URL on stdout, a line a request and a summary on stderr, exit 130', async () => {
    const lab = await start(['--pathology', 'C18', '--fault', 'rate-limit=3']);
    const first = await ask(lab.baseUrl);
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await contentOf(await ask(lab.baseUrl))).toContain('Pier: 7');
    await (await fetch(`${lab.baseUrl}/nowhere`)).text();
    const ran = await lab.stop();
    expect(ran.code).toBe(130);
    expect(ran.stdout).toBe(`${lab.baseUrl}\n`);
    expect(ran.stderr).toContain(`OPENAI_BASE_URL=${lab.baseUrl}`);
    expect(ran.stderr).toContain('not a language model');
    expect(ran.stderr).toContain('\nPathologies: C18 on all\nFaults: rate-limit=3 on all\nThat is of the requests that it fits;');
    expect(ran.stderr).not.toContain('Of several');
    expect(ran.stderr).toMatch(/\nPOST \/v1\/chat\/completions {2}m {2}429 {2}rate-limit {2}\d+ ms\n/);
    expect(ran.stderr).toMatch(/\nPOST \/v1\/chat\/completions {2}m {2}200 {2}C18 {2}\d+ ms\n/);
    expect(ran.stderr).toMatch(/\nGET \/v1\/nowhere {2}– {2}404 {2}refused {2}\d+ ms\n/);
    expect(ran.stderr).toMatch(/\n3 requests; 0 as they are; 1 refused; pathologies: C18 ×1; faults: rate-limit ×1\n$/);
    expect(isPlain(ran.stderr)).toBe(true);
    // Nothing listens any more.
    await expect(ask(lab.baseUrl)).rejects.toThrow();
  });

  it('[SG-100] a client pointed at it gets its value through a fault', async () => {
    const lab = await start(['--fault', 'split', 'gzip']);
    const result = await createSignal({ baseUrl: lab.baseUrl, model: 'lab-reader' })
      .schema(z.object({ pier: z.number() }))
      .complete('Pier: 7');
    expect(result.response).toEqual({ pier: 7 });
    await lab.stop();
  });

  it('--json: what listens, each request and the summary, as lines on stdout; no key and no text of a request', async () => {
    const lab = await start(['--json', '--seed', '5', '--api-key', 'sk-canary-1', '--fault', 'split=9:1', '--model', 'rules']);
    expect((await ask(lab.baseUrl)).status).toBe(401);
    expect((await ask(lab.baseUrl, { authorization: 'Bearer sk-canary-1' })).status).toBe(200);
    const ran = await lab.stop();
    expect(ran.stderr).toBe('');
    const [listening, ...rest] = jsonLines(ran.stdout);
    expect(listening).toEqual({
      listening: {
        baseUrl: lab.baseUrl,
        model: 'lab-rules',
        seed: 5,
        needsKey: true,
        pathologies: [],
        faults: [{ id: 'split', rate: 1, parameter: 9 }],
      },
    });
    expect(rest).toMatchObject([
      { request: { method: 'POST', path: '/v1/chat/completions', model: null, status: 401, pathology: null, fault: null } },
      { request: { model: 'm', wire: 'openai-chat', status: 200, fault: 'split', clientClosedEarly: false } },
      { summary: { requests: 2, asTheyAre: 0, refused: 1, pathologies: {}, faults: { split: 1 } } },
    ]);
    expect(ran.stdout).not.toContain('canary');
    expect(ran.stdout).not.toContain('Pier');
  });

  it('--json ends when nobody reads its lines any more', async () => {
    const stdout = new PassThrough();
    const baseUrl = new Promise<string>((resolve) => stdout.once('data', (line) => resolve(JSON.parse(String(line)).listening.baseUrl)));
    const ran = vouch(['lab', '--port', '0', '--json'], { stdout });
    const url = await baseUrl;
    stdout.destroy();
    await (await ask(url)).text();
    expect((await ran).code).toBe(0);
  });

  it('text of a request cannot steer the terminal', async () => {
    const lab = await start([]);
    await fetch(`${lab.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '\u001b[2Jm\nPOST /fake', messages: [{ role: 'user', content: 'x' }] }),
    });
    const { stderr } = await lab.stop();
    expect(isPlain(stderr)).toBe(true);
    expect(stderr).not.toContain('\nPOST /fake');
  });
});

describe('vouch lab --model script', () => {
  const run = async (name: string, text: string): Promise<Started> => {
    const cwd = await directoryOf({ [name]: text });
    return start(['--model', 'script', name], { cwd });
  };

  it.each([
    ['replies.json', '[{"text":"one"},{"text":"two"}]'],
    ['replies.jsonl', '\ufeff{"text":"one"}\n\n{"text":"two"}\r\n'],
    ['replies.mjs', "export default [{ text: 'one' }, { text: 'two' }];"],
    ['replies.ts', "export const replies: readonly { text: string }[] = [{ text: 'one' }, { text: 'two' }];"],
    ['function.mjs', "export default (request, { index }) => ({ text: ['one', 'two'][index] });"],
  ])('gives the replies of %s in order', async (name, text) => {
    const lab = await run(name, text);
    expect([await contentOf(await ask(lab.baseUrl)), await contentOf(await ask(lab.baseUrl))]).toEqual(['one', 'two']);
    await lab.stop();
  });

  it('the reply that the help shows is a reply, and its bytes are too', async () => {
    const { stdout } = await vouch(['lab', '--help']);
    const shown = (from: string, to: string): string => stdout.slice(stdout.indexOf(from), stdout.indexOf(to));
    const lab = await run(
      'help.jsonl',
      [shown('{ "text"', '"arguments" is'), shown('{ "raw"', '"ending" is')].map((one) => JSON.stringify(JSON.parse(one))).join('\n'),
    );
    expect(await (await ask(lab.baseUrl)).json()).toMatchObject({
      choices: [
        {
          message: { content: 'Pier 7', tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"pier":7}' } }] },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 4 },
    });
    expect((await ask(lab.baseUrl)).headers.get('content-type')).toBe('text/plain');
    await lab.stop();
  });

  it('takes reasoning in pieces', async () => {
    const lab = await run('thinking.json', '[{"text":"one","thinking":[{"text":"hm","redacted":false,"summary":["h"],"beforeCall":0}]}]');
    expect(await contentOf(await ask(lab.baseUrl))).toBe('one');
    await lab.stop();
  });

  it('gives raw replies, and says where the script ended', async () => {
    const lab = await run('raw.json', '[{"raw":{"status":418,"headers":{"own":"yes"},"chunks":["tea"],"ending":"end"}}]');
    const raw = await ask(lab.baseUrl);
    expect([raw.status, raw.headers.get('own'), await raw.text()]).toEqual([418, 'yes', 'tea']);
    expect(await (await ask(lab.baseUrl)).text()).toContain('the script is over: the script holds 1 reply, and this is request 2');
    const { stdout, stderr } = await lab.stop();
    expect(stdout + stderr).toContain('the script is over');
  });

  it.each([
    ['a.jsonl', '{"text":"one"}\n{"txt":"two"}', 'line 2 of a.jsonl is no reply: it has `txt`'],
    ['a.jsonl', '{"text":"one"}\n{"text"', 'line 2 of a.jsonl is not JSON'],
    ['a.json', '[{"text":"one"},{"text":2}]', 'reply 1 of a.json is no reply: `text` must be a string'],
    ['a.json', '[{"toolCalls":[{"name":"f","arguments":{}}]}]', '`toolCalls` at place 0: `arguments` must be a string'],
    ['a.json', '[{"raw":{"status":200,"headers":{},"chunks":[]}}]', '`raw` `ending` is missing'],
    ['a.json', '[{"raw":{"status":99,"headers":{},"chunks":[],"ending":"end"}}]', '`status` must be 0 or a status from 200 to 599'],
    ['a.json', '{"text":"one"}', 'a.json holds no array of replies'],
    ['a.json', '[]', 'a.json holds no reply'],
    ['a.mjs', 'export const other = 1;', 'the module a.mjs exports neither an array nor a function as default or `replies`, but other'],
    ['a.mjs', 'export default [7];', 'reply 0 of a.mjs is no reply: must be an object'],
    ['a.mjs', "throw new Error('mine');", 'cannot read the script a.mjs: mine'],
  ])('%s with %j is refused in one line', async (name, text, says) => {
    const cwd = await directoryOf({ [name]: text });
    const ran = await vouch(['lab', '--port', '0', '--model', 'script', name], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(isPlain(ran.stderr)).toBe(true);
  });
});

describe('wrong use of vouch lab', () => {
  it.each([
    [['--pathology', 'groq-cutt'], 'no pathology is called "groq-cutt"; near it: A4 (groq-cut)'],
    [['--fault', 'rate-limt'], 'no fault is called "rate-limt"; near it: rate-limit'],
    [['--fault', 'zzzz'], 'no fault is called "zzzz" (see: vouch lab --list)'],
    [['--pathology', 'F13'], 'the pathology F13 (response-part-mixing) is only listed: no answer can show it'],
    [['--list', 'x.json'], 'the file x.json has no use with --list'],
    [['one.json', 'two.json'], 'too many arguments'],
    [['--pathology', 'C10:1.5'], 'must be a number from 0 to 1'],
    [['--fault', 'split:-1'], 'must be a number from 0 to 1'],
    [['--fault', 'split:'], 'must be a number from 0 to 1'],
    [['--fault', 'split=0'], 'must be a whole number from 1 to 1000000 (bytes a write)'],
    [['--fault', 'gzip=1'], 'the fault gzip takes no number'],
    [['--model', 'script'], '--model script needs a file'],
    [['--model', 'script', 'absent.json'], 'cannot read the script absent.json: there is no such file'],
    [['--seed', '1', 'file.json'], 'has no use without --model script'],
    [['--model', 'other'], 'Allowed choices are reader, rules, script'],
    [['--port', '65536'], 'from 0 to 65535'],
    [['--api-key', ''], '--api-key is empty'],
  ])('%j: exit 2 and one clear line', async (argv, says) => {
    const ran = await vouch(['lab', '--port', '0', ...argv]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it('a port that is taken: exit 2 and one clear line', async () => {
    const other = await startLab();
    onTestFinished(() => other.close());
    const port = new URL(other.origin).port;
    const ran = await vouch(['lab', '--port', port]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toBe(`vouch: the port ${port} is taken (choose another with --port N; --port 0 takes a free one)\n`);
  });
});

describe('vouch lab --list', () => {
  it('[SG-100] shows every pathology that it can show, and every fault, within 80 columns', async () => {
    const ran = await vouch(['lab', '--list']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const ids = ran.stdout.split('\n').map((line) => /^(\S+) /.exec(line)?.[1]);
    for (const { id, apply, applyOn } of pathologies)
      expect([id, ids.includes(id)]).toEqual([id, apply !== undefined || applyOn !== undefined]);
    for (const { id } of faults) expect(ids).toContain(id);
    expect(Math.max(...ran.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('--json gives the same as JSON lines, with the rows that no answer can show', async () => {
    const ran = await vouch(['lab', '--list', '--json']);
    const lines = jsonLines(ran.stdout) as readonly { pathology?: { id: string; servedOn: string[] }; fault?: { id: string } }[];
    const rows = lines.flatMap(({ pathology }) => pathology ?? []);
    expect(rows.map(({ id }) => id)).toEqual(pathologies.map(({ id }) => id));
    expect(rows.find(({ id }) => id === 'F13')?.servedOn).toEqual([]);
    expect(rows.find(({ id }) => id === 'G1')?.servedOn).toEqual(['ollama']);
    expect(rows.find(({ id }) => id === 'C10')?.servedOn).toContain('openai-chat');
    expect(lines.flatMap(({ fault }) => fault ?? []).find(({ id }) => id === 'rate-limit')).toMatchObject({
      expected: { whole: 'value', parts: 'value' },
      tries: 'first',
      parameter: { least: 0, most: 86_400, default: 1 },
    });
  });
});

it('the start says how the rates of several are meant', async () => {
  const lab = await start(['--pathology', 'C10:0.5', 'S3:0.25']);
  const { stderr } = await lab.stop();
  expect(stderr).toContain('\nPathologies: C10 on 50 %, S3 on 25 %\n');
  expect(stderr).toContain('\nOf several, in a drawn order, each takes its share of what those before it left.\n');
});

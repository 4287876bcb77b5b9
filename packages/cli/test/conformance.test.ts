import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatWireId } from '@vouch/contracts';
import { type LabContent, type LabOptions, reader, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checks } from '../src/conformance/checks.ts';
import { addressOn, demoWires } from '../src/demo/wires.ts';
import { textWidth } from '../src/terminal/text-width.ts';
import { faithfulModel } from './support/faithful-model.ts';
import { directoryOf, jsonLines, type Ran, type RunOptions, vouch } from './support/run-vouch.ts';

const key = 'sk-canary-conformance-1';

interface Result {
  readonly check: string;
  readonly outcome: string;
  readonly evidence: string;
  readonly calls: number;
}

/** A lab on which every check holds, unless `lab` says otherwise, asked on a wire. */
async function ask(
  wire: ChatWireId,
  lab: LabOptions = {},
  argv: readonly string[] = ['--json'],
  options: RunOptions = {},
): Promise<Ran & { readonly results: readonly Result[]; readonly requests: number }> {
  const server = await startLab({ model: faithfulModel(), apiKey: key, ...lab });
  onTestFinished(() => server.close());
  // Thinking comes back sealed only from an endpoint that is asked for it.
  const like = wire === 'openai-responses' ? ['--like', 'openai-responses'] : [];
  const address = ['--wire', wire, '--base-url', addressOn(server, wire), '--api-key-env', 'CANARY_KEY'];
  const model = argv.includes('--model') ? [] : ['--model', 'faithful'];
  const ran = await vouch(['conformance', ...address, ...like, ...model, ...argv], { env: { CANARY_KEY: key }, ...options });
  const results = argv.includes('--json') ? (jsonLines(ran.stdout).filter((line) => 'check' in line) as unknown as readonly Result[]) : [];
  return { ...ran, results, requests: server.requests().length };
}

const withOutcome = (results: readonly Result[], outcome: string): readonly string[] =>
  results.filter((result) => result.outcome === outcome).map(({ check }) => check);

/** What a wire has no word for, or the lab's fake does not show on it. */
const unasked: { readonly [Wire in ChatWireId]: readonly string[] } = {
  'openai-chat': [],
  'openai-responses': ['stop-sequence'],
  'anthropic-messages': [],
  gemini: [],
  ollama: ['request-id', 'tool-required', 'tool-named'],
};

describe.each(demoWires)('an endpoint of the %s wire that does everything', (wire) => {
  it('holds in every check that its wire has a word for, and costs the calls that were said', async () => {
    const { code, results, stdout, stderr, requests } = await ask(wire);
    expect(results.filter(({ outcome }) => outcome !== 'holds').map(({ check }) => check)).toEqual(unasked[wire]);
    expect(results.map(({ check }) => check)).toEqual(checks.map(({ id }) => id));
    const [{ plan }] = jsonLines(stdout) as unknown as [{ plan: { calls: number; tokens: number } }];
    const summary = jsonLines(stdout).at(-1)?.summary as unknown as { calls: number; tokens: number };
    // Refused on this side before anything was sent: a plan cannot know it.
    const unsent = unasked[wire].filter((id) => id.startsWith('tool-')).length;
    expect(summary.calls).toBe(plan.calls - unsent);
    expect(requests).toBe(summary.calls);
    expect(summary.tokens).toBeLessThanOrEqual(plan.tokens);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(key);
  });
});

const schemaIds = checks.map(({ id }) => id).filter((id) => id.startsWith('schema-'));
const streamedSchemaIds = schemaIds.filter((id) => id.endsWith('-stream'));
const callIds = ['tool-call-whole', 'tool-call-stream', 'tool-parallel', 'tool-required', 'tool-named', 'tool-result', 'thinking-custody'];

describe('a planted pathology', () => {
  const rows: readonly (readonly [string, ChatWireId, readonly string[]])[] = [
    ...demoWires.map((wire) => ['C10', wire, schemaIds] as const),
    ['C12', 'gemini', schemaIds],
    ['C18', 'openai-chat', ['usage']],
    ['G6', 'ollama', ['usage']],
    ['B17', 'openai-chat', callIds],
    ['A18', 'openai-chat', callIds],
    ['A18', 'ollama', callIds],
    ['E7', 'anthropic-messages', callIds],
    ['D20', 'gemini', ['text-stream', 'same-shape', 'unicode-stream', ...streamedSchemaIds, 'tool-call-stream', 'tool-parallel']],
  ];

  it.each(rows)('[path-%s] on %s makes exactly the checks differ that look at it', async (id, wire, ids) => {
    const { code, results } = await ask(wire, { pathologies: [{ id, rate: 1 }] });
    expect(withOutcome(results, 'differs')).toEqual(ids.filter((one) => !unasked[wire].includes(one)));
    expect(code).toBe(1);
  });
});

type Plant = readonly [string, readonly string[], Parameters<typeof faithfulModel>[0], (readonly ChatWireId[])?];

const said = (reply: LabContent, text: string): LabContent => ({ ...reply, text });

describe('an endpoint that does one thing otherwise', () => {
  const plants: readonly Plant[] = [
    ['reports no usage', ['usage'], (_request, reply) => ({ ...reply, usage: null })],
    [
      'goes on over the stop sequence',
      ['stop-sequence'],
      (_request, reply) => (reply.text === 'amber basalt ' ? said(reply, 'amber basalt cobalt delta ember') : reply),
    ],
    [
      'calls in spite of "none"',
      ['tool-none'],
      (request, reply) => (request.tools.length > 0 && request.toolChoice === 'none' ? { toolCalls: [stockCall] } : reply),
    ],
    ['makes no demanded call', ['tool-required'], (request, reply) => (request.toolChoice === 'required' ? { text: 'No.' } : reply)],
    [
      'calls another tool than the one demanded',
      ['tool-named'],
      (request, reply) => (typeof request.toolChoice === 'object' ? { toolCalls: [stockCall] } : reply),
    ],
    ['drops pictures', ['image'], (_request, reply) => (reply.text === 'Red.' ? said(reply, 'Grey.') : reply)],
    [
      'loses characters',
      ['unicode-whole', 'unicode-stream'],
      (_request, reply) => (reply.text?.startsWith('Grüße') ? said(reply, reply.text.replaceAll(/[^ -~]/g, '\ufffd')) : reply),
    ],
    [
      'does not heed the schema',
      ['schema-simple-whole', 'schema-simple-stream'],
      (_request, reply) => (reply.text?.includes('"age"') ? said(reply, '{"name":"Ada Lovelace","age":"36"}') : reply),
    ],
    [
      'puts its thinking into the text',
      ['thinking'],
      (_request, reply) => (reply.text === '391' ? said(reply, '<think>17 times 23 is 391.</think>391') : reply),
      // On the others the client takes such thinking out of the text, as their servers leave it there.
      ['openai-responses', 'anthropic-messages', 'gemini'],
    ],
  ];
  const twoOf = (index: number): readonly ChatWireId[] => demoWires.filter((_wire, at) => (at + index) % demoWires.length < 2);
  const rows = plants.flatMap((plant, index) => (plant[3] ?? twoOf(index)).map((wire) => [plant[0], wire, plant] as const));

  it.each(rows)('%s, on %s: exactly that differs', async (_title, wire, [, ids, change]) => {
    const { results, code } = await ask(wire, { model: faithfulModel(change) });
    const expected = ids.filter((one) => !unasked[wire].includes(one));
    expect(withOutcome(results, 'differs')).toEqual(expected);
    expect(code).toBe(expected.length > 0 ? 1 : 0);
  });

  it.each(demoWires)('takes any key, on %s', async (wire) => {
    const server = await startLab({ model: faithfulModel() });
    onTestFinished(() => server.close());
    const argv = ['conformance', '--wire', wire, '--base-url', addressOn(server, wire), '--api-key-env', 'CANARY_KEY', '--json'];
    const ran = await vouch([...argv, '--only', 'error-key', 'text-whole'], { env: { CANARY_KEY: key } });
    expect(withOutcome(jsonLines(ran.stdout).filter((line) => 'check' in line) as unknown as Result[], 'differs')).toEqual(['error-key']);
  });

  it.each(demoWires)('answers for a model that is not there and is not listed, on %s', async (wire) => {
    const { results } = await ask(wire, { model: Object.assign(() => ({ text: 'yes' }), { modelId: 'other' }) }, [
      '--json',
      '--model',
      'mine',
      '--only',
      'error-model',
      'models',
    ]);
    expect(withOutcome(results, 'differs')).toEqual(['models', 'error-model']);
  });

  it('refuses what it gave itself: refused, and no fine ending', async () => {
    const body = JSON.stringify({ error: { message: 'Bad signature.', type: 'invalid_request_error' } });
    const refusal = { raw: { status: 400, headers: { 'content-type': 'application/json' }, chunks: [body], ending: 'end' as const } };
    const { results, code } = await ask('anthropic-messages', {
      model: faithfulModel((request, reply) => (request.thinking && request.messages.at(-1)?.role === 'tool' ? refusal : reply)),
    });
    expect(withOutcome(results, 'refused')).toEqual(['thinking-custody']);
    expect(withOutcome(results, 'differs')).toEqual([]);
    expect(code).toBe(1);
  });
});

const stockCall = { name: 'read_stock', arguments: '{"article":"anvil","shelf":7}' };

it("takes a model's wrong prose for no fault of the endpoint", async () => {
  const { results, code } = await ask('openai-chat', {
    model: faithfulModel((request, reply) =>
      request.format.type !== 'json_schema' && reply.text !== undefined ? said(reply, 'Hm.') : reply,
    ),
  });
  expect(withOutcome(results, 'differs').filter((id) => id !== 'image')).toEqual([]);
  expect(withOutcome(results, 'no verdict')).toEqual(
    expect.arrayContaining(['system-prompt', 'unicode-whole', 'unicode-stream', 'stop-sequence', 'max-tokens', 'tool-result']),
  );
  expect(code).toBe(1);
});

it('asks nothing more where the first call finds no way to the endpoint', async () => {
  const { results, code, requests } = await ask('gemini', { apiKey: 'another-key-than-ours' });
  expect(results[0]).toMatchObject({ outcome: 'differs', evidence: expect.stringContaining('cause auth') });
  expect(new Set(results.slice(1).map(({ outcome }) => outcome))).toEqual(new Set(['not asked']));
  expect(requests).toBeLessThanOrEqual(2);
  expect(code).toBe(1);
});

it('prints what is done when it is interrupted, and sends nothing more', async () => {
  const interrupt = new AbortController();
  const seen = { lines: 0 };
  const { code, results, requests } = await ask('openai-chat', {}, ['--json'], {
    signal: interrupt.signal,
    onStdout: () => {
      seen.lines += 1;
      if (seen.lines === 4) interrupt.abort();
    },
  });
  expect(code).toBe(130);
  expect(results.slice(0, 3).map(({ outcome }) => outcome)).toEqual(['holds', 'holds', 'holds']);
  expect(
    results.slice(3).every(({ outcome, calls, evidence }) => outcome === (calls > 0 ? 'no verdict' : 'not asked') && evidence !== ''),
  ).toBe(true);
  expect(results).toHaveLength(checks.length);
  expect(requests).toBe(2);
});

it('fits 80 columns, says its plan first, and writes a dated report with versions and without the key', async () => {
  const cwd = await directoryOf({});
  const { stdout, code } = await ask('anthropic-messages', { pathologies: [{ id: 'C10', rate: 1 }] }, ['--out', 'report.md'], { cwd });
  expect(code).toBe(1);
  for (const line of stdout.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80);
  expect(stdout.indexOf('about 9')).toBeLessThan(stdout.indexOf('text-whole'));
  expect(stdout).toMatch(/^differs {4}schema-simple-whole/m);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^holds \d+ · differs 6 · refused 0 · no verdict 0 · not asked 0$/);
  const report = await readFile(join(cwd, 'report.md'), 'utf8');
  expect(report).toMatch(/- date: \d{4}-\d\d-\d\dT/);
  expect(report).toMatch(/- versions: vouch \d+\.\d+\.\d+, node \d+/);
  for (const { id } of checks) expect(report).toContain(`| ${id} |`);
  expect(stdout + report).not.toContain(key);
  // Evidence says what kind of text came, never the text.
  expect(stdout + report).not.toContain('Lovelace');
});

it.each([
  [['--wire', 'openai-chat'], '--base-url and --wire are needed'],
  [['--base-url', 'http://127.0.0.1:9/v1'], '--base-url and --wire are needed'],
  [['--base-url', 'nowhere', '--wire', 'gemini'], 'not an http or https address'],
  [['--base-url', 'http://u:p@127.0.0.1:9', '--wire', 'gemini'], 'holds a name or a password'],
  [['--base-url', 'http://127.0.0.1:9', '--wire', 'gemini', '--only', 'nothing'], 'there is no check "nothing"'],
  [['--base-url', 'http://127.0.0.1:9', '--wire', 'gemini', '--api-key-env', 'NOT_THERE'], 'the variable is not set'],
  [['--base-url', 'http://127.0.0.1:9', '--wire', 'gemini', '--like', 'openai'], 'no provider "openai" speaks gemini'],
])('refuses wrong use in one line: %j', async (argv, words) => {
  const ran = await vouch(['conformance', ...argv]);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(words);
  expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
});

describe('without --model', () => {
  const asked = async (wire: ChatWireId, baseUrl: string, extra: readonly string[] = []): Promise<Ran> => {
    const ran = await vouch(['conformance', '--wire', wire, '--base-url', baseUrl, '--only', 'text-whole', ...extra], {
      env: { CANARY_KEY: key },
    });
    expect(ran.stderr + ran.stdout).not.toContain(key);
    return ran;
  };
  const server = async (options: LabOptions = {}): Promise<string> => {
    const lab = await startLab(options);
    onTestFinished(() => lab.close());
    return lab.origin;
  };

  it('says that a server is down, and what to check', async () => {
    const lab = await startLab();
    await lab.close();
    const { code, stderr } = await asked('openai-chat', lab.baseUrl);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `vouch: the endpoint cannot be reached: ECONNREFUSED (check that it is running; check that ${lab.baseUrl} is the address of a chat API (often it ends in /v1))\n`,
    );
  });

  it.each<[ChatWireId, string, string]>([
    ['openai-chat', '', 'often it ends in /v1'],
    ['openai-chat', '/v1/v1', 'often it ends in /v1'],
    ['gemini', '', 'often it ends in /v1beta'],
    ['ollama', '/v1', 'no /v1'],
  ])('says of a wrong address on %s (%j) how it should end', async (wire, path, words) => {
    const origin = await server();
    const { code, stderr } = await asked(wire, origin + path);
    expect(code).toBe(2);
    expect(stderr).toContain('the endpoint does not list its models: status 404');
    expect(stderr).toContain(`${origin}${path} is the address of a chat API`);
    expect(stderr).toContain(words);
  });

  it('asks for a key where there is none, and for another where it is wrong', async () => {
    const origin = await server({ apiKey: 'another' });
    const none = await asked('openai-chat', `${origin}/v1`);
    expect(none.stderr).toContain('status 401 (name the variable that holds the key: --api-key-env NAME)');
    const wrong = await asked('openai-chat', `${origin}/v1`, ['--api-key-env', 'CANARY_KEY']);
    expect(wrong.stderr).toContain('status 401 (check the key in CANARY_KEY)');
  });

  it.each(['', '/v1', '/v1/'])('lists the models of the messages wire under the address that its client takes: %j', async (path) => {
    const { code, stdout } = await asked('anthropic-messages', (await server()) + path);
    expect(stdout).toContain('model lab-reader;');
    expect(stdout).toContain('1 check: 1 call, about 40 tokens.');
    expect(code).toBe(0);
  });
});

it('replaces an earlier report, and no other file', async () => {
  const cwd = await directoryOf({ 'notes.md': '# Conformance to what I want to keep\n', 'empty.md': '' });
  const only = ['--only', 'text-whole', '--out'];
  const foreign = await ask('openai-chat', {}, [...only, 'notes.md'], { cwd });
  expect(foreign).toMatchObject({ code: 2, requests: 0 });
  expect(foreign.stderr).toContain('--out notes.md is there, and is no report of this command');
  expect(await readFile(join(cwd, 'notes.md'), 'utf8')).toBe('# Conformance to what I want to keep\n');
  for (const file of ['empty.md', 'empty.md', 'new.md']) {
    expect((await ask('openai-chat', {}, [...only, file], { cwd })).code).toBe(0);
    expect(await readFile(join(cwd, file), 'utf8')).toContain('| text-whole | holds |');
  }
});

it('tells that the report cannot be written before anything is asked', async () => {
  const { code, stderr, requests } = await ask('gemini', {}, ['--out', join('not', 'there', 'report.md')]);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be written: ENOENT');
  expect(requests).toBe(0);
});

it.each(demoWires)("differs on %s, against the lab's reader, in what the help says", async (wire) => {
  const { results } = await ask(wire, { model: reader() }, ['--json', '--model', 'lab-reader']);
  const expected = ['image', 'schema-nested-whole', 'schema-nested-stream', 'stop-sequence', 'error-model'];
  const differing = withOutcome(results, 'differs');
  expect(differing).toEqual(expected.filter((id) => !unasked[wire].includes(id) || id !== 'stop-sequence'));
  expect(withOutcome(results, 'no verdict')).toEqual(expect.arrayContaining(['unicode-whole', 'tool-call-whole', 'tool-result']));
  const { stdout } = await vouch(['conformance', '--help']);
  expect(stdout).toContain('up to five checks differ');
});

it('lists its checks, each with an id of its own', async () => {
  const ran = await vouch(['conformance', '--list']);
  const ids = ran.stdout.trimEnd().split('\n');
  expect(ids).toEqual(checks.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

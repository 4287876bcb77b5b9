import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryOf, isPlain, jsonLines, root, vouch } from './support/run-vouch.ts';

const corpus = 'packages/signal/fixtures/corpus/conformance.jsonl';
const schema = { type: 'object', properties: { pier: { type: 'integer' } }, required: ['pier'], additionalProperties: false };
const line = (id: string, raw: unknown, more: object = {}): string => JSON.stringify({ id, raw, finish: 'stop', schema, ...more });

describe('vouch route', () => {
  it('[SG-066] the corpus, scored by its own script: nothing silently wrong, no exception, at least 99 % right or tolerable', async () => {
    const ran = await vouch(['route', '--cases', corpus]);
    expect(ran.code).toBe(0);
    const cwd = await directoryOf({ 'outcomes.jsonl': ran.stdout });
    const score = spawnSync(
      process.execPath,
      ['packages/signal/fixtures/corpus/score.mjs', corpus, '--results', join(cwd, 'outcomes.jsonl')],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    expect(score.status).toBe(0);
    expect(score.stdout).toContain('silently wrong: 0');
    expect(Number(/right or tolerable: ([\d.]+)%/.exec(score.stdout)?.[1])).toBeGreaterThanOrEqual(99);
    expect(jsonLines(ran.stdout)).toHaveLength((await readFile(join(root, corpus), 'utf8')).trim().split('\n').length);
  });

  it('never reads what a case expects', async () => {
    const lines = (await readFile(join(root, corpus), 'utf8')).trim().split('\n');
    const blind = lines.map((text) => {
      const { expect: _expect, accept: _accept, judgement: _judgement, note: _note, category: _category, ...rest } = JSON.parse(text);
      return JSON.stringify(rest);
    });
    const cwd = await directoryOf({ 'blind.jsonl': blind.join('\n') });
    const seen = await vouch(['route', '--cases', corpus]);
    expect((await vouch(['route', '--cases', 'blind.jsonl'], { cwd })).stdout).toBe(seen.stdout);
  });

  it('prints value, calls or the failure reason, and nothing else', async () => {
    const tools = [{ name: 'find_berth', parameters: schema }];
    const cases = [
      line('value', '```json\n{"pier": 7}\n```'),
      line('chunks', ['{"pi', 'er": 8', '}']),
      line('calls', '<tool_call>{"name":"find_berth","arguments":{"pier":9}}</tool_call>', { tools }),
      line('prose', 'Pier seven.'),
    ];
    const ran = await vouch(['route', '--cases', '-'], { stdin: [cases.join('\n')] });
    expect(jsonLines(ran.stdout)).toEqual([
      { id: 'value', outcome: { kind: 'value', value: { pier: 7 } } },
      { id: 'chunks', outcome: { kind: 'value', value: { pier: 8 } } },
      { id: 'calls', outcome: { kind: 'tool_calls', calls: [{ name: 'find_berth', arguments: { pier: 9 } }] } },
      { id: 'prose', outcome: { kind: 'failure', reason: 'no_candidate' } },
    ]);
  });

  it.each([
    ['no JSON', '{"id": "x",', 'it is not JSON'],
    ['a list', '[1]', 'not a JSON object'],
    ['no raw', JSON.stringify({ id: 'x', schema }), '`raw`'],
    ['an unknown finish', line('x', '{}', { finish: 'done' }), '`finish`'],
    ['a schema that is text', line('x', '{}', { schema: 'object' }), '`schema`'],
    ['no schema', JSON.stringify({ id: 'x', raw: '{}' }), '`schema`'],
    ['a tool without parameters', line('x', '{}', { tools: [{ name: 'find_berth' }] }), '`tools`'],
    ['a tool without name', line('x', '{}', { tools: [{}] }), '`tools`'],
  ])('a line with %s: exit 2, its number, and the outcomes before it', async (_title, bad, says) => {
    const cwd = await directoryOf({ 'cases.jsonl': [line('first', '{"pier": 7}'), '', bad, line('last', '{"pier": 7}')].join('\n') });
    const ran = await vouch(['route', '--cases', 'cases.jsonl'], { cwd });
    expect(ran.code).toBe(2);
    expect(jsonLines(ran.stdout).map((outcome) => outcome.id)).toEqual(['first']);
    expect(ran.stderr).toContain('line 3 of cases.jsonl is no case');
    expect(ran.stderr).toContain(says);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('a line longer than any case: exit 2, and it is not read further', async () => {
    const piece = 'x'.repeat(1024 * 1024);
    const ran = await vouch(['route', '--cases', '-'], { stdin: [`${line('first', '{"pier": 7}')}\n`, ...new Array(70).fill(piece)] });
    expect(ran.code).toBe(2);
    expect(jsonLines(ran.stdout)).toHaveLength(1);
    expect(ran.stderr).toContain('line 2 of - is longer than 64 MiB');
  });

  it('a schema nested without end fails its own case alone', async () => {
    const deep = `{"id":"deep","raw":"{}","schema":${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}}`;
    const ran = await vouch(['route', '--cases', '-'], { stdin: [`${deep}\n${line('good', '{"pier": 7}')}`] });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)).toMatchObject([
      { id: 'deep', outcome: { kind: 'failure', reason: 'configuration' } },
      { id: 'good', outcome: { kind: 'value' } },
    ]);
    expect(ran.stderr).toContain('nested too deeply');
  });

  it('a schema that is none fails its own case alone', async () => {
    const cwd = await directoryOf({
      'cases.jsonl': [line('broken', '{"pier": 7}', { schema: { type: 'objekt' } }), line('good', '{"pier": 7}')].join('\r\n'),
    });
    const ran = await vouch(['route', '--cases', 'cases.jsonl'], { cwd });
    expect(ran.code).toBe(1);
    expect(jsonLines(ran.stdout)).toEqual([
      { id: 'broken', outcome: { kind: 'failure', reason: 'configuration' } },
      { id: 'good', outcome: { kind: 'value', value: { pier: 7 } } },
    ]);
    expect(isPlain(ran.stderr)).toBe(true);
  });

  it.each([
    ['a file that is not there', ['--cases', 'none.jsonl'], 'there is no file none.jsonl'],
    ['a directory', ['--cases', '.'], 'is a directory'],
    ['no file at all', [], '--cases is missing'],
  ])('%s: exit 2 and one line', async (_title, argv, says) => {
    const cwd = await directoryOf({});
    const ran = await vouch(['route', ...argv], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('--json sums up as JSON on stderr', async () => {
    const cwd = await directoryOf({});
    await writeFile(join(cwd, 'cases.jsonl'), `${line('a', '{"pier": 7}')}\n`);
    const ran = await vouch(['route', '--json', '--cases', 'cases.jsonl'], { cwd });
    expect(jsonLines(ran.stderr)).toEqual([{ summary: { cases: 1, crashes: 0 } }]);
  });
});

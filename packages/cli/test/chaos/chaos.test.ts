import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../src/run-cli.ts';
import { directoryOf, root } from '../support/run-vouch.ts';
import { runChaos } from './chaos.mjs';
import { differences, readLines } from './lines.mjs';
import { tearEverywhere } from './torn-ends.mjs';

const { signal } = new AbortController();

/** The command as a file of JavaScript, so that no build is needed and each process starts at once. */
async function bundled(): Promise<string> {
  const { build } = await import('esbuild');
  const directory = await mkdtemp(join(tmpdir(), 'vouch-bundle-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const cli = join(root, 'packages/cli');
  await mkdir(join(directory, 'dist'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module", "version": "0.0.0" }');
  const outfile = join(directory, 'dist/bin.js');
  await build({
    ...{ absWorkingDir: cli, entryPoints: ['src/bin.ts'], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    conditions: ['@vouch/source'],
    external: ['jiti'],
    // Libraries of the older module system ask for `require`.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  return outfile;
}

describe('extract that is killed', { timeout: 120_000 }, () => {
  it('gives in the end what an undisturbed run gives, each document once', async () => {
    const command = [process.execPath, await bundled()];
    const report = await runChaos({ command, startLab, signal, kills: 5, documents: 60, seed: 7 });
    expect(report.problems).toEqual([]);
    expect(report.lives).toHaveLength(5);
    expect(report.lives.filter(({ killed }) => killed).length).toBeGreaterThanOrEqual(3);
    expect(report.requests.needed).toBeGreaterThanOrEqual(60);
  });

  it('mends its file, wherever the last two lines were torn', async () => {
    const report = await tearEverywhere({ runCli, startLab, signal, documents: 2, seed: 7 });
    expect(report.problems).toEqual([]);
    expect(report.offsets).toBeGreaterThan(200);
  });
});

describe('the comparison', () => {
  const expected = new Map<string, unknown>([
    ['a', { fee: 1 }],
    ['b', { fee: 2 }],
  ]);
  const good = '{"path":"a","value":{"fee":1}}\n{"path":"b","value":{"fee":2}}\n';

  it.each([
    ['a torn line', good.slice(0, -1), ['30 bytes stand behind the last line feed', 'b is missing']],
    ['no JSON', `${good}{"path"\n`, ['line 3 is no JSON: {"path"']],
    ['a document that comes twice', good + good.slice(0, 31), ['line 3: a comes twice']],
    ['another value', good.replace('2', '3'), ['b has another value: {"fee":3}, not {"fee":2}']],
    [
      'a failure',
      good.replace('"value":{"fee":2}', '"failure":{}'),
      ['line 2: b has no value: {}', 'b has another value: undefined, not {"fee":2}'],
    ],
    ['a stranger', `${good}{"path":"c","value":1}\n`, ['c was not asked for']],
    ['nothing', good, []],
  ])('finds %s', async (_title, text, found) => {
    const directory = await directoryOf({ 'out.jsonl': text });
    expect(differences(await readLines(join(directory, 'out.jsonl')), expected)).toEqual(found);
  });
});

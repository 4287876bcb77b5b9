import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { outcomeOf, outcomeSoFar } from './test-outcome.mjs';

const root = new URL('..', import.meta.url).pathname;

it('reads the same from what vitest prints by the way as from its report', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'vouch-outcome-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'good.test.mjs'), "it('one', () => {}); it('two', () => {}); it.skip('three', () => {});");
  writeFileSync(join(directory, 'bad.test.mjs'), "it('four', () => {}); it('breaks', () => { expect(1).toBe(2); });");
  const report = join(directory, 'report.json');
  const ran = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--globals',
      '--root',
      directory,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { encoding: 'utf8', env: { PATH: process.env.PATH, NO_COLOR: '1' } },
  );
  // The lines that stand before the summary are all that a run that is stopped leaves.
  const soFar = outcomeSoFar(ran.stdout.split('Failed Tests')[0] ?? '');
  const whole = outcomeOf(JSON.parse(readFileSync(report, 'utf8')), `${directory}/`);
  expect(whole).toEqual({ passed: 3, failed: 1, skipped: 1, failures: ['bad.test.mjs: breaks'] });
  expect(soFar).toMatchObject({ passed: 3, failed: 1, skipped: 1 });
  expect(soFar.failures).toEqual([expect.stringMatching(/^bad\.test\.mjs: breaks/)]);
});

it('names a file that could not be run', () => {
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  const testResults = [{ name: '/r/a.test.ts', status: 'failed', assertionResults: [] }];
  expect(outcomeOf({ ...none, testResults }, '/r/').failures).toEqual(['a.test.ts: could not be run']);
});

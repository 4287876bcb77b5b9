import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPlain, root, vouch } from './support/run-vouch.ts';

describe('vouch', () => {
  it('--version prints the version of its package', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string };
    expect(await vouch(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each(['extract', 'demo', 'lab', 'providers', 'route'])('%s --help gives options and an example', async (command) => {
    const ran = await vouch([command, '--help']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toContain(`Usage: vouch ${command}`);
    expect(ran.stdout).toMatch(new RegExp(`Examples?:\n {2}vouch ${command}`));
    expect(ran.stdout).toContain('--json');
  });

  it.each([[], ['extract'], ['demo'], ['lab'], ['providers'], ['route']])(
    'the help of %s fits a terminal of 80 columns',
    async (...command) => {
      const { stdout } = await vouch([...command, '--help']);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it('without a command: the manual on stderr, exit 2', async () => {
    const ran = await vouch([]);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('vouch demo');
  });

  it.each([
    ['extrct', 'Did you mean extract?'],
    ['provider', 'Did you mean providers?'],
    ['frobnicate', 'unknown command'],
  ])('an unknown command %s: exit 2 and what was meant', async (command, says) => {
    const ran = await vouch([command]);
    expect(ran.code).toBe(2);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ran.stderr).toContain(says);
    expect(isPlain(ran.stderr)).toBe(true);
  });
});

describe('vouch providers', () => {
  const canary = 'gsk-canary-90ab';

  it('[SG-038] [SG-021] lists the rows with source and date, says whether a key is set, and never shows it', async () => {
    const ran = await vouch(['providers'], { env: { GROQ_API_KEY: canary } });
    expect(ran.code).toBe(0);
    const rows = ran.stdout.split(/\n(?=\S)/);
    const groq = rows.find((row) => row.startsWith('groq '));
    expect(groq).toMatch(/^groq +https:\/\/api\.groq\.com\S+\n +GROQ_API_KEY: set\n +wire: openai-chat/);
    expect(groq).toMatch(/\n +(documented|measured), \d{4}-\d{2}-\d{2}$/);
    expect(rows.find((row) => row.startsWith('xai '))).toMatch(/\n +XAI_API_KEY: not set\n/);
    const unbuilt = rows.filter((row) => row.includes('not built yet'));
    expect(unbuilt.map((row) => row.split(' ')[0])).toEqual(['typesafe', 'openai-decisions']);
    expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toContain(canary);
    expect(ran.stdout).not.toContain('\u001b');
  });

  it('--json gives the same as one array', async () => {
    const ran = await vouch(['providers', '--json'], { env: { GROQ_API_KEY: canary } });
    const rows = JSON.parse(ran.stdout) as readonly { id: string; keySet: boolean; structuredOutput: unknown; models: readonly string[] }[];
    expect(rows.find(({ id }) => id === 'groq')).toMatchObject({
      keySet: true,
      keyVariables: ['GROQ_API_KEY'],
      structuredOutput: { tools: 'yes' },
    });
    expect(rows.find(({ id }) => id === 'openai')).toMatchObject({ keySet: false });
    expect(rows.find(({ id }) => id === 'groq')?.models.length).toBeGreaterThan(0);
    expect(ran.stdout).not.toContain(canary);
  });
});

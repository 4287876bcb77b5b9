import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { directoryOf, jsonLines, root } from './support/run-vouch.ts';

// From the source, by the loader that the command itself uses for TypeScript: no build is needed.
const start = `
import { createJiti } from ${JSON.stringify(import.meta.resolve('jiti'))};
await createJiti(import.meta.url, { fsCache: false }).import(${JSON.stringify(join(root, 'packages/cli/src/bin.ts'))});`;

async function runProcess(argv: readonly string[], cwd: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--conditions=@vouch/source', 'start.mjs', ...argv], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

const plain = "export default { type: 'object', properties: { pier: { type: 'integer' } } };";

// A process of its own compiles the sources first.
describe('the process', { timeout: 60_000 }, () => {
  it.each([
    ['ends the process', `process.exit(0); ${plain}`],
    ['never settles', `await new Promise(() => undefined); ${plain}`],
  ])('is no success when the schema module %s', async (_title, module) => {
    const cwd = await directoryOf({ 'start.mjs': start, 'schema.mjs': module, 'a.txt': 'Pier: 7' });
    const ran = await runProcess(['extract', '--schema', 'schema.mjs', 'a.txt'], cwd);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^vouch: ended before its work was done .+\n$/);
  });

  it('ends when its work is done, whatever the schema module left running', async () => {
    const cwd = await directoryOf({ 'start.mjs': start, 'schema.mjs': `setInterval(() => undefined, 1000); ${plain}`, 'a.txt': 'Pier: 7' });
    const ran = await runProcess(['extract', '--schema', 'schema.mjs', 'a.txt'], cwd);
    expect(ran.code).toBe(0);
    expect(jsonLines(ran.stdout)).toMatchObject([{ value: { pier: 7 } }]);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatWireId } from '@vouch/contracts';
import { startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { expect, it, onTestFinished } from 'vitest';
import { demoWires } from '../src/demo/wires.ts';
import { root } from './support/run-vouch.ts';

const readme = await readFile(join(root, 'packages/lab/README.md'), 'utf8');
/** The rows of its table of wires: wire, then what the first word of the last cell says. */
const rows = [...readme.matchAll(/^\| `([a-z-]+)` \|.*\| `lab\.(origin|baseUrl)(?: \+ '([^']*)')?`[^|]*\|$/gm)];

it('the table of base URLs names every wire of the lab', () => {
  expect(rows.map(([, wire]) => wire).sort()).toEqual([...demoWires].sort());
});

it.each(rows.map(([, wire, member, end = '']) => ({ wire: wire as ChatWireId, member, end })))(
  'a client of $wire gets its answer at lab.$member$end',
  async ({ wire, member, end }) => {
    const lab = await startLab();
    onTestFinished(() => lab.close());
    const baseUrl = (member === 'origin' ? lab.origin : lab.baseUrl) + end;
    const result = await createSignal({ baseUrl, adapter: wire, model: 'lab-reader' }).step({
      messages: [{ role: 'user', content: 'Pier: 7' }],
    });
    expect(result.content).toContain('Pier: 7');
    expect(lab.requests()).toMatchObject([{ wire, status: 200 }]);
  },
);

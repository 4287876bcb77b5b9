import { pathologies } from '@vouch/lab';
import { describe, expect, it } from 'vitest';
import { loadExamples } from '../src/demo/examples.ts';
import type { PlannedSlot } from '../src/demo/plan.ts';
import { type DemoRow, runDocument } from '../src/demo/run-document.ts';

const examples = await loadExamples();
const shown = pathologies.filter((pathology) => pathology.apply !== undefined);

// English and German, with and without numbers: some damage needs a letter or a number to show on.
const tried = ['incident-payments.txt', 'lieferschein-getraenke.txt'].flatMap((name) =>
  examples.filter(({ document }) => document === name),
);

/** The first channel and document on which the pathology shows. */
async function runRow(index: number): Promise<DemoRow | undefined> {
  const pathology = shown[index];
  if (pathology === undefined) return undefined;
  const delivery: PlannedSlot['delivery'] = pathology.delivery === 'parts' ? 'stream' : 'whole';
  const like = pathology.group === 'A' ? { like: 'groq' } : {};
  for (const example of tried) {
    for (const via of pathology.needs === 'tools' ? (['call'] as const) : (['content', 'grammar', 'call'] as const)) {
      const row = await runDocument(
        example,
        { pathology: pathology.id, wire: 'openai-chat', delivery, via, ...like },
        1,
        new AbortController().signal,
      );
      if (row.applied.length > 0) return row;
    }
  }
  return undefined;
}

// Not to be seen on an extraction: they need several calls in one turn, a tool without arguments, a forced tool, earlier calls, or line ends in a value.
const elsewhere = new Set(['B3', 'B10', 'B15', 'B16', 'B32', 'B33', 'B36', 'C26']);
const rows = shown.filter(({ id }) => !elsewhere.has(id));
const titled = (expectsFailure: boolean) =>
  rows
    .filter(({ expected }) => (expected === 'typed-failure') === expectsFailure)
    .map((row) => [`${row.group === 'S' ? 'sse' : 'path'}-${row.id}`, row.title, row.id, shown.indexOf(row)] as const);

describe.concurrent('every row of the catalogue, on a sample document', () => {
  it.each(titled(false))('[%s] %s gives the known value', async (_name, _title, id, index) => {
    expect(await runRow(index)).toMatchObject({ applied: [id], verdict: 'right' });
  });

  it.each(titled(true))('[%s] %s gives a failure', async (_name, _title, id, index) => {
    expect(await runRow(index)).toMatchObject({ applied: [id], verdict: 'typed-failure' });
  });

  it('[path-A13] [SG-007] groq-no-schema-support: a provider failure that names the parameter, and no other request', async () => {
    const row = await runRow(shown.findIndex(({ id }) => id === 'A13'));
    expect(row).toMatchObject({ applied: ['A13'], networkRetries: 0, corrections: 0 });
    expect(row?.outcome).toMatchObject({ failure: { kind: 'provider', evidence: { provider: { parameter: 'response_format' } } } });
  });
});

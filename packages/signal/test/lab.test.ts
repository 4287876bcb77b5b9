import { pathologies } from '@vouch/lab';
import { describe, it } from 'vitest';
import { deliveriesOf, expectRow } from './support/pathology-cases.ts';

const shown = pathologies.filter(({ apply, wires }) => apply !== undefined && wires.includes('openai-chat'));
const cases = shown.flatMap((pathology) =>
  deliveriesOf(pathology).map((delivery) => [pathology.id, pathology.title, delivery, pathology] as const),
);

describe('over a real server', () => {
  it.each(cases)('[SG-035] [SG-037] %s, %s, %s: what the catalogue expects, and no socket left', (_id, _title, delivery, pathology) =>
    expectRow(pathology, delivery, { dialect: 'groq', wire: ['failed-generation', 'jsonl-lines'] }),
  );
});

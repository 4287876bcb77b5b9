import { callArguments, callEndings, callIdentity } from './pathologies/call-streams.ts';
import { chunkShapes, contentShapes, textShapes } from './pathologies/content.ts';
import { serviceErrors, transportErrors } from './pathologies/errors.ts';
import { bodyFraming, eventFraming } from './pathologies/framing.ts';
import type { Pathology } from './pathologies/pathology.ts';
import { rejectedCalls } from './pathologies/rejected-calls.ts';
import { textCalls } from './pathologies/text-calls.ts';
import { messagesRows } from './pathologies/wires/anthropic.ts';
import { onMessages } from './pathologies/wires/anthropic-shared.ts';
import { geminiRows } from './pathologies/wires/gemini.ts';
import { ollamaRows } from './pathologies/wires/ollama.ts';

const rows: readonly Pathology[] = [
  ...rejectedCalls,
  ...textCalls,
  ...callIdentity,
  ...callArguments,
  ...callEndings,
  ...contentShapes,
  ...chunkShapes,
  ...textShapes,
  ...serviceErrors,
  ...transportErrors,
  ...messagesRows,
  ...geminiRows,
  ...ollamaRows,
  ...eventFraming,
  ...bodyFraming,
];

/** The whole catalogue: 160 rows A1 to G10, and the 27 framing cases S1 to S27. A row that no answer can show has no bytes. */
export const pathologies: readonly Pathology[] = rows.map(onMessages);

const byId = new Map(pathologies.map((pathology) => [pathology.id, pathology]));

/** The pathology with this id, such as `B19` or `S3`; undefined when there is none. */
export function pathologyById(id: string): Pathology | undefined {
  return byId.get(id);
}

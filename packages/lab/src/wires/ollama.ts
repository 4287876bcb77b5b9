import type { LabAnswer, RawReply } from '../answer.ts';
import { answerLines, callFault, wholeBody } from './ollama/answer.ts';
import { readOllamaRequest } from './ollama/request.ts';
import { jsonReply, type LabTarget, type LabWire } from './wire.ts';

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

/**
 * The /api/chat wire. Nothing that it issues is a proof of anything, so it takes any history that has its form, as the service does: thinking goes back
 * or not as the client likes, and no request is refused for it.
 */
export const ollama: LabWire = {
  id: 'ollama',
  takes: (path) => path === '/api/chat',
  read: readOllamaRequest,
  whole: (answer, request, frame) => unsayable(answer) ?? jsonReply(200, wholeBody(answer, request, frame), jsonType),
  parts: (answer, request, frame) => unsayable(answer) ?? ndjsonReply(answerLines(answer, request, frame).map(lineText)),
  refuse: ({ status, message }) => jsonReply(status, { error: message }, jsonType),
  models: listing,
};

function unsayable(answer: LabAnswer): RawReply | undefined {
  const error = callFault(answer);
  return error === undefined ? undefined : jsonReply(500, { error }, jsonType);
}

/** One object of a stream. */
export const lineText = (line: object): string => `${JSON.stringify(line)}\n`;

/** A stream of the given lines, each with its own end. */
export function ndjsonReply(lines: readonly string[], changes: Partial<RawReply> = {}): RawReply {
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, chunks: lines, ending: 'end', ...changes };
}

function listing(id: string, { path }: LabTarget): RawReply | undefined {
  const details = {
    parent_model: '',
    format: 'gguf',
    family: 'lab',
    families: ['lab'],
    parameter_size: '1B',
    quantization_level: 'Q4_K_M',
  };
  const model = { name: id, model: id, size: 1_000_000, digest: 'd'.repeat(64), details };
  if (path === '/api/tags') return jsonReply(200, { models: [{ ...model, modified_at: '2026-11-30T10:00:00Z' }] }, jsonType);
  if (path === '/api/ps') return jsonReply(200, { models: [{ ...model, expires_at: '2026-11-30T10:05:00Z', size_vram: 0 }] }, jsonType);
  return path === '/api/version' ? jsonReply(200, { version: '0.40.0' }, jsonType) : undefined;
}

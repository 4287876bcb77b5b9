import { isJsonObject, type JsonObject } from '@vouch/contracts';
import type { WireRefusal } from '../wire.ts';
import type { Content, ContentPart } from './contents.ts';
import { invalid } from './fault.ts';
import { type Seal, textDigest } from './seal.ts';

/** Stands in for the signature of a call that another model made. */
const skipped = 'skip_thought_signature_validator';

/** What a history is judged by. */
export interface Judging {
  readonly seal: Seal;
  readonly model: string;
  /** Models of this line ask for the signatures of the current turn's calls; others only look at those that come. */
  readonly demandsSignatures: boolean;
}

const found = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);
const callOf = ({ functionCall: call }: ContentPart): JsonObject | undefined => (isJsonObject(call) ? (call as JsonObject) : undefined);
const responseOf = ({ functionResponse: response }: ContentPart): JsonObject | undefined =>
  isJsonObject(response) ? (response as JsonObject) : undefined;

/**
 * Why the service refuses a history: results that do not answer the calls before them, a signature that was altered, is of another model or stands on
 * another part, and a first call of the current turn without one. Undefined when it takes it.
 */
export function historyFault(contents: readonly Content[], judging: Judging): WireRefusal | undefined {
  return pairingFault(contents) ?? signatureFault(contents, judging) ?? missingFault(contents, judging);
}

const counts =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

function pairingFault(contents: readonly Content[]): WireRefusal | undefined {
  for (const [index, { role, parts }] of contents.entries()) {
    const calls = role === 'model' ? parts.flatMap((part) => found(callOf(part))) : [];
    const next = contents[index + 1];
    if (calls.length > 0) {
      const responses = next === undefined ? [] : next.parts.flatMap((part) => found(responseOf(part)));
      const ids = new Set(calls.map(({ id }) => id));
      const strangers = responses.some(({ id }) => id !== undefined && !ids.has(id));
      if (responses.length !== calls.length || strangers) return invalid(counts);
      if (next?.role !== 'user' || responses.length !== next.parts.length)
        return invalid('Requests ending with a model turn are not supported.');
    }
    const before = contents[index - 1];
    const answersNothing = parts.some(responseOf) && !(before?.role === 'model' && before.parts.some(callOf));
    if (answersNothing) return invalid('Please ensure that function response turn comes immediately after a function call turn.');
  }
  return undefined;
}

function signatureFault(contents: readonly Content[], { seal, model }: Judging): WireRefusal | undefined {
  for (const { parts } of contents) {
    for (const part of parts) {
      const { thoughtSignature: signature } = part;
      if (typeof signature !== 'string' || signature === '' || signature === skipped) continue;
      const thought = seal.open(signature);
      if (thought === undefined) return invalid('Corrupted thought signature.');
      const call = callOf(part);
      const isOf = call === undefined ? textDigest(String(part.text ?? '')) : (call.id ?? thought.of);
      const misplaced = thought.of !== isOf || thought.of.startsWith('text ') !== (call === undefined);
      if (thought.model !== model || misplaced) return invalid('Invalid thought signature.');
    }
  }
  return undefined;
}

/** The current turn is what follows the last words of the user. */
function missingFault(contents: readonly Content[], { demandsSignatures }: Judging): WireRefusal | undefined {
  if (!demandsSignatures) return undefined;
  const begin = contents.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(responseOf));
  for (const [index, { role, parts }] of contents.entries()) {
    if (index <= begin || role !== 'model') continue;
    // Of parallel calls the first carries the signature.
    const first = parts.find(callOf);
    if (first === undefined || (typeof first.thoughtSignature === 'string' && first.thoughtSignature !== '')) continue;
    const name = String(callOf(first)?.name);
    return invalid(`Function call \`${name}\` in the ${index + 1}. content block is missing a \`thought_signature\`.`);
  }
  return undefined;
}

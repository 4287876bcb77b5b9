import { isJsonObject } from '@vouch/contracts';
import type { LabAnswer, LabReply } from './answer.ts';
import type { LabChatRequest } from './chat-request.ts';
import type { Pathology, PathologyContext } from './pathologies/pathology.ts';
import type { Random } from './random.ts';

/** A pathology with the share of the requests, 0 to 1, to which it is applied where it fits. */
export interface PathologyRate {
  readonly pathology: Pathology;
  readonly rate: number;
}

/** The reply that one pathology made of an answer. */
export interface Spoiled {
  readonly pathology: Pathology;
  readonly reply: LabReply;
}

/**
 * Draws at most one pathology for an answer: those that fit are put in a drawn order, and the first whose own draw falls below its rate is applied.
 * So one rate of 1 always applies, and several rates of 1 share the requests evenly.
 */
export function drawPathology(
  rates: readonly PathologyRate[],
  answer: LabAnswer,
  context: PathologyContext,
  random: Random,
): Spoiled | undefined {
  const left = rates.filter(({ pathology }) => fits(pathology, answer, context.request));
  while (left.length > 0) {
    const [drawn] = left.splice(random.below(left.length), 1);
    if (drawn === undefined || random.next() >= drawn.rate) continue;
    const reply = drawn.pathology.apply?.(answer, context);
    if (reply !== undefined) return { pathology: drawn.pathology, reply };
  }
  return undefined;
}

/** The pathology can show on this exchange. */
export function fits(pathology: Pathology, answer: LabAnswer, request: LabChatRequest): boolean {
  if (pathology.apply === undefined || !pathology.wires.some((wire) => wire === request.wire)) return false;
  if (pathology.delivery !== 'both' && (pathology.delivery === 'parts') !== request.stream) return false;
  switch (pathology.needs) {
    case 'any':
      return true;
    case 'tools':
      return answer.toolCalls.length > 0;
    case 'text':
      return answer.text !== null && answer.text !== '';
    case 'json':
      return answer.text !== null && isStructure(answer.text);
  }
}

function isStructure(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) || Array.isArray(value);
  } catch {
    return false;
  }
}

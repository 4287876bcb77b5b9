import { isJsonObject } from '@vouch/contracts';
import type { LabAnswer, LabReply } from './answer.ts';
import type { LabChatRequest } from './chat-request.ts';
import type { Fault, FaultRate } from './faults/fault.ts';
import { applyOf, type Pathology, type PathologyContext } from './pathologies/pathology.ts';
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

/** The first, in a drawn order, whose own draw falls below its rate, and of which `use` makes something. */
function drawFrom<Rated extends { readonly rate: number }, Made>(
  fitting: readonly Rated[],
  random: Random,
  use: (drawn: Rated) => Made | undefined,
): Made | undefined {
  const left = [...fitting];
  while (left.length > 0) {
    const [drawn] = left.splice(random.below(left.length), 1);
    if (drawn === undefined || random.next() >= drawn.rate) continue;
    const made = use(drawn);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** Draws at most one fault for a request, as `drawPathology` draws. Whether it can show on the reply is known only later. */
export function drawFault(rates: readonly FaultRate[], request: LabChatRequest, random: Random): FaultRate | undefined {
  const fitting = rates.filter(({ fault }) => reaches(fault, request));
  return drawFrom(fitting, random, (drawn) => drawn);
}

/** The fault can show on this request's wire and delivery. */
function reaches(fault: Fault, request: LabChatRequest): boolean {
  if (!fault.wires.some((wire) => wire === request.wire)) return false;
  return fault.delivery === 'both' || (fault.delivery === 'parts') === request.stream;
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
  const fitting = rates.filter(({ pathology }) => fits(pathology, answer, context.request));
  return drawFrom(fitting, random, ({ pathology }) => {
    const reply = applyOf(pathology, context.request.wire)?.(answer, context);
    return reply === undefined ? undefined : { pathology, reply };
  });
}

/** The pathology can show on this exchange. */
export function fits(pathology: Pathology, answer: LabAnswer, request: LabChatRequest): boolean {
  if (applyOf(pathology, request.wire) === undefined) return false;
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

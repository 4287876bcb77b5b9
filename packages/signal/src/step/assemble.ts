import {
  assertNever,
  type CallMetadata,
  createToolCallAssembler,
  type FunctionCallDelta,
  type ModelPart,
  type StepStreamEvent,
  type ThinkingBlock,
  type ToolCallAssembler,
  type WithheldPart,
} from '@vouch/contracts';
import type { WireCall } from '../wire/router.ts';
import { countSpace, isRunaway, type TrailingSpace } from './white-space.ts';

type Place = { readonly type: 'call-place'; readonly id: string };

/** The turn of one model call while its parts arrive. */
export interface Turn {
  content: string;
  refusal: string | undefined;
  metadata: Omit<CallMetadata, 'type'>;
  /** Made with the first fragment of a call. */
  assembler: ToolCallAssembler | undefined;
  readonly createAssembler: () => ToolCallAssembler;
  /** Neighbouring deltas joined; a call holds its place, and its text is filled in at the end. */
  readonly parts: (ModelPart | Place)[];
  /** The calls that have their place. */
  placed: Set<string> | undefined;
  /** Carries of earlier turns that the request left out. */
  readonly withheld: Omit<WithheldPart, 'type'>[];
  /** A block ended: the next delta of the same kind begins a new one. */
  blockEnded: boolean;
  readonly contentSpace: TrailingSpace;
  readonly callSpace: TrailingSpace;
  /** It was ended because nothing but white space came (C9). */
  endedEarly: boolean;
  /** The provider's whole response, where it was asked for. */
  providerRef: unknown;
}

const noMetadata: Turn['metadata'] = {};
const noCalls: readonly WireCall[] = [];
const noThinking: readonly ThinkingBlock[] = [];

/** Begins a turn of a request with these tools. */
export function createTurn(newCallId: () => string, declaredNames: readonly string[]): Turn {
  return {
    content: '',
    refusal: undefined,
    metadata: noMetadata,
    assembler: undefined,
    createAssembler: () => createToolCallAssembler({ identity: 'tolerant', newCallId, declaredNames }),
    parts: [],
    withheld: [],
    placed: undefined,
    blockEnded: false,
    contentSpace: { chars: 0, inString: false },
    callSpace: { chars: 0, inString: false },
    endedEarly: false,
    providerRef: undefined,
  };
}

/** Takes the next part; adds the events that show it to `events`. */
export function takePart(turn: Turn, part: ModelPart, events: StepStreamEvent[]): void {
  switch (part.type) {
    case 'text-delta':
      turn.content += part.text;
      countSpace(turn.contentSpace, part.text);
      join(turn, part);
      if (part.text !== '') events.push({ type: 'text', text: part.text });
      return;
    case 'thinking-delta':
      join(turn, part);
      if (part.text !== '') events.push({ type: 'reasoning', text: part.text });
      return;
    case 'refusal-delta':
      turn.refusal = (turn.refusal ?? '') + part.text;
      join(turn, part);
      return;
    case 'function-call-delta':
      takeCall(turn, part, events);
      return;
    case 'call-metadata': {
      const { type: _type, ...facts } = part;
      turn.metadata = turn.metadata === noMetadata ? facts : { ...turn.metadata, ...facts };
      return;
    }
    case 'withheld': {
      const { type: _type, ...facts } = part;
      turn.withheld.push(facts);
      return;
    }
    case 'carry':
    case 'thinking-block':
    case 'logprobs':
      turn.parts.push(part);
      return;
    case 'block-start':
    case 'block-end':
      turn.blockEnded = true;
      return;
    case 'provider-chunk':
      events.push({ type: 'provider_chunk', chunk: part.chunk });
      return;
    case 'provider-response':
      turn.providerRef = part.response;
      return;
    default:
      assertNever(part);
  }
}

type TextDelta = Extract<ModelPart, { readonly type: 'text-delta' | 'thinking-delta' | 'refusal-delta' }>;

interface GrowingText {
  text: string;
}

function join(turn: Turn, part: TextDelta): void {
  if (part.text === '') return;
  const last = turn.parts[turn.parts.length - 1];
  // The turn's own copy grows: a new part for each delta would be most of what a delta costs.
  if (last?.type === part.type && !turn.blockEnded && last.blockId === part.blockId) (last as GrowingText).text += part.text;
  else turn.parts.push({ ...part });
  turn.blockEnded = false;
}

function takeCall(turn: Turn, part: FunctionCallDelta, events: StepStreamEvent[]): void {
  turn.assembler ??= turn.createAssembler();
  turn.placed ??= new Set();
  const fragment = turn.assembler.accept(part);
  if (fragment === undefined) return;
  const { index, id, name, argumentsDelta } = fragment;
  countSpace(turn.callSpace, argumentsDelta);
  const first = !turn.placed.has(id);
  if (first) {
    turn.placed.add(id);
    turn.parts.push({ type: 'call-place', id });
  }
  events.push({
    type: 'tool_call_delta',
    index,
    ...(first ? { id } : {}),
    ...(name === undefined ? {} : { name }),
    argsText: argumentsDelta,
  });
}

/**
 * The model writes nothing but white space any more, in an answer that is to be JSON or in a call's arguments (C9). A turn whose end came is whole,
 * and what it holds is the router's to judge.
 */
export function runsAway(turn: Turn, isJson: boolean): boolean {
  if (turn.metadata.finishReason !== undefined || turn.metadata.terminated === true) return false;
  if (isRunaway(turn.callSpace, () => callsOf(turn).at(-1)?.argsText ?? '')) return true;
  return isJson && isRunaway(turn.contentSpace, () => turn.content);
}

/** Ends a turn that runs away, as the provider's output limit would have. */
export function endEarly(turn: Turn): void {
  turn.endedEarly = true;
  turn.metadata = { ...turn.metadata, finishReason: 'length' };
}

/** The calls as assembled, in order. */
export function callsOf(turn: Turn): readonly WireCall[] {
  return turn.assembler?.complete().calls ?? noCalls;
}

/** Text, a refusal or a call has come: a cut is then a truncation (SG-081). */
export function hasAnswer(turn: Turn): boolean {
  return turn.content !== '' || (turn.refusal ?? '') !== '' || callsOf(turn).length > 0;
}

/** The turn's parts, each call whole. */
export function partsOf(turn: Turn): readonly ModelPart[] {
  // No place without an assembler.
  if (turn.assembler === undefined) return turn.parts as readonly ModelPart[];
  const calls = new Map(callsOf(turn).map((call, index) => [call.id, { ...call, index }]));
  const wholeCall = (id: string): readonly ModelPart[] => {
    const call = calls.get(id);
    calls.delete(id);
    if (call === undefined) return [];
    return [{ type: 'function-call-delta', index: call.index, id, name: call.name, arguments: call.argsText, whole: true }];
  };
  const inOrder = turn.parts.flatMap((part) => (part.type === 'call-place' ? wholeCall(part.id) : [part]));
  // A call that never showed, such as one without a name, stands last.
  return [...inOrder, ...[...calls.keys()].flatMap(wholeCall)];
}

const isThinking = ({ type }: ModelPart): boolean => type === 'thinking-block' || type === 'thinking-delta';

/** The reasoning in response order: the wire's own blocks, and one for each unbroken run of deltas that belong to none of them (TH-013). */
export function thinkingOf(parts: readonly ModelPart[]): readonly ThinkingBlock[] {
  if (!parts.some(isThinking)) return noThinking;
  const whole = new Set(parts.flatMap((part) => (part.type === 'thinking-block' ? [part.blockId] : [])));
  return parts.flatMap((part) => {
    if (part.type === 'thinking-block') return [part.block];
    if (part.type !== 'thinking-delta' || (part.blockId !== undefined && whole.has(part.blockId))) return [];
    return [{ type: 'thinking' as const, content: part.text }];
  });
}

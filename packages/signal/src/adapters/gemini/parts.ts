import { type Carry, type IdSource, isJsonObject, type JsonObject, type JsonValue, type ModelPart } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { createPartCarrier, type PartCarrier } from '../../reasoning/gemini-parts.ts';
import { type BlockWriter, createBlockWriter } from '../openai-responses/blocks.ts';
import { objectOr } from '../response/json-object.ts';
import { sliceItems, sliceJson } from '../response/json-slice.ts';
import { isTooDeep } from './struct.ts';

/** What the reading of parts needs. */
export interface PartReaderOptions {
  readonly source: CarrySource;
  readonly ids: IdSource;
  /** What a contradiction is thrown as. */
  readonly contradiction: (message: string) => Error;
}

/** Reads the parts of one response, however many of them each event brings. */
export interface PartReader {
  /** `raw`: the source text of the list, where there is one. */
  read(parts: readonly JsonValue[], raw: () => string | undefined): readonly ModelPart[];
  end(): readonly ModelPart[];
  /** Text, a thought, a call or anything else came. */
  began(): boolean;
  calls(): boolean;
}

type SpokenKind = 'text' | 'thinking';

interface State {
  /** The run of unsigned text or thoughts that goes on. */
  run: { readonly kind: SpokenKind; readonly blockId: string } | undefined;
  began: boolean;
  calls: number;
  /** What each id that the server gave was a call of. */
  readonly callsById: Map<string, string>;
}

interface Context extends PartReaderOptions {
  readonly blocks: BlockWriter;
  readonly carrier: PartCarrier;
  readonly state: State;
  readonly into: ModelPart[];
}

/**
 * A reader for one response. Neighbours without a signature are one block, as a stream cuts them anywhere; a part with a signature is a block of its own,
 * because it must go back unjoined (TH-014).
 */
export function createPartReader(options: PartReaderOptions): PartReader {
  const blocks = createBlockWriter();
  const carrier = createPartCarrier(options.source);
  const state: State = { run: undefined, began: false, calls: 0, callsById: new Map() };
  return {
    read(parts, raw) {
      const into: ModelPart[] = [];
      const context: Context = { blocks, carrier, state, into, ...options };
      let sources: readonly string[] | undefined;
      for (const [place, value] of parts.entries()) {
        if (!isJsonObject(value)) continue;
        const part = value as JsonObject;
        if (isJsonObject(part.functionCall)) {
          sources ??= sliceItems(raw() ?? '');
          readCall(part, sources[place], context);
        } else readOther(part, context);
      }
      return into;
    },
    end() {
      const into: ModelPart[] = [];
      blocks.end(into);
      for (const carry of carrier.end()) into.push({ type: 'carry', carry });
      return into;
    },
    began: () => state.began,
    calls: () => state.calls > 0,
  };
}

const isSigned = (part: JsonObject): boolean => typeof part.thoughtSignature === 'string' && part.thoughtSignature !== '';

const carryAll = ({ into }: Context, carries: readonly Carry[]): void => {
  for (const carry of carries) into.push({ type: 'carry', carry });
};

/** A carry must go through JSON and back to the server, so what is too deep for either is no answer of this wire. */
function checkDepth(data: JsonValue, { contradiction }: Context): void {
  if (isTooDeep(data)) throw contradiction('A part of the response is nested too deeply to be sent back.');
}

function readOther(part: JsonObject, context: Context): void {
  const { state, into, blocks } = context;
  const kind: SpokenKind = part.thought === true ? 'thinking' : 'text';
  if (typeof part.text === 'string' && part.text !== '') {
    speak(part, part.text, kind, context);
    return;
  }
  const bare = part.text !== undefined || Object.keys(part).every((key) => key === 'thought' || key === 'thoughtSignature');
  if (bare && !isSigned(part)) return;
  // Nothing shows it: a signature that closes a text, a picture, code that a hosted tool ran. What follows it is not joined to what went before.
  if (!bare) state.began = true;
  blocks.end(into);
  state.run = undefined;
  checkDepth(part, context);
  carryAll(context, context.carrier.hidden(bare ? { text: '', ...part } : part));
}

function speak(part: JsonObject, text: string, kind: SpokenKind, context: Context): void {
  const { state, into, blocks, carrier, ids } = context;
  state.began = true;
  const signed = isSigned(part);
  let { run } = state;
  if (signed || run === undefined || run.kind !== kind) {
    run = { kind, blockId: ids('item') };
    blocks.end(into);
    carryAll(context, carrier.begins({ kind: 'item', id: run.blockId }));
  }
  blocks.text(into, kind, { key: run.blockId, blockId: run.blockId }, text);
  state.run = signed ? undefined : run;
  if (!signed) return;
  blocks.end(into);
  if (kind === 'thinking') {
    const content = text.replace(/\p{Surrogate}/gu, '\uFFFD');
    const block = { type: 'thinking', content, signature: String(part.thoughtSignature) } as const;
    into.push({ type: 'thinking-block', blockId: run.blockId, block });
  }
  checkDepth(part, context);
  carryAll(context, [carrier.own({ kind: 'item', id: run.blockId }, part)]);
}

function readCall(part: JsonObject, source: string | undefined, context: Context): void {
  const { state, into, blocks, carrier, ids, contradiction } = context;
  const call = objectOr(part.functionCall);
  if (call.willContinue === true || Array.isArray(call.partialArgs))
    throw contradiction('The arguments of a call came in pieces, which is not supported. Leave streamFunctionCallArguments out.');
  state.began = true;
  state.run = undefined;
  const name = typeof call.name === 'string' ? call.name : '';
  const text = argumentsText(call.args, source, contradiction);
  const said = `${name} ${text}`;
  const earlier = typeof call.id === 'string' && call.id !== '' ? state.callsById.get(call.id) : undefined;
  // The same call under the same id is the event once more, and must not run twice.
  if (earlier === said) return;
  const given = typeof call.id === 'string' && call.id !== '' && earlier === undefined ? call.id : undefined;
  const id = given ?? ids('call');
  state.callsById.set(id, said);
  blocks.end(into);
  const owner: Carry['owner'] = { kind: 'call', id };
  carryAll(context, carrier.begins(owner));
  blocks.call(into, id);
  into.push({
    type: 'function-call-delta',
    index: state.calls,
    id,
    ...(name === '' ? {} : { name }),
    arguments: text,
    whole: true,
  });
  state.calls += 1;
  blocks.end(into);
  const own = carrier.own(owner, part);
  checkDepth(own.data, context);
  carryAll(context, [own]);
}

/** The arguments as they stand in the source: encoding them anew would lose the digits of long numbers. */
function argumentsText(args: JsonValue | undefined, source: string | undefined, contradiction: (message: string) => Error): string {
  if (args === undefined || args === null) return '{}';
  if (typeof args === 'string') return args;
  const sliced = source === undefined ? undefined : sliceJson(source, ['functionCall', 'args']);
  if (sliced !== undefined) return sliced;
  try {
    return JSON.stringify(args);
  } catch {
    throw contradiction('The arguments of a call are nested too deeply to be read.');
  }
}

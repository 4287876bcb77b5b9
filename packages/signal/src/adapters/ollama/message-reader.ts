import type { Carry, FunctionCallDelta, IdSource, JsonObject, JsonValue, ModelPart } from '@vouch/contracts';
import type { CarrySource } from '../../reasoning/chat-reasoning.ts';
import { thinkingCarry } from '../../reasoning/ollama.ts';
import { createThinkSplitter } from '../../reasoning/think-tags.ts';
import { createBlockWriter } from '../openai-responses/blocks.ts';
import { objectOr } from '../response/json-object.ts';
import { sliceItems, sliceJson } from '../response/json-slice.ts';

/** Reads the messages of one response. */
export interface MessageReader {
  /** `raw`: the event's source text, where there is one, and where the message stands in it. */
  read(message: JsonObject, place: { readonly raw: string | undefined; readonly path: readonly string[] }): readonly ModelPart[];
  end(): readonly ModelPart[];
  /** Text, thinking or a call came. */
  began(): boolean;
  calls(): boolean;
}

interface Stretch {
  readonly kind: 'text' | 'thinking';
  readonly blockId: string;
  /** The pieces as they came. */
  readonly pieces: string[];
}

/**
 * A reader for one response. Text and thinking are pieces, calls are whole and each is one of its own, whatever id and index it claims, but for one that says the same once more. What the
 * model wrote between tags at the beginning of its text is thinking, as it is when the server parts it from the text.
 */
export function createMessageReader({ source, ids }: { readonly source: CarrySource; readonly ids: IdSource }): MessageReader {
  const blocks = createBlockWriter();
  const think = createThinkSplitter();
  const carries: Carry[] = [];
  let stretch: Stretch | undefined;
  let began = false;
  let calls = 0;
  const isRepeated = repetitions();

  const close = (): void => {
    if (stretch?.kind === 'thinking') carries.push(thinkingCarry(stretch.blockId, stretch.pieces.join(''), source));
    stretch = undefined;
  };
  const say = (into: ModelPart[], kind: Stretch['kind'], text: string): void => {
    if (text === '') return;
    began = true;
    if (stretch?.kind !== kind) {
      close();
      stretch = { kind, blockId: ids('block'), pieces: [] };
    }
    if (kind === 'thinking') stretch.pieces.push(text);
    blocks.text(into, kind, { key: stretch.blockId, blockId: stretch.blockId }, text);
  };
  const call = (into: ModelPart[], delta: FunctionCallDelta): void => {
    close();
    began = true;
    calls += 1;
    blocks.call(into, `call ${calls}`);
    into.push(delta);
  };
  return {
    read(message, { raw, path }) {
      const parts: ModelPart[] = [];
      const { thinking, content, tool_calls } = message;
      if (typeof thinking === 'string') say(parts, 'thinking', thinking);
      if (typeof content === 'string' && content !== '') for (const piece of think.push(content)) say(parts, piece.kind, piece.text);
      if (Array.isArray(tool_calls) && tool_calls.length > 0) {
        const source = raw === undefined ? undefined : sliceJson(raw, [...path, 'tool_calls']);
        const items = source === undefined ? [] : sliceItems(source);
        for (const [position, entry] of (tool_calls as readonly JsonValue[]).entries()) {
          const delta = readCall(objectOr(entry), items[position], { index: calls, ids });
          if (delta !== undefined && !isRepeated(objectOr(entry).id, delta)) call(parts, delta);
        }
      }
      return parts;
    },
    end() {
      const parts: ModelPart[] = [];
      for (const piece of think.end()) say(parts, piece.kind, piece.text);
      close();
      blocks.end(parts);
      return [...parts, ...carries.map((carry) => ({ type: 'carry', carry }) as const)];
    },
    began: () => began,
    calls: () => calls > 0,
  };
}

/** Tells whether a call says the same as an earlier one under the same id of the server's: then it is the line once more, and must not run twice. */
function repetitions(): (given: JsonValue | undefined, call: FunctionCallDelta) => boolean {
  const callsById = new Map<string, string>();
  return (given, { id, name, arguments: text }) => {
    if (given !== id || id === undefined) return false;
    const said = `${name} ${text}`;
    if (callsById.get(id) === said) return true;
    callsById.set(id, said);
    return false;
  };
}

/** One whole call; undefined for an entry that says nothing. `raw`: its source text. */
function readCall(
  entry: JsonObject,
  raw: string | undefined,
  given: { readonly index: number; readonly ids: IdSource },
): FunctionCallDelta | undefined {
  const body = objectOr(entry.function);
  const name = typeof body.name === 'string' && body.name !== '' ? body.name : undefined;
  const text = argumentsText(body.arguments, raw);
  if (name === undefined && text === undefined) return undefined;
  // Older servers give no id.
  const id = typeof entry.id === 'string' && entry.id !== '' ? entry.id : given.ids('call');
  return {
    type: 'function-call-delta',
    index: given.index,
    id,
    ...(name === undefined ? {} : { name }),
    ...(text === undefined ? {} : { arguments: text }),
    whole: true,
  };
}

/** The arguments as they stand in the source: encoding them anew would lose the digits of long numbers. */
function argumentsText(value: JsonValue | undefined, raw: string | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return (raw === undefined ? undefined : sliceJson(raw, ['function', 'arguments'])) ?? JSON.stringify(value);
}

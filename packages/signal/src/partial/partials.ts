import { configurationError, type JsonSchema, type JsonValue, type StreamEvent } from '@vouch/contracts';
import { createPartialReader, type PartialReader, type PartialReaderOptions } from './reader.ts';

/**
 * The value as far as it is written: what was shown before is part of it, until a `retry` event. Its type is not the run's: it is what the model
 * writes, the input side of the schema, with members missing and before any default or transform.
 */
export interface PartialEvent {
  readonly type: 'partial';
  readonly value: JsonValue;
}

/** How a run carries its value on the wire; a run's stream states it under `partialSource`. */
export interface PartialSource {
  /** The tool whose arguments are the value. */
  readonly outputTool?: string;
  /** The value stands under this key of a wrapper. */
  readonly rootKey?: string;
  /** Names of members whose null means absent. */
  readonly absentAsNull?: readonly string[];
  /** Schema of what is written, wrapper included. */
  readonly jsonSchema?: JsonSchema;
}

/** Where a stream states its `PartialSource`; a function, because it is known once the request is made. */
export const partialSource: unique symbol = Symbol('vouch.partialSource');

/** A stream of run events, with or without a statement of its source. */
export type PartialInput<Value> = AsyncIterable<StreamEvent<Value>> & { readonly [partialSource]?: () => PartialSource };

interface Attempt {
  readonly readers: Map<string, PartialReader>;
  /** The channel whose value is shown: the first that gave one. */
  shown: string | undefined;
  readonly outputCalls: Set<number>;
}

const newAttempt = (): Attempt => ({ readers: new Map(), shown: undefined, outputCalls: new Set() });

/**
 * Adds `partial` events to a run's events, after the delta that made them (SG-083). The text's own value, before any repair, default or
 * transform, as far as the schema allows it: `done` has the value that counts. After a `retry` everything shown is void. When a turn that had begun to show a value becomes a
 * tool turn, no more partials come until `retry` or the end, since nothing may be retracted.
 */
export async function* partials<Value>(
  stream: PartialInput<Value>,
  options?: PartialReaderOptions,
): AsyncGenerator<StreamEvent<Value> | PartialEvent, void, undefined> {
  if (typeof (stream as Partial<PartialInput<Value>> | null)?.[Symbol.asyncIterator] !== 'function') {
    throw configurationError('E_CONFIGURATION', 'partials() takes client.stream(…), or another stream of run events.');
  }
  let attempt = newAttempt();
  let held = false;
  let latest: JsonValue | undefined;
  for await (const event of stream) {
    yield event;
    if (event.type === 'retry') {
      attempt = newAttempt();
      held = false;
      latest = undefined;
    } else if (event.type === 'tool_start') {
      held ||= latest !== undefined;
      attempt = newAttempt();
    } else if (!held) {
      const value = readEvent(attempt, event, stream[partialSource]?.() ?? {}, options);
      if (value !== undefined && value !== latest) {
        latest = value;
        yield { type: 'partial', value };
      }
    }
  }
}

function readEvent<Value>(
  attempt: Attempt,
  event: StreamEvent<Value>,
  source: PartialSource,
  options: PartialReaderOptions | undefined,
): JsonValue | undefined {
  const channel = channelOf(attempt, event, source);
  if (channel === undefined || (attempt.shown !== undefined && attempt.shown !== channel.name)) return undefined;
  let reader = attempt.readers.get(channel.name);
  if (reader === undefined) {
    const { absentAsNull, jsonSchema } = source;
    const stated = { ...(absentAsNull === undefined ? {} : { absentAsNull }), ...(jsonSchema === undefined ? {} : { jsonSchema }) };
    reader = createPartialReader({ ...stated, ...options });
    attempt.readers.set(channel.name, reader);
  }
  const value = unwrap(reader.push(channel.text), source.rootKey);
  if (value !== undefined) attempt.shown = channel.name;
  return value;
}

function channelOf<Value>(
  attempt: Attempt,
  event: StreamEvent<Value>,
  source: PartialSource,
): { readonly name: string; readonly text: string } | undefined {
  if (event.type === 'text') return { name: 'text', text: event.text };
  if (event.type !== 'tool_call_delta' || source.outputTool === undefined) return undefined;
  if (event.name === source.outputTool) attempt.outputCalls.add(event.index);
  return attempt.outputCalls.has(event.index) ? { name: `call ${event.index}`, text: event.argsText } : undefined;
}

function unwrap(value: JsonValue | undefined, rootKey: string | undefined): JsonValue | undefined {
  if (rootKey === undefined || value === undefined) return value;
  // The wrapper's only member is the value; an answer without the wrapper is shown by `done` alone.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, rootKey) ? (value as { readonly [key: string]: JsonValue })[rootKey] : undefined;
}

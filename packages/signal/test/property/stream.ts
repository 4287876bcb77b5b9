import { type FinishReason, SignalError, type StepOutcome } from '@vouch/contracts';
import { createSignal } from '../../src/client.ts';
import type { DerivedCase } from './derive.ts';
import { createRandom, type Random } from './draw/random.ts';
import type { Deliver } from './property.ts';

/** Of one text, so that a long one does not take the time of many short ones. */
const mostPieces = 60;

/** A text in pieces, cut anywhere between UTF-16 units: JSON escapes the half of a pair, so each piece is a valid delta. */
function pieces(text: string, random: Random): readonly string[] {
  const longest = Math.max(random.pick([1, 3, 8, 40, 400]), Math.ceil(text.length / mostPieces));
  const out: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + random.below(longest);
    out.push(text.slice(at, end));
    at = end;
  }
  return out.length === 0 ? [''] : out;
}

const chunk = (delta: unknown, finish: string | null): string =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

function callDeltas(name: string, args: string, random: Random): readonly unknown[] {
  const [first = '', ...rest] = pieces(args, random);
  const head = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: first } }] };
  return [head, ...rest.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] }))];
}

/** The response as the chat wire sends it, as one text. */
function eventStream(derived: DerivedCase, random: Random): string {
  const { state } = derived;
  const line = random.pick(['\n', '\n', '\r\n']);
  const called = state.channel === 'arguments' && state.exitTool !== undefined;
  const deltas = called ? callDeltas(state.exitTool, state.text, random) : pieces(state.text, random).map((content) => ({ content }));
  const events = [chunk({ role: 'assistant' }, null), ...deltas.map((delta) => chunk(delta, null))];
  const finish: FinishReason = state.finish;
  if (finish !== 'unknown') events.push(chunk({}, finish));
  const done = state.terminated && (finish === 'unknown' || random.chance(0.9)) ? ['[DONE]'] : [];
  const comment = random.chance(0.2) ? `: keep-alive${line}${line}` : '';
  return comment + [...events, ...done].map((data) => `data:${random.pick([' ', ' ', ''])}${data}${line}${line}`).join('');
}

/** Bytes in chunks that respect neither characters nor events. */
function byteChunks(bytes: Uint8Array, random: Random): readonly Uint8Array[] {
  const longest = Math.max(random.pick([1, 7, 60, 1_000, 100_000]), Math.ceil(bytes.length / (8 * mostPieces)));
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(longest);
    out.push(bytes.slice(at, end));
    at = end;
  }
  return out;
}

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const bytes = chunks[next];
      next += 1;
      if (bytes === undefined) controller.close();
      else controller.enqueue(bytes);
    },
  });
}

/** Delivers a case over the client, the chat wire and its bytes (SG-065: any chunking). */
export const deliverByStream: Deliver = async (derived, _response, contract): Promise<StepOutcome> => {
  const random = createRandom(derived.seed ^ 0x0005_7e4d, derived.index);
  const bytes = new TextEncoder().encode(eventStream(derived, random));
  const fetch: typeof globalThis.fetch = async () =>
    new Response(bodyOf(byteChunks(bytes, random)), { status: 200, headers: { 'content-type': 'text/event-stream' } });
  const client = createSignal(
    { baseUrl: 'http://provider.invalid/v1', apiKey: 'key', model: 'm' },
    { fetch, options: { network: { retries: 0 } } },
  );
  const { gate, declared, exitTool, envelope } = contract;
  const output =
    gate === undefined
      ? undefined
      : { accept: gate, ...(exitTool === undefined ? {} : { outputTool: exitTool }), ...(envelope === undefined ? {} : { envelope }) };
  try {
    const events = client.stepStream({
      messages: [{ role: 'user', content: 'Answer.' }],
      tools: declared,
      ...(output === undefined ? {} : { output }),
    });
    for await (const event of events) if (event.type === 'done' && event.result.outcome !== undefined) return event.result.outcome;
    throw new Error('The stream ended without an outcome.');
  } catch (error) {
    if (error instanceof SignalError) return { kind: 'failed', failure: error.failure };
    throw error;
  }
};

import type { Capabilities, ChatWireId, JsonValue, TryResult } from '@vouch/contracts';
import { type Lab, pathologyById, reader, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import type { Example } from './examples.ts';
import type { PlannedSlot, WireSlot } from './plan.ts';
import { judge, type Outcome, type Verdict } from './verdict.ts';
import { addressOn } from './wires.ts';

/** One document of the demo, done. */
export interface DemoRow {
  readonly document: string;
  /** The pathology that the wire was told to show; absent for a clean one. */
  readonly pathology?: { readonly id: string; readonly title: string; readonly expected: string };
  /** The pathologies that it did show. */
  readonly applied: readonly string[];
  readonly wire: ChatWireId;
  readonly delivery: 'whole' | 'stream';
  /** The rung of the repair ladder that gave the value. */
  readonly rung?: string;
  /** Repair mechanisms, each once, in order. */
  readonly mechanisms: readonly string[];
  /** The strategy that recovered an answer from a provider's error. */
  readonly recovered?: string;
  readonly networkRetries: number;
  readonly corrections: number;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
}

// A busy machine may pause for seconds, and that is no fault of a wire; where silence is what is shown, it must not hold the demo up. Milliseconds.
const idleMs = 8_000;
const idleOnStallMs = 400;
/** The pathologies that fall silent before their end. */
const stalls: ReadonlySet<string> = new Set(['D22', 'D23', 'S21']);
const longestWaitMs = 300;

/** Extracts one document through a lab of its own. */
export async function runDocument(example: Example, slot: PlannedSlot, seed: number, signal: AbortSignal): Promise<DemoRow> {
  const pathology = slot.pathology === undefined ? undefined : pathologyById(slot.pathology);
  const lab = await startLab({
    model: reader(),
    seed,
    ...(pathology === undefined ? {} : { pathologies: [{ id: pathology.id, rate: 1 }] }),
  });
  try {
    const result = await ask(lab, example, slot, signal);
    const reports = result.ok ? result.meta.wire : result.failure.evidence.attempts.flatMap((attempt) => attempt.wire ?? []);
    const outcome: Outcome = result.ok ? { value: result.response as JsonValue } : { failure: result.failure };
    const rung = reports.at(-1)?.rung;
    const recovered = reports.at(-1)?.recovered?.strategy;
    return {
      document: example.document,
      ...(pathology === undefined ? {} : { pathology: { id: pathology.id, title: pathology.title, expected: pathology.expected } }),
      applied: [...new Set(lab.requests().flatMap((request) => request.applied))],
      wire: slot.wire,
      delivery: slot.delivery,
      ...(rung === undefined ? {} : { rung }),
      mechanisms: [...new Set(reports.flatMap((report) => report.edits.map((edit) => edit.mechanism)))],
      ...(recovered === undefined ? {} : { recovered }),
      ...tries(lab),
      outcome,
      verdict: judge(outcome, example.answer, pathology?.expected !== 'typed-failure'),
    };
  } finally {
    await lab.close();
  }
}

const channels: { readonly [Via in WireSlot['via']]: Partial<Capabilities> } = {
  content: { nativeTools: 'no', nativeJsonSchema: 'no' },
  grammar: { nativeTools: 'no', nativeJsonSchema: 'yes' },
  call: { nativeTools: 'yes', nativeJsonSchema: 'no', validatesToolArgs: 'no', manglesNestedToolArgs: 'no' },
};

/** Corrections are off, so that a row shows what one answer gave. */
async function ask(lab: Lab, { text, schema }: Example, slot: PlannedSlot, signal: AbortSignal): Promise<TryResult<unknown>> {
  const idle = slot.pathology !== undefined && stalls.has(slot.pathology) ? idleOnStallMs : idleMs;
  const client = createSignal({
    baseUrl: addressOn(lab, slot.wire),
    adapter: slot.wire,
    model: 'lab-reader',
    capabilities: channels[slot.via],
    ...(slot.like === undefined ? {} : { dialect: slot.like }),
  })
    .schema(schema)
    .retries(0)
    .options({ signal, timeout: { idle, firstByte: 10 * idleMs }, network: { maxDelay: longestWaitMs } });
  if (slot.delivery === 'whole') return client.tryComplete(text);
  for await (const event of client.stream(text)) {
    if (event.type === 'done') return { ok: true, response: event.response, history: event.history, meta: event.meta };
    if (event.type === 'error') return { ok: false, failure: event.failure };
  }
  throw new Error('the stream ended without done or error');
}

/** A request whose body came before was sent again by the network layer; a new body is a correction. */
function tries(lab: Lab): Pick<DemoRow, 'networkRetries' | 'corrections'> {
  const bodies = lab.requests().map((request) => JSON.stringify(request.body));
  const distinct = new Set(bodies).size;
  return { networkRetries: bodies.length - distinct, corrections: Math.max(0, distinct - 1) };
}

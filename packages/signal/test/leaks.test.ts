import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from '@vouch/contracts';
import { type ManualClock, manualClock } from '@vouch/contracts/testing';
import { type Lab, type LabReply, type RawReply, scripted, startLab } from '@vouch/lab';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSignal, defineTool, type Signal } from '../src/index.ts';
import { plain } from './support/clients.ts';
import { streamEvents, type Turn } from './support/stub-server.ts';

const runs = 10_000;
const atOnce = 24;

/** Where a run is ended. The lab stalls at that point, so that nothing else can end it first. */
const points = [
  'before the head',
  'in the body',
  'in the arguments',
  'in a tool',
  'in a retry',
  'after the end',
  'left early',
  'by timeout',
] as const;
type Point = (typeof points)[number];
const verbs = ['stream', 'stepStream', 'tryComplete'] as const;
type Verb = (typeof verbs)[number];

/** One run, as the lab knows it by the text of its message. */
interface Run {
  readonly id: string;
  readonly point: Point;
  readonly verb: Verb;
  readonly clock: ManualClock;
  readonly controller: AbortController;
  /** Points that have been reached; a run that never reaches its own shows nothing. */
  reached: boolean;
}

const byId = new Map<string, Run>();

/** Ends the run: its signal aborts, or its time is over. */
function end(run: Run): void {
  run.reached = true;
  if (run.point === 'by timeout') void run.clock.advance(60_000);
  else run.controller.abort(new Error('enough'));
}

const stalled = (chunks: readonly string[], type: string): RawReply => ({
  status: 200,
  headers: { 'content-type': type },
  chunks,
  ending: 'stall',
});
const frames = (turn: Turn): string[] => streamEvents(turn).map((event) => `data: ${event}\n\n`);
const silent: RawReply = { status: 0, headers: {}, chunks: [], ending: 'stall' };
const busy: RawReply = {
  status: 429,
  headers: { 'content-type': 'application/json', 'retry-after': '30' },
  chunks: ['{"error":{"message":"slow"}}'],
  ending: 'end',
};

/** What the lab says to a run. A whole body shows nothing of itself before its end: there the arrival of the request is the event. */
function replyTo(run: Run, stream: boolean): LabReply {
  const atArrival = (): void => void setImmediate(end, run);
  switch (run.point) {
    case 'before the head':
    case 'by timeout':
      atArrival();
      return { raw: silent };
    case 'in the body':
    case 'left early':
      if (stream) return { raw: stalled(frames({ content: 'one two three four' }).slice(0, 2), 'text/event-stream') };
      atArrival();
      return { raw: stalled(['{"id":"x","choices":['], 'application/json') };
    case 'in the arguments': {
      const call = { id: 'c', name: 'wait', args: '{"berth":"seven and more"}' };
      if (stream) return { raw: stalled(frames({ calls: [call] }).slice(0, 3), 'text/event-stream') };
      atArrival();
      return { raw: stalled(['{"id":"x","choices":[{"message":{"tool_calls":[{'], 'application/json') };
    }
    case 'in a tool':
      return { toolCalls: [{ name: 'wait', arguments: JSON.stringify({ berth: run.id }) }] };
    case 'in a retry':
      return { raw: busy };
    case 'after the end':
      return { text: 'Noon.' };
  }
}

/** A tool that never ends: the run must leave it. */
const wait = defineTool({
  name: 'wait',
  description: 'Waits.',
  input: z.object({ berth: z.string() }),
  execute: ({ berth }) => {
    const run = byId.get(berth);
    if (run !== undefined) end(run);
    return new Promise<string>(() => undefined);
  },
});

/** The run's clock; a wait before a retry is its point. */
function clockOf(run: Run): Clock {
  return {
    now: run.clock.now,
    after: run.clock.after,
    sleep(ms, signal) {
      const sleeping = run.clock.sleep(ms, signal);
      if (run.point === 'in a retry') end(run);
      return sleeping;
    },
  };
}

async function follow(run: Run, events: AsyncIterable<{ readonly type: string }>): Promise<string> {
  let last = '';
  for await (const event of events) {
    last = event.type;
    if (run.point === 'left early') {
      run.reached = true;
      break;
    }
    if (event.type === 'text' && run.point === 'in the body') end(run);
    if (event.type === 'tool_call_delta' && run.point === 'in the arguments') end(run);
  }
  return last;
}

async function perform(run: Run, client: Signal<string>): Promise<string> {
  const { signal } = run.controller;
  if (run.verb === 'stream') return follow(run, client.stream(run.id, { signal }));
  if (run.verb === 'stepStream') {
    // What a step throws is not the matter here.
    const request = { messages: [{ role: 'user', content: run.id }] } as const;
    return follow(run, client.stepStream(request, { signal })).catch((error: { readonly kind: string }) => error.kind);
  }
  const result = await client.tryComplete(run.id, { signal });
  return result.ok ? 'done' : result.failure.kind;
}

/** A run that ended, with what it left. */
async function leftBy(run: Run, lab: Lab, shared: AbortSignal): Promise<{ readonly listeners: number; readonly timers: number }> {
  byId.set(run.id, run);
  const client = createSignal(
    { baseUrl: lab.baseUrl, model: 'm', capabilities: plain },
    { clock: clockOf(run), random: () => 0, tools: [wait] },
  );
  const timed = client.options({ signal: shared, timeout: { total: 60_000, firstByte: 30_000 } });
  await perform(run, timed);
  // A step does not run tools: its point is the end of the stream. So is a run that was let go on to its end.
  if (run.point === 'after the end' || (run.point === 'in a tool' && run.verb === 'stepStream')) end(run);
  byId.delete(run.id);
  return { listeners: getEventListeners(run.controller.signal, 'abort').length, timers: run.clock.pending() };
}

/** Draws numbers below `bound` out of a seed. */
function drawing(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * bound);
  };
}

const timersOfProcess = (): number => process.getActiveResourcesInfo().filter((resource) => /Timeout|Timer/.test(resource)).length;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The connections of the platform's fetch, by its own account, each with the requests that went out on it. */
interface Connections {
  requests(): number;
  /** Open ones: how many carried a request, and how many were opened ahead and never used. */
  open(): { readonly used: number; readonly unused: number };
}

function traceConnections(): Connections {
  const requests = new Map<Socket, number>();
  const connected = (message: unknown): void => void requests.set((message as { socket: Socket }).socket, 0);
  const sent = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
  };
  subscribe('undici:client:connected', connected);
  subscribe('undici:client:sendHeaders', sent);
  onTestFinished(() => {
    unsubscribe('undici:client:connected', connected);
    unsubscribe('undici:client:sendHeaders', sent);
  });
  return {
    requests: () => [...requests.values()].reduce((sum, count) => sum + count, 0),
    open() {
      const counts = [...requests].flatMap(([socket, count]) => (socket.destroyed ? [] : [count]));
      return { used: counts.filter((count) => count > 0).length, unused: counts.filter((count) => count === 0).length };
    },
  };
}

let lab: Lab;
beforeAll(async () => {
  lab = await startLab({
    model: scripted((request) => {
      const run = byId.get(request.messages.findLast((message) => message.role === 'user')?.text ?? '');
      return run === undefined ? { text: 'Unknown.' } : replyTo(run, request.stream);
    }),
  });
});
afterAll(() => lab.close());

describe('what aborted runs leave', () => {
  it('[SG-037] 10 000 runs, ended at drawn points over a real server, leave no connection that carried a request, no timer and no listener', {
    timeout: 600_000,
  }, async () => {
    const below = drawing(7);
    const shared = new AbortController();
    const connections = traceConnections();
    const before = timersOfProcess();
    const leaking: string[] = [];
    const missed: string[] = [];
    const seen = new Map<string, number>();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < runs; index = next++) {
        const verb = verbs[below(verbs.length)] ?? 'stream';
        const drawn = points[below(points.length)] ?? 'in the body';
        // A promise cannot be left early.
        const point = verb === 'tryComplete' && drawn === 'left early' ? 'in the body' : drawn;
        const run: Run = { id: `run ${index}`, point, verb, clock: manualClock(), controller: new AbortController(), reached: false };
        const { listeners, timers } = await leftBy(run, lab, shared.signal);
        seen.set(`${verb} ${point}`, (seen.get(`${verb} ${point}`) ?? 0) + 1);
        if (!run.reached) missed.push(`${run.id}: ${verb} ${point}`);
        if (listeners > 0 || timers > 0) leaking.push(`${verb} ${point}: ${listeners} listeners, ${timers} timers`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    expect(missed).toEqual([]);
    expect(leaking).toEqual([]);
    expect(seen.size).toBe(verbs.length * points.length - 1);
    expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
    // Resolves only when every connection that carried a request is closed.
    await lab.idle();
    await turns(100);
    expect(connections.requests()).toBeGreaterThanOrEqual(runs);
    // The platform's fetch opens a connection ahead where one was broken off, with or without this client, and closes it when nobody used it for some
    // seconds. Those are all that is open; there are about as many as runs were under way at once, however many runs there were.
    const { used, unused } = connections.open();
    expect(used).toBe(0);
    expect(lab.openSockets()).toBe(unused);
    expect(unused).toBeLessThanOrEqual(2 * atOnce);
    expect(timersOfProcess()).toBeLessThanOrEqual(before);
    expect(shared.signal.aborted).toBe(false);
  });

  it('[SG-037] the counts of this test see what is left', async () => {
    const run: Run = {
      id: 'held',
      point: 'in the body',
      verb: 'stream',
      clock: manualClock(),
      controller: new AbortController(),
      reached: false,
    };
    byId.set(run.id, run);
    const shared = new AbortController();
    const client = createSignal({ baseUrl: lab.baseUrl, model: 'm', capabilities: plain }, { clock: clockOf(run) });
    const events = client.options({ signal: shared.signal, timeout: { total: 60_000 } }).stream(run.id, { signal: run.controller.signal });
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    expect(getEventListeners(shared.signal, 'abort').length).toBeGreaterThan(0);
    expect(run.clock.pending()).toBeGreaterThan(0);
    let isIdle = false;
    const idle = lab.idle().then(() => {
      isIdle = true;
    });
    await turns(100);
    expect(isIdle).toBe(false);
    await iterator.return?.();
    await idle;
    expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
    expect(run.clock.pending()).toBe(0);
  });
});

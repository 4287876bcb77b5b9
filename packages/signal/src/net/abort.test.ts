import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkSignals, neverAborted, raceAbort } from './abort.ts';

const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('linkSignals', () => {
  it('[SG-037] follows each, keeps the first reason, and leaves no listener', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const link = linkSignals([a.signal, undefined, b.signal]);
    expect([count(a.signal), count(b.signal)]).toEqual([1, 1]);
    b.abort('b');
    a.abort('a');
    expect(link.signal.reason).toBe('b');
    expect([count(a.signal), count(b.signal)]).toEqual([0, 0]);
  });

  it('[SG-037] leaves no listener after its own abort, after dispose, and when one was aborted before', () => {
    const a = new AbortController();
    linkSignals([a.signal]).abort('own');
    const link = linkSignals([a.signal]);
    link.dispose();
    link.dispose();
    const late = linkSignals([a.signal, AbortSignal.abort('before')]);
    expect(late.signal.reason).toBe('before');
    expect(count(a.signal)).toBe(0);
    a.abort('a');
    expect(link.signal.aborted).toBe(false);
  });

  it('[SG-037] puts one listener on a signal however many follow it, and none when the last is gone', () => {
    const a = new AbortController();
    const links = Array.from({ length: 1_000 }, () => linkSignals([a.signal]));
    expect(count(a.signal)).toBe(1);
    const [first, ...rest] = links;
    first?.dispose();
    expect(count(a.signal)).toBe(1);
    a.abort('all');
    expect(rest.every((link) => link.signal.reason === 'all')).toBe(true);
    expect(first?.signal.aborted).toBe(false);
    expect(count(a.signal)).toBe(0);
  });
});

describe('raceAbort', () => {
  it('[SG-037] gives the outcome and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(raceAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(count(signal)).toBe(0);
  });

  it('[SG-037] rejects at once on abort, though the promise never settles', async () => {
    const controller = new AbortController();
    const race = raceAbort(new Promise(() => undefined), controller.signal);
    controller.abort(new Error('stop'));
    await expect(race).rejects.toThrow('stop');
    await expect(raceAbort(new Promise(() => undefined), controller.signal)).rejects.toThrow('stop');
  });
});

describe('onAbort', () => {
  it('[SG-037] calls each once with the reason, in order, and costs the signal no listener', () => {
    const a = new AbortController();
    const link = linkSignals([a.signal]);
    const seen: unknown[] = [];
    link.onAbort((reason) => seen.push(['first', reason]));
    link.onAbort((reason) => seen.push(['second', reason]));
    expect(count(link.signal)).toBe(0);
    a.abort('why');
    link.abort('again');
    expect(seen).toEqual([
      ['first', 'why'],
      ['second', 'why'],
    ]);
  });

  it('[SG-037] calls nobody who has cancelled, and who comes late at once', () => {
    const link = linkSignals([]);
    const seen: unknown[] = [];
    const cancel = link.onAbort(() => seen.push('cancelled'));
    cancel();
    cancel();
    link.abort('why');
    expect(seen).toEqual([]);
    const late = link.onAbort((reason) => seen.push(reason));
    expect(seen).toEqual(['why']);
    late();
  });
});

describe('neverAborted', () => {
  it('[SG-037] is followed without a listener, and aborts nothing', () => {
    const link = linkSignals([neverAborted]);
    expect(count(neverAborted)).toBe(0);
    expect(link.signal.aborted).toBe(false);
    link.abort('own');
    expect(link.signal.reason).toBe('own');
    expect(neverAborted.aborted).toBe(false);
  });
});

import { expect, it } from 'vitest';
import { type LabRequestEntry, requestLog } from './request-log.ts';

const entry = (id: string, changes: Partial<LabRequestEntry> = {}): LabRequestEntry => ({
  id,
  method: 'POST',
  path: '/v1/chat/completions?user=a',
  wire: 'openai-chat',
  model: 'm',
  headers: {},
  body: { text: id },
  applied: [],
  modelError: undefined,
  fault: undefined,
  status: 200,
  clientClosedEarly: false,
  durationMs: undefined,
  ...changes,
});

it('[SG-100] the bodies of ten thousand requests stay within their bound; the entries stay', () => {
  const log = requestLog({ entries: 10_000, bodyBytes: 1_000 });
  for (let count = 0; count < 10_000; count += 1) {
    const one = entry(String(count));
    log.add(one);
    log.weigh(one, 100);
  }
  const kept = log.snapshot();
  expect(kept).toHaveLength(10_000);
  expect(kept.filter(({ body }) => body !== undefined).map(({ id }) => Number(id))).toEqual([
    9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999,
  ]);
});

it('a body over the whole bound is kept while it is the newest, and alone', () => {
  const log = requestLog({ entries: 10, bodyBytes: 1_000 });
  const [small, large, next] = [entry('small'), entry('large'), entry('next')];
  for (const [one, bytes] of [
    [small, 10],
    [large, 5_000],
    [next, 10],
  ] as const) {
    log.add(one);
    log.weigh(one, bytes);
    if (one === large) expect(log.snapshot().map(({ body }) => body !== undefined)).toEqual([false, true]);
  }
  expect(log.snapshot().map(({ body }) => body !== undefined)).toEqual([false, false, true]);
});

it('past its entries the oldest is forgotten, with its bytes', () => {
  const log = requestLog({ entries: 2, bodyBytes: 250 });
  for (const id of ['a', 'b', 'c', 'd']) {
    const one = entry(id);
    log.add(one);
    log.weigh(one, 100);
  }
  expect(log.snapshot().map(({ id, body }) => [id, body !== undefined])).toEqual([
    ['c', true],
    ['d', true],
  ]);
});

it('asks by what a request was and what became of it', () => {
  const log = requestLog({ entries: 10, bodyBytes: 1_000 });
  log.add(entry('plain'));
  log.add(entry('spoiled', { applied: ['C10'], path: '/v1/other' }));
  log.add(entry('faulted', { fault: 'rate-limit', status: 429, model: 'n' }));
  log.add(entry('refused', { method: 'GET', wire: undefined, status: 404 }));
  const ids = (...match: Parameters<typeof log.snapshot>): readonly string[] => log.snapshot(...match).map(({ id }) => id);
  expect(ids()).toEqual(['plain', 'spoiled', 'faulted', 'refused']);
  expect(ids({ path: '/v1/other' })).toEqual(['spoiled']);
  expect(ids({ path: /completions/g })).toEqual(['plain', 'faulted', 'refused']);
  expect(ids({ applied: 'C10' })).toEqual(['spoiled']);
  expect(ids({ applied: null, fault: null, wire: 'openai-chat' })).toEqual(['plain']);
  expect(ids({ fault: 'rate-limit' })).toEqual(['faulted']);
  expect(ids({ status: 429, model: 'n', method: 'POST' })).toEqual(['faulted']);
  expect(ids({ status: 429, model: 'm' })).toEqual([]);
});

import { configurationError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { resolveStrategies } from '../../src/wire/resolve-strategies.ts';
import { jsonlLines } from '../../src/wire/strategies/jsonl-lines.ts';
import {
  closed,
  contractOf,
  failureOf,
  recover,
  rejectionBody,
  routeBody,
  routeCalls,
  routeContent,
  short,
  text,
  toolOf,
} from './support.ts';

const envelope = closed({ 'response?': text, data: { type: ['object', 'array'] }, 'reasoning?': text });
const declared = [toolOf('query', closed({ table: text })), toolOf('run_action', closed({ action: text }))];
const harbour = { data: { berths: [4, 9] }, reasoning: 'two are free' };
const harbourText = JSON.stringify(harbour);

describe('responses', () => {
  it('[SG-060] [sig-W1] clean content is output by the rung parse, untouched', () => {
    const routed = routeContent(harbourText, envelope, {}, { declared });
    expect(short(routed)).toEqual({ value: harbour });
    expect(routed.wire).toMatchObject({ rung: 'parse', loss: 'none', edits: [] });
  });

  it.each([
    ['fenced', `\`\`\`json\n${harbourText}\n\`\`\``],
    ['fenced without a language', `\`\`\`\n${harbourText}\n\`\`\``],
    ['inside prose', `The harbour said:\n${harbourText}\nAnything else?`],
  ])('[SG-060] [sig-W2] content %s is output', (_title, content) => {
    expect(short(routeContent(content, envelope, {}, { declared }))).toEqual({ value: harbour });
  });

  it('[sig-W3] a nested list that came as a string is decoded where the schema wants a list', () => {
    const rows = closed({ data: { type: 'array' }, 'reasoning?': text });
    const routed = routeContent('{"data":"[{\\"berth\\":4}]","reasoning":"[one]"}', rows);
    expect(short(routed)).toEqual({ value: { data: [{ berth: 4 }], reasoning: '[one]' } });
    expect(routed.wire.rung).toContain('deep-decode');
  });

  it('[SG-063] [sig-W4] content cut in a key is output of its complete part under lossy only', () => {
    const cut = '{"data":{"berths":[4,9]},"reaso';
    const lossy = routeContent(cut, envelope, { finish: 'length' }, { accept: 'lossy' });
    expect(lossy.outcome).toEqual({ kind: 'output', value: { data: { berths: [4, 9] } }, loss: 'truncated' });
    expect(lossy.wire.rung).toContain('close-truncated');
    for (const accept of ['exact', 'repaired'] as const) {
      const routed = routeContent(cut, envelope, { finish: 'length' }, { accept });
      expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true });
      expect(failureOf(routed).evidence.salvaged).toEqual({ data: { berths: [4, 9] } });
    }
  });

  it('[sig-W5] of a declared and an undeclared call only the declared one is taken, and the note names the other', () => {
    const calls = [
      ['json', harbourText],
      ['query', '{"table":"berths"}'],
    ] as const;
    const routed = routeCalls(calls, contractOf(envelope, { declared }));
    expect(short(routed)).toEqual({ calls: [['query', { table: 'berths' }]] });
    expect(routed.wire.notes.some((note) => note.includes('json'))).toBe(true);
  });

  it('[sig-W6] an undeclared call whose arguments fit is output, with a note', () => {
    const routed = routeCalls([['json', harbourText]], contractOf(envelope, { declared }));
    expect(short(routed)).toEqual({ value: harbour });
    expect(routed.wire.notes.some((note) => note.includes('json') && note.includes('not declared'))).toBe(true);
  });

  it('[sig-W7] data as a plain string fails, and the evidence names it', () => {
    const failure = failureOf(routeContent('{"data":"four and nine"}', envelope, {}, { declared }));
    expect(failure.reason).toBe('schema_mismatch');
    expect(failure.evidence.issues.map(({ path }) => path)).toContain('/data');
  });

  it('[sig-W8] prose fails and is not called truncated', () => {
    const routed = routeContent('Both berths are taken today.', envelope, {}, { declared });
    expect(short(routed)).toEqual({ fails: 'no_candidate' });
    expect(routed.outcome).not.toHaveProperty('truncated');
  });

  it('[sig-W12] of two JSON lines the one that fits is taken, by the rung of the strategy', () => {
    const content = `{"status":"working"}\n${harbourText}`;
    const routed = routeContent(content, envelope, {}, { strategies: [jsonlLines()] });
    expect(short(routed)).toEqual({ value: harbour });
    expect(routed.wire.rung).toBe('jsonl-lines');
  });

  it('[sig-W13] an unknown strategy id throws, and the error names the known ones', () => {
    const known = configurationError('E_UNKNOWN_STRATEGY', '');
    expect(() => resolveStrategies(['jsonl-line'])).toThrow(expect.objectContaining({ kind: known.kind, code: 'E_UNKNOWN_STRATEGY' }));
    expect(() => resolveStrategies(['jsonl-line'])).toThrow(/jsonl-line\b.*failed-generation, jsonl-lines/);
    expect(resolveStrategies(['jsonl-lines']).map(({ id }) => id)).toEqual(['jsonl-lines']);
  });
});

describe('rejections', () => {
  const call = { name: 'query', arguments: { table: 'berths' } };

  it('[SG-067] [sig-W9] a refused call that is whole gives its name and arguments', () => {
    expect(recover(rejectionBody(JSON.stringify(call)))).toMatchObject({ name: 'query', argsText: '{"table":"berths"}', truncated: false });
  });

  it('[SG-067] [sig-W10] a refused call that was cut keeps its name and is marked', () => {
    expect(recover(rejectionBody('{"name":"query","arguments":{"table":"ber'))).toMatchObject({ name: 'query', truncated: true });
  });

  it('[sig-W11] an error of another code is not claimed', () => {
    expect(recover({ error: { message: 'Slow down.', code: 'rate_limited' } })).toBeUndefined();
    expect(recover(null)).toBeUndefined();
  });

  it('[SG-067] [sig-W14] a refused call of a declared tool is a tool call with its arguments', () => {
    const routed = routeBody(rejectionBody(JSON.stringify(call)), contractOf(envelope, { declared }));
    expect(short(routed)).toEqual({ calls: [['query', { table: 'berths' }]] });
    expect(routed.wire.recovered).toEqual({ strategy: 'failed-generation', name: 'query', truncated: false });
  });

  it('[SG-067] [sig-W15] a refused pseudo call whose arguments fit is output', () => {
    const generation = JSON.stringify({ name: 'json', arguments: harbour });
    expect(short(routeBody(rejectionBody(generation), contractOf(envelope, { declared })))).toEqual({ value: harbour });
  });

  it.each([
    ['of a pseudo tool', '{"name":"json","arguments":{"reaso'],
    ['of a declared tool', '{"name":"query","arguments":{"tab'],
    ['without a name', '{"reaso'],
  ])('[SG-067] [sig-W16] a cut attempt %s with nothing to take fails as truncated', (_title, generation) => {
    const routed = routeBody(rejectionBody(generation), contractOf(envelope, { declared }));
    expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true, failure: { kind: 'rejected', reason: 'truncated' } });
  });
});

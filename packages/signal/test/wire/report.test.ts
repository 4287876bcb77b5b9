import { describe, expect, it } from 'vitest';
import { jsonlLines } from '../../src/wire/strategies/jsonl-lines.ts';
import {
  closed,
  contractOf,
  failureOf,
  findBerth,
  integer,
  listOf,
  rejectionBody,
  routeBody,
  routeCalls,
  routeContent,
  text,
} from './support.ts';

const note = closed({ t: text, n: integer });

describe('the wire report', () => {
  it('[SG-069] tells rung, loss, source and the text', () => {
    const content = 'Here: {"t":"x","n":7}';
    expect(routeContent(content, note).wire).toMatchObject({
      rung: 'extract',
      loss: 'noise',
      source: 'content',
      text: { text: content, length: content.length },
    });
    expect(routeCalls([['json', '{"t":"x","n":7}']], contractOf(note)).wire).toMatchObject({ source: 'arguments' });
    expect(routeBody(rejectionBody('{"t":"x","n":7}'), contractOf(note)).wire).toMatchObject({
      source: 'rejection',
      recovered: { strategy: 'failed-generation' },
    });
  });

  it('[SG-069] [SG-086] a long span is cut, with its length and digest, in the report as written out too', () => {
    const thoughts = `<think>${'so it goes '.repeat(200_000)}</think>`;
    const { wire } = routeContent(`${thoughts}{"t":"x","n":7}`, note);
    const removed = wire.edits.find((edit) => edit.mechanism === 'reasoning');
    const cut = thoughts.length - 200;
    expect(removed?.before).toMatch(new RegExp(`… \\[${cut} more characters, sha256 [0-9a-f]{64}\\]$`));
    expect(JSON.stringify(wire)).toContain(`[${cut} more characters, sha256`);
  });

  it('[SG-069] each edit says what it is, what it cost, and what stood there', () => {
    const content = 'Row:\n```json\n{\'t\': "x", /* pier */ n: 7,}\n```';
    const { wire } = routeContent(content, note);
    for (const { span, before } of wire.edits) expect(before ?? '').toBe(content.slice(span.start, span.end));
    expect(Object.fromEntries(wire.edits.map(({ mechanism, loss }) => [mechanism, loss]))).toMatchObject({
      'single-quotes': 'reencoded',
      'trailing-comma': 'noise',
      prose: 'noise',
      fence: 'noise',
    });
    expect(wire.edits.map(({ mechanism }) => mechanism).join()).toMatch(/comment.*key|key.*comment/);
  });

  it('[SG-069] says which candidates were considered, and why each lost', () => {
    const content = '{"t":"x"}\n{"t":"x","n":}\n{"t":"x","n":7}';
    const { wire } = routeContent(content, note);
    expect(wire.candidates.map(({ span, verdict }) => [content.slice(span.start, span.end), verdict])).toEqual([
      ['{"t":"x"}', 'schema_mismatch'],
      ['{"t":"x","n":}', 'invalid_json'],
      ['{"t":"x","n":7}', 'accepted'],
    ]);
    expect(routeContent('{"t":"x","n":7} {"t":"y","n":7}', note).wire.candidates.map(({ verdict }) => verdict)).toEqual([
      'ambiguous',
      'ambiguous',
    ]);
    const refused = routeContent('{"t":"x","n":7,}', note, {}, { accept: 'exact' });
    expect(refused.wire.candidates.map(({ verdict }) => verdict)).toContain('loss_not_accepted');
  });

  it('[SG-069] names the strategy that offered the winner', () => {
    expect(routeContent('{"a":1}\n{"t":"x","n":7}', note, {}, { strategies: [jsonlLines()] }).wire.rung).toBe('jsonl-lines');
  });

  it('[SG-069] says where a string was opened', () => {
    const { wire } = routeContent('{"a":{"l":"[1]"}}', closed({ a: closed({ l: listOf(integer) }) }));
    expect(wire).toMatchObject({
      rung: 'parse+deep-decode',
      edits: [{ mechanism: 'deep-decode', path: '/a/l', loss: 'reencoded', span: { start: 10, end: 15 } }],
    });
  });

  it('[SG-069] report and failure are JSON', () => {
    for (const routed of [
      routeContent('{"t":"x","n":1e999}', note),
      routeContent('{"t":"x', note, { finish: 'length' }),
      routeContent('Row: {"t":"x","n":7}', note),
      routeCalls([['find_berth', '{"pier":7,"n']], contractOf(note, { declared: [findBerth] })),
    ]) {
      expect(JSON.parse(JSON.stringify(routed))).toEqual(routed);
    }
  });
});

describe('bounds of what is shown', () => {
  const long = 'x'.repeat(100_000);

  it.each([
    ['text that misses the schema', `{"t":${JSON.stringify(long)}}`],
    ['prose', long],
    ['a cut value', `{"n":7,"t":"${long}`],
    ['broken text', `{"t":}${long}`],
  ])('[SG-086] evidence of %s is cut at 4,000 characters, with a mark and a digest of the whole', (_title, content) => {
    const { evidence, message } = failureOf(routeContent(content, note));
    const shown = evidence.attempt?.text;
    expect(message.length).toBeLessThan(620);
    expect(shown).toMatchObject({ length: content.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(shown?.text.startsWith(content.slice(0, 4_000))).toBe(true);
    expect(shown?.text.slice(4_000)).toMatch(new RegExp(`${content.length - 4_000}.*more`));
    expect(shown?.text.length).toBeLessThan(4_200);
  });

  it('[SG-086] a message never prints a long name, key or refusal whole', () => {
    const messages = [
      failureOf(routeCalls([[long, '{}']], contractOf(note))).message,
      failureOf(routeContent('', note, { refusal: long })).message,
      failureOf(routeContent(`{"${long}":{"__proto__":1}}`, {})).message,
      failureOf(routeBody(rejectionBody(`{"name":"${long}","arguments":{}}`), contractOf(note))).message,
    ];
    // 500 characters, and the mark of the cut with its digest.
    for (const message of messages) expect(message.length).toBeLessThan(620);
  });

  it('[SG-086] previews of edits are cut at 200 characters, and lists are counted beyond their bound', () => {
    const prose = routeContent(`${long} {"t":"x","n":7}`, note).wire;
    for (const { before = '' } of prose.edits) expect(before.length).toBeLessThan(400);
    const commas = routeContent(`[${'{"t":"x","n":7,},'.repeat(1_000)}]`, listOf(note)).wire;
    expect(commas.edits.length).toBe(256);
    expect(commas.omitted?.edits).toBe(1_001 - 256);
    const many = routeContent(Array.from({ length: 60 }, (_, index) => `{"n":${index}}`).join(' '), note).wire;
    expect(many.candidates.length).toBe(32);
    expect(many.omitted?.candidates).toBe(28);
  });
});

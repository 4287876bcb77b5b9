import type { LossGrade } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { jsonlLines } from '../../src/wire/strategies/jsonl-lines.ts';
import { accepts, closed, failureOf, integer, listOf, open, routeContent, short, text } from './support.ts';

const note = closed({ t: text, n: integer });
const value = { t: 'x', n: 7 };

const graded: readonly (readonly [LossGrade, string])[] = [
  ['none', '{"t":"x","n":7}'],
  ['none', ' {"t" : "x",\n"n": 7}\n'],
  ['noise', '```json\n{"t":"x","n":7}\n```'],
  ['noise', 'Here: {"t":"x","n":7}'],
  ['noise', '\ufeff{"t":"x","n":7}'],
  ['noise', '<think>so</think>{"t":"x","n":7}'],
  ['noise', '{"t":"x","n":7,}'],
  ['noise', '{"t":"x","n":7} // done'],
  ['noise', '{"output":{"t":"x","n":7}}'],
  ['noise', '[{"t":"x","n":7}]'],
  ['reencoded', "{'t':'x','n':7}"],
  ['reencoded', '{t:"x",n:7}'],
  ['reencoded', '{“t”:“x”,“n”:7}'],
  ['reencoded', '{"t":"x"\n"n":7}'],
  ['reencoded', '{\\"t\\":\\"x\\",\\"n\\":7}'],
  ['reencoded', '"{\\"t\\":\\"x\\",\\"n\\":7}"'],
  ['reencoded', '{"t":"x","n":7 '],
];

describe('loss grades', () => {
  it.each(graded)('[SG-063] %s: %s', (loss, content) => {
    const routed = routeContent(content, note);
    expect(routed.outcome).toEqual({ kind: 'output', value, loss });
    expect(routed.wire.loss).toBe(loss);
    const worst = routed.wire.edits.map((edit) => edit.loss);
    expect(worst).not.toContain('truncated');
    expect(worst.includes('reencoded')).toBe(loss === 'reencoded');
  });

  it.each(graded)('[SG-063] exact takes none and nothing else, repaired and lossy take all of these — %s: %s', (loss, content) => {
    const outcomes = accepts.map((accept) => short(routeContent(content, note, {}, { accept })));
    expect('value' in (outcomes[0] ?? {})).toBe(loss === 'none');
    expect(outcomes.slice(1)).toEqual([{ value }, { value }]);
  });

  it('[SG-063] the default is repaired', () => {
    for (const [, content] of graded) expect(routeContent(content, note)).toEqual(routeContent(content, note, {}, { accept: 'repaired' }));
  });
});

describe('closing', () => {
  const wholeIfClosed = '{"t":"x","n":7 ';

  it.each([
    ['the finish is not length, only object closers are missing, the last value ends itself and no key could come', wholeIfClosed, note],
    ['a string ends itself', '{"n":7,"t":"x"', note],
    ['a nested object is closed too', '{"o":{"t":"x"', closed({ o: closed({ t: text }) })],
  ])('[SG-063] is reencoded where %s', (_title, content, schema) => {
    const routed = routeContent(content, schema);
    expect(routed.outcome).toMatchObject({ kind: 'output', loss: 'reencoded' });
  });

  it.each([
    ['the finish is length', wholeIfClosed, note, 'length'],
    ['the stream has no end', wholeIfClosed, note, 'unknown'],
    ['the last number may go on', '{"t":"x","n":7', note, 'stop'],
    ['the last string is open', '{"n":7,"t":"x', note, 'stop'],
    ['an optional key could come', '{"t":"x"', closed({ t: text, 'n?': integer }), 'stop'],
    ['any key could come', '{"t":"x"', open({ t: text }), 'stop'],
    ['a list may go on', '[{"t":"x","n":7}', listOf(note), 'stop'],
    ['a list inside may go on', '{"l":["x"', closed({ l: listOf(text) }), 'stop'],
    ['a comma says that more comes', '{"t":"x","n":7,', note, 'stop'],
  ] as const)(
    '[SG-063] is a failure with the complete part in evidence where %s, and output under lossy',
    (_title, content, schema, finish) => {
      const terminated = finish !== 'unknown';
      const routed = routeContent(content, schema, { finish, terminated });
      expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true, failure: { kind: 'truncated', reason: 'truncated' } });
      expect(failureOf(routed).evidence.salvaged).toBeDefined();
      const lossy = routeContent(content, schema, { finish, terminated }, { accept: 'lossy' });
      if (lossy.outcome.kind === 'output') expect(lossy.outcome.loss).toBe('truncated');
      else expect(lossy.outcome).toMatchObject({ truncated: true });
    },
  );

  it('[SG-063] under lossy the part must pass the gate all the same', () => {
    const lossy = (content: string) => short(routeContent(content, note, { finish: 'length' }, { accept: 'lossy' }));
    expect(lossy('{"t":"x","n":7,"')).toEqual({ value });
    expect(lossy('{"t":"x","n"')).toEqual({ fails: 'truncated' });
  });
});

describe('competition', () => {
  const two = ['{"t":"x","n":7}', '{"t":"y","n":8}'] as const;

  it.each([
    ['two in a row', two.join('')],
    ['a draft and a final one', `Draft: ${two[0]}\nFinal answer: ${two[1]}`],
    ['a fenced one and a bare one', `${two[0]}\n\`\`\`json\n${two[1]}\n\`\`\``],
    ['a strict one and one that needs a repair', `${two[0]}\n{'t':'y','n':8,}`],
    ['a small one and a large one', `${two[0]}\n{"t":"${'y'.repeat(500)}","n":8}`],
    ['two fences', two.map((one) => `\`\`\`json\n${one}\n\`\`\``).join('\n')],
  ])('[SG-064] two values that pass are ambiguous, whatever sets them apart: %s', (_title, content) => {
    for (const accept of ['repaired', 'lossy'] as const)
      expect(short(routeContent(content, note, {}, { accept }))).toEqual({ fails: 'ambiguous' });
  });

  it('[SG-064] equal values are one, however they are spelled', () => {
    expect(short(routeContent(`${two[0]}\n{ "n": 7.0, "t": "x" }`, note))).toEqual({ value });
  });

  it('[SG-064] a part of a value is never the answer', () => {
    for (const content of [
      '{"rows":[{"t":"x","n":7}],"more":1}',
      '{"first":{"t":"x","n":7},"second":2}',
      '[[{"t":"x","n":7}],1]',
      '{"a":{"t":"x","n":7},"b":',
    ]) {
      for (const accept of ['repaired', 'lossy'] as const)
        expect(short(routeContent(content, note, {}, { accept }))).toHaveProperty('fails');
    }
  });

  it('[SG-064] a value before one that is cut is not taken', () => {
    expect(short(routeContent(`${two[0]}\nBetter: {"t":"y","n"`, note, { finish: 'length' }))).toEqual({ fails: 'truncated' });
  });

  it('[SG-064] a strategy offers and does not choose; the last is taken only where the caller says so, with a note', () => {
    const lines = two.join('\n');
    expect(short(routeContent(lines, note, {}, { strategies: [jsonlLines()] }))).toEqual({ fails: 'ambiguous' });
    const last = routeContent(lines, note, {}, { strategies: [jsonlLines({ prefer: 'last' })] });
    expect(short(last)).toEqual({ value: { t: 'y', n: 8 } });
    expect(last.wire.notes.join()).toMatch(/last/);
    const own = { id: 'own', hook: 'response' as const, candidates: () => two };
    expect(short(routeContent('see above', note, {}, { strategies: [own] }))).toEqual({ fails: 'ambiguous' });
  });
});

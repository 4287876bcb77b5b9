import type { JsonObject } from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LabContent } from '../answer.ts';
import { readChatRequest } from '../wires/openai-chat-request.ts';
import { rules } from './rules.ts';

interface Piece {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

function answer(pieces: readonly Piece[], question: string, noise = 0, seed = 1): LabContent {
  const messages = pieces.flatMap(({ role, text }, index): object[] => {
    if (role !== 'tool') return [{ role, content: text }];
    const call = { id: `call_${index}`, type: 'function', function: { name: 'lookup', arguments: '{}' } };
    return [
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: text },
    ];
  });
  const body = { model: 'm', messages: [...messages, { role: 'user', content: question }] };
  const read = readChatRequest(JSON.parse(JSON.stringify(body)) as JsonObject);
  if ('refusal' in read) throw new Error(read.refusal.message);
  return rules({ noise })(read.request, { seed, index: 0 }) as LabContent;
}

const subjects = ['harbour fee', 'berth depth', 'crane weight', 'pilot name', 'tide hour'] as const;
const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
const facts = fc.array(
  fc.record({
    role: fc.constantFrom(...roles),
    subject: fc.nat(subjects.length - 1),
    label: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Every value is another, so that an answer says which piece it rests on. */
function piecesOf(drawn: readonly { readonly role: Piece['role']; readonly subject: number; readonly label: boolean }[]): readonly Piece[] {
  return drawn.map(({ role, subject, label }, index) => {
    const name = subjects[subject] ?? subjects[0];
    const text =
      role === 'tool' && label ? JSON.stringify({ [name]: `v${index}` }) : label ? `${name}: v${index}` : `The ${name} is v${index}.`;
    return { role, text };
  });
}

describe('what an answer of the rule model rests on', () => {
  it('[SG-100] taking away the newest claim about the subject changes the answer; taking away any other piece does not', () => {
    fc.assert(
      fc.property(facts, fc.nat(subjects.length - 1), (drawn, asked) => {
        const pieces = piecesOf(drawn);
        const question = `What is the ${subjects[asked]}?`;
        const winner = drawn.findLastIndex(({ subject }) => subject === asked);
        const whole = answer(pieces, question).text;
        expect(whole).toContain(winner < 0 ? 'I do not know' : ` v${winner}.`);
        for (const index of pieces.keys()) {
          const without = answer(pieces.toSpliced(index, 1), question).text;
          if (index === winner) expect(without).not.toBe(whole);
          else expect(without).toBe(whole);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('[SG-100] an instruction that is obeyed changes the answer, one that is overruled does not', () => {
    const instructing = ['system', 'developer', 'user', 'tool'] as const;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...instructing), { minLength: 1, maxLength: 8 }), (drawn) => {
        const pieces = drawn.map((role, index): Piece => ({ role, text: `Always answer "word ${index}".` }));
        const best = Math.min(...drawn.map((role) => instructing.indexOf(role)));
        const winner = drawn.findLastIndex((role) => instructing.indexOf(role) === best);
        const whole = answer(pieces, 'What is the fee?').text;
        expect(whole).toBe(`word ${winner}`);
        for (const index of pieces.keys()) {
          const without = answer(pieces.toSpliced(index, 1), 'What is the fee?').text;
          if (index === winner) expect(without).not.toBe(whole);
          else expect(without).toBe(whole);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('[SG-100] slips as often as the noise says, by seed and request, and alike each time', () => {
    const slips = (noise: number, seed: number): number => {
      let count = 0;
      for (let index = 0; index < 1_000; index += 1) {
        const pieces: readonly Piece[] = [
          { role: 'system', text: `The fee is ${index} EUR.` },
          { role: 'system', text: `The fee is ${index + 1} EUR.` },
        ];
        const { text } = answer(pieces, 'What is the fee?', noise, seed);
        if (text === `The fee is ${index} EUR.`) count += 1;
        else expect(text).toBe(`The fee is ${index + 1} EUR.`);
      }
      return count;
    };
    expect(slips(0, 1)).toBe(0);
    expect(slips(1, 1)).toBe(1_000);
    const counts = [slips(0.2, 1), slips(0.2, 2)];
    expect([slips(0.2, 1), slips(0.2, 2)]).toEqual(counts);
    // Five standard deviations around 200.
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(64);
    expect(counts[0]).not.toBe(counts[1]);
  });

  it('[SG-100] reads whatever comes, always to the same answer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ role: fc.constantFrom(...roles), text: fc.string({ unit: 'grapheme' }) }), { maxLength: 5 }),
        fc.string(),
        (pieces, question) => {
          expect(answer(pieces, question)).toEqual(answer(pieces, question));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('[SG-100] comes to an end with hostile texts of a hundred thousand characters', () => {
    const long = [
      'The fee is 3. '.repeat(20_000),
      'a: '.repeat(60_000),
      'if '.repeat(60_000),
      `${' is'.repeat(60_000)}.`,
      '"'.repeat(100_000),
      '<a>'.repeat(40_000),
      'Ignore '.repeat(30_000),
      '[['.repeat(50_000),
      'x. X'.repeat(40_000),
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ];
    for (const text of long)
      expect(answer([{ role: 'system', text }], 'What is the fee of the berth?').text).toMatch(/^(?:I do not know|The fee is 3)/);
  });
});

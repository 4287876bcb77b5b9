import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sequentialIds } from '../basics/ids.ts';
import type { FunctionCallDelta } from './part.ts';
import { createToolCallAssembler, ToolCallProtocolError } from './tool-call-assembler.ts';

type Delta = Omit<FunctionCallDelta, 'type'>;

const at = (index: number | null, id?: string, name?: string, args?: string): Delta => ({
  index,
  ...(id === undefined ? {} : { id }),
  ...(name === undefined ? {} : { name }),
  ...(args === undefined ? {} : { arguments: args }),
});

function assemble(deltas: readonly Delta[], options: { identity?: 'tolerant' | 'strict'; declared?: readonly string[] } = {}) {
  const ids = sequentialIds();
  const assembler = createToolCallAssembler({
    identity: options.identity ?? 'tolerant',
    newCallId: () => ids('new'),
    declaredNames: options.declared ?? ['find_berth', 'list_piers'],
  });
  const fragments = deltas.map((delta) => assembler.accept({ type: 'function-call-delta', ...delta })).filter((one) => one !== undefined);
  return { fragments, ...assembler.complete() };
}

const calls = (deltas: readonly Delta[], declared?: readonly string[]) =>
  assemble(deltas, declared === undefined ? {} : { declared }).calls.map(({ id, name, argsText }) => [id, name, argsText]);

describe('identity of tool-call fragments', () => {
  it.each<[string, readonly Delta[], readonly (readonly string[])[]]>([
    [
      '[path-B5] id and name in the head only',
      [at(0, 'a', 'find_berth', ''), at(0, undefined, undefined, '{"pier'), at(0, undefined, undefined, '":7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B1] no index anywhere',
      [at(null, 'a', 'find_berth', '{"pier":7}'), at(null, 'b', 'find_berth', '{"pier":8}')],
      [
        ['a', 'find_berth', '{"pier":7}'],
        ['b', 'find_berth', '{"pier":8}'],
      ],
    ],
    [
      '[path-B2] a null index, arguments in pieces',
      [at(null, 'a', 'find_berth', '{"pi'), at(null, undefined, undefined, 'er":7}'), at(null, 'b', 'list_piers', '')],
      [
        ['a', 'find_berth', '{"pier":7}'],
        ['b', 'list_piers', ''],
      ],
    ],
    [
      '[path-B3] every index 0',
      [at(0, 'a', 'find_berth', '{"pier":7}'), at(0, 'b', 'find_berth', '{"pier":8}')],
      [
        ['a', 'find_berth', '{"pier":7}'],
        ['b', 'find_berth', '{"pier":8}'],
      ],
    ],
    [
      '[path-B4] an index from 1',
      [at(1, 'a', 'find_berth', '{"pi'), at(1, undefined, undefined, 'er":7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B6] the id in every fragment',
      [at(0, 'a', 'find_berth', '{"pi'), at(0, 'a', undefined, 'er":'), at(0, 'a', undefined, '7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B7] a fresh id in every fragment',
      [at(0, 'a', 'find_berth', ''), at(0, 'b', undefined, '{"pi'), at(0, 'c', undefined, 'er":7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B8] empty id and name later',
      [at(0, 'a', 'find_berth'), at(0, '', '', '{"pier":7}'), at(0)],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B9] never an id',
      [at(0, undefined, 'find_berth', '{"pi'), at(0, undefined, undefined, 'er":7}')],
      [['new_1', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B9] neither id nor index',
      [at(null, undefined, 'find_berth', '{"pi'), at(null, undefined, undefined, 'er":7}'), at(null, undefined, 'list_piers', '{}')],
      [
        ['new_1', 'find_berth', '{"pier":7}'],
        ['new_2', 'list_piers', '{}'],
      ],
    ],
    [
      '[path-B10] one id for two indices',
      [
        at(0, 'a', 'find_berth', ''),
        at(1, 'a', 'find_berth', ''),
        at(0, undefined, undefined, '{"pier":7}'),
        at(1, undefined, undefined, '{"pier":8}'),
      ],
      [
        ['a', 'find_berth', '{"pier":7}'],
        ['new_1', 'find_berth', '{"pier":8}'],
      ],
    ],
    [
      '[path-B11] a name in pieces',
      [at(0, 'a', 'find'), at(0, undefined, '_berth'), at(0, undefined, undefined, '{"pier":7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B12] the name in every fragment',
      [at(0, 'a', 'find_berth', '{"pi'), at(0, undefined, 'find_berth', 'er":7}'), at(0, undefined, 'find_berth', '')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B13] arguments before the name',
      [at(0, undefined, undefined, '{"pi'), at(0, undefined, undefined, 'er":7}'), at(0, 'a', 'find_berth')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    ['[path-B15] empty arguments', [at(0, 'a', 'list_piers', '')], [['a', 'list_piers', '']]],
    [
      '[path-B19] cumulative arguments',
      [at(0, 'a', 'find_berth', '{"pi'), at(0, undefined, undefined, '{"pier":'), at(0, undefined, undefined, '{"pier":7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B19] cumulative in two fragments only',
      [at(0, 'a', 'find_berth', '{"pi'), at(0, undefined, undefined, '{"pier":7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      'a nested value that begins like the whole is no repetition',
      [at(0, 'a', 'find_berth', '{"a":'), at(0, undefined, undefined, '{"a":1}'), at(0, undefined, undefined, '}')],
      [['a', 'find_berth', '{"a":{"a":1}}']],
    ],
    [
      '[path-B25] the whole call again',
      [at(0, 'a', 'find_berth', '{"pier":7}'), at(0, 'a', 'find_berth', '{"pier":7}'), at(0, 'a', 'find_berth', '{ "pier": 7 }')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      '[path-B28] a decorated name',
      [at(0, 'a', 'functions.find_berth', '{}'), at(1, 'b', 'find-berth', '{}')],
      [
        ['a', 'find_berth', '{}'],
        ['b', 'find-berth', '{}'],
      ],
    ],
    [
      '[path-B34] white space in runs',
      [at(0, 'a', 'find_berth', '{\n'), at(0, undefined, undefined, '\n\n  '), at(0, undefined, undefined, '"pier": 8 }')],
      [['a', 'find_berth', '{\n\n\n  "pier": 8 }']],
    ],
    [
      'a head at index 0 whose tail stands at index 1',
      [
        at(0, 'a', 'find_berth', '{"pier":7}'),
        at(0, 'b', 'find_berth', ''),
        at(1, undefined, undefined, '{"pi'),
        at(1, undefined, undefined, 'er":8}'),
      ],
      [
        ['a', 'find_berth', '{"pier":7}'],
        ['b', 'find_berth', '{"pier":8}'],
      ],
    ],
    [
      'an index that changes with each fragment',
      [at(0, 'a', 'find_berth', '{"pi'), at(1, 'a', undefined, 'er"'), at(2, undefined, undefined, ':7}')],
      [['a', 'find_berth', '{"pier":7}']],
    ],
    [
      'the same call twice without ids is two calls',
      [at(0, undefined, 'list_piers', '{}'), at(0, undefined, 'list_piers', '{}')],
      [
        ['new_1', 'list_piers', '{}'],
        ['new_2', 'list_piers', '{}'],
      ],
    ],
    [
      'a second head without an id on a used index',
      [at(0, undefined, 'find_berth', '{"pier":7}'), at(0, undefined, 'find_berth', ''), at(0, undefined, undefined, '{"pier":8}')],
      [
        ['new_1', 'find_berth', '{"pier":7}'],
        ['new_2', 'find_berth', '{"pier":8}'],
      ],
    ],
  ])('[SG-034] %s', (_title, deltas, expected) => {
    expect(calls(deltas)).toEqual(expected);
  });

  it('[SG-034] [path-B14] takes whole arguments as they are, also after an empty head', () => {
    const whole = assemble([
      { index: 0, id: 'a', name: 'find_berth', arguments: '' },
      { index: 0, arguments: '{"pier": 7}', whole: true },
      { index: 0, id: 'b', name: 'find_berth', arguments: '{"pier":8}', whole: true },
    ]);
    expect(whole.calls.map((call) => call.argsText)).toEqual(['{"pier": 7}', '{"pier":8}']);
  });

  it('[SG-034] [path-B27] [path-B35] marks a call whose arguments were cut, and no other', () => {
    const { calls: cut } = assemble([
      at(0, 'a', 'find_berth', '{"pier":7}'),
      at(1, 'b', 'find_berth', '{"pier":7,"no'),
      at(2, 'c', 'list_piers', ''),
    ]);
    expect(cut.map((call) => call.complete)).toEqual([true, false, true]);
  });

  it('[def-B28] keeps empty arguments as an empty text, complete', () => {
    expect(assemble([at(0, 'a', 'list_piers', '')]).calls).toEqual([{ id: 'a', name: 'list_piers', argsText: '', complete: true }]);
  });

  it('[SG-034] shows fragments in order, with id and name at the first, and nothing before the name', () => {
    const { fragments } = assemble([
      at(0, 'a', 'find_berth', ''),
      at(0, undefined, undefined, '{"pi'),
      at(0, undefined, undefined, 'er":7}'),
    ]);
    expect(fragments).toEqual([
      { index: 0, id: 'a', name: 'find_berth', argumentsDelta: '' },
      { index: 0, id: 'a', argumentsDelta: '{"pi' },
      { index: 0, id: 'a', argumentsDelta: 'er":7}' },
    ]);
    const late = assemble([at(0, undefined, undefined, '{"pier":7}'), at(0, 'a', 'find_berth')]);
    expect(late.fragments).toEqual([{ index: 0, id: 'a', name: 'find_berth', argumentsDelta: '{"pier":7}' }]);
  });

  it('[SG-034] lists what was wrong', () => {
    const { anomalies } = assemble([at(0, 'a', 'find_berth', '{}'), at(0, 'b', 'find_berth', '{}')]);
    expect(anomalies).toEqual([{ kind: 'conflicting-id', index: 1 }]);
  });
});

describe('the strict reading', () => {
  const strict = (deltas: readonly Delta[]) => () => assemble(deltas, { identity: 'strict' });

  it('strict: takes what keeps the rules', () => {
    const good = strict([at(0, 'a', 'find_berth', ''), at(1, 'b', 'list_piers', '{}'), at(0, undefined, undefined, '{"pier":7}')]);
    expect(good().calls.map((call) => call.id)).toEqual(['a', 'b']);
  });

  it.each<[string, readonly Delta[], string]>([
    ['two ids at one index', [at(0, 'a', 'find_berth', '{}'), at(0, 'b', 'find_berth', '{}')], 'conflicting-id'],
    ['one id at two indices', [at(0, 'a', 'find_berth', '{}'), at(1, 'a', 'find_berth', '{}')], 'duplicate-id'],
    ['no index', [at(null, 'a', 'find_berth', '{}')], 'missing-index'],
    ['no id', [at(0, undefined, 'find_berth', '{}')], 'missing-id'],
    ['no name', [at(0, 'a', undefined, '{}')], 'missing-name'],
    ['a complete call beside one without a name', [at(0, 'a', 'find_berth', '{}'), at(1, 'b', undefined, '{}')], 'missing-name'],
  ])('strict: refuses %s', (_title, deltas, kind) => {
    expect(strict(deltas)).toThrow(ToolCallProtocolError);
    expect(strict(deltas)).toThrow(kind);
  });
});

describe('properties', () => {
  const argsArbitrary = fc
    .dictionary(fc.string({ maxLength: 4 }), fc.oneof(fc.integer(), fc.string({ maxLength: 6 })), { maxKeys: 3 })
    .map((value) => JSON.stringify(value));
  const callArbitrary = fc.record({
    name: fc.constantFrom('find_berth', 'list_piers'),
    args: argsArbitrary,
    cuts: fc.array(fc.nat(40), { maxLength: 4 }),
  });
  const pieces = (text: string, cuts: readonly number[]): string[] => {
    const marks = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
    return marks.slice(1).map((mark, position) => text.slice(marks[position], mark));
  };

  it('[SG-034] never merges two calls and never splits one, whatever the server does to index and id', () => {
    fc.assert(
      fc.property(
        fc.array(callArbitrary, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('right', 'missing', 'zero', 'from-one'),
        fc.constantFrom('head', 'every', 'never'),
        fc.boolean(),
        (wanted, indices, ids, nameAgain) => {
          const deltas = wanted.flatMap((call, position) =>
            pieces(call.args, call.cuts).map((text, part): Delta => {
              const index = { right: position, missing: null, zero: 0, 'from-one': position + 1 }[indices];
              const id = ids === 'every' || (ids === 'head' && part === 0) ? `id_${position}` : undefined;
              return at(index, id, part === 0 || nameAgain ? call.name : undefined, text);
            }),
          );
          const got = assemble(deltas).calls;
          expect(got.map((call) => [call.name, call.argsText])).toEqual(wanted.map((call) => [call.name, call.args]));
          expect(new Set(got.map((call) => call.id)).size).toBe(wanted.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[SG-034] keeps interleaved calls apart by index', () => {
    fc.assert(
      fc.property(argsArbitrary, argsArbitrary, fc.array(fc.nat(40)), (first, second, cuts) => {
        const [left, right] = [pieces(first, cuts), pieces(second, cuts)];
        const tails = Array.from({ length: Math.max(left.length, right.length) }, (_, i) => [
          ...(left[i] === undefined ? [] : [at(0, undefined, undefined, left[i])]),
          ...(right[i] === undefined ? [] : [at(1, undefined, undefined, right[i])]),
        ]).flat();
        const got = assemble([at(0, 'a', 'find_berth', ''), at(1, 'b', 'list_piers', ''), ...tails]).calls;
        expect(got.map((call) => [call.id, call.argsText])).toEqual([
          ['a', first],
          ['b', second],
        ]);
      }),
    );
  });

  it('[SG-034] takes linear time on a million small fragments and deep nesting', () => {
    const count = 200_000;
    const assembler = createToolCallAssembler({ identity: 'tolerant', newCallId: () => 'x', declaredNames: ['find_berth'] });
    for (let i = 0; i < count; i += 1)
      assembler.accept({ type: 'function-call-delta', ...at(0, 'a', 'find_berth', i === 0 ? '{"a":' : '[') });
    expect(assembler.complete().calls[0]?.argsText.length).toBe(count + 4);
  });
});

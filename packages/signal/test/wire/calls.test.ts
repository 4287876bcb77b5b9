import { createToolCallAssembler, type FunctionCallDelta } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { type Routed, routeResponse } from '../../src/wire/router.ts';
import { closed, contractOf, failureOf, findBerth, routeCalls, short, text, toolOf } from './support.ts';

const output = closed({ label: text });
const listPiers = toolOf('list_piers', closed({ 'area?': text }));
const contract = () => contractOf(output, { declared: [findBerth, listPiers] });
const call = { calls: [['find_berth', { pier: 7 }]] };

/** Routes a turn as its deltas assemble. */
function routeDeltas(deltas: readonly Omit<FunctionCallDelta, 'type'>[]): Routed {
  let ids = 0;
  const newCallId = (): string => {
    ids += 1;
    return `made_${ids}`;
  };
  const assembler = createToolCallAssembler({ identity: 'tolerant', newCallId, declaredNames: ['find_berth', 'list_piers'] });
  for (const delta of deltas) assembler.accept({ type: 'function-call-delta', ...delta });
  const { calls } = assembler.complete();
  return routeResponse({ content: '', calls, finish: 'tool_calls', terminated: true }, contract());
}

const pieces = (...texts: readonly string[]): readonly Omit<FunctionCallDelta, 'type'>[] => [
  { index: 0, id: 'a', name: 'find_berth', arguments: '' },
  ...texts.map((piece) => ({ index: 0, arguments: piece })),
];

describe('arguments', () => {
  it('[path-B14] arguments that came as an object are those of the call', () => {
    expect(short(routeDeltas([{ index: 0, id: 'a', name: 'find_berth', arguments: JSON.stringify({ pier: 7 }), whole: true }]))).toEqual(
      call,
    );
  });

  it.each(['', ' \n'])('[path-B15] empty arguments are {} where nothing is required (%j)', (argsText) => {
    expect(short(routeCalls([['list_piers', argsText]], contract()))).toEqual({ calls: [['list_piers', {}]] });
    expect(short(routeCalls([['find_berth', argsText]], contract()))).not.toEqual({ calls: [['find_berth', { pier: expect.anything() }]] });
  });

  it('[path-B16] null arguments are {} where nothing is required, and never reach a tool as null', () => {
    expect(short(routeCalls([['list_piers', 'null']], contract()))).toEqual({ calls: [['list_piers', {}]] });
  });

  it('[path-B17] arguments encoded twice are opened where the schema wants an object', () => {
    expect(short(routeCalls([['find_berth', '"{\\"pier\\":7}"']], contract()))).toEqual(call);
  });

  it('[path-B18] a known closing tag or an equal repeat behind the arguments is dropped', () => {
    expect(short(routeCalls([['find_berth', '{"pier":7}</function>']], contract()))).toEqual(call);
    expect(short(routeCalls([['find_berth', '{"pier":7}{"pier":7}']], contract()))).toEqual(call);
  });

  it.each(['{"pier":7}{"pier":8}', '{"pier":7} and {"pier":8}', '{"pier":7}, I think'])(
    '[path-B18] anything else behind the arguments never runs as the first value: %s',
    (argsText) => {
      expect(short(routeCalls([['find_berth', argsText]], contract()))).not.toEqual(call);
    },
  );

  it('[path-B19] cumulative fragments are one set of arguments', () => {
    expect(short(routeDeltas(pieces('{"pi', '{"pier":', '{"pier":7}')))).toEqual(call);
  });

  it('[path-B20] a fence around the arguments is dropped', () => {
    expect(short(routeCalls([['find_berth', '```json\n{"pier":7}\n```']], contract()))).toEqual(call);
  });

  it('[path-B34] runs of white space are no content', () => {
    const text = '{\n\t\t   "pier"\n\n\t    :\n\n\t\t 8 }';
    expect(short(routeDeltas(pieces(...text)))).toEqual({ calls: [['find_berth', { pier: 8 }]] });
  });

  it('[path-C24] halves of a surrogate pair in two fragments are joined before they are read', () => {
    expect(short(routeDeltas(pieces('{"pier":7,"note":"\\ud83d', '\\ude80"}')))).toEqual({
      calls: [['find_berth', { pier: 7, note: '\u{1f680}' }]],
    });
  });
});

describe('turns', () => {
  it('[SG-072] a call whose arguments miss its schema is a call all the same', () => {
    for (const argsText of ['{"pier":"7"}', '{}', '{"pier":7,"extra":1}', '[]']) {
      expect(short(routeCalls([['find_berth', argsText]], contract()))).toEqual({ calls: [['find_berth', JSON.parse(argsText)]] });
    }
  });

  it.each(['stop', 'tool_calls', 'length', 'unknown'] as const)(
    '[SG-072] one cut call holds back every call of the turn (finish %s)',
    (finish) => {
      const calls = [
        ['list_piers', '{}'],
        ['find_berth', '{"pier":7,"no'],
      ] as const;
      for (const order of [calls, [...calls].reverse()]) {
        const routed = routeCalls(order, contract(), { finish });
        expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true, failure: { kind: 'truncated' } });
        const salvaged = failureOf(routed).evidence.salvagedCalls?.map(({ name, complete }) => [name, complete]);
        expect(Object.fromEntries(salvaged ?? [])).toEqual({ list_piers: true, find_berth: false });
      }
    },
  );

  it('[SG-072] lossy does not complete a call', () => {
    for (const accept of ['exact', 'repaired', 'lossy'] as const) {
      const routed = routeCalls([['list_piers', '{"area":"north"']], contractOf(output, { declared: [listPiers], accept }));
      expect(short(routed)).toEqual({ fails: 'truncated' });
    }
  });

  it('[SG-072] [path-B27] a call that was cut inside its arguments is marked and not run', () => {
    const routed = routeCalls([['find_berth', '{"pier":7,"no']], contract(), { finish: 'length' });
    expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true });
    expect(failureOf(routed).evidence).toMatchObject({ finishReason: 'length', salvagedCalls: [{ name: 'find_berth', complete: false }] });
  });

  it('[SG-072] [path-B35] a call that was cut right after its head is not run', () => {
    for (const argsText of ['{', '']) {
      expect(short(routeCalls([['list_piers', argsText]], contract(), { finish: 'length' }))).toEqual({ fails: 'truncated' });
    }
  });

  it('[path-B33] two complete calls are both delivered, in order', () => {
    const calls = [
      ['find_berth', '{"pier":7}'],
      ['find_berth', '{"pier":8}'],
    ] as const;
    expect(short(routeCalls(calls, contract()))).toEqual({ calls: [7, 8].map((pier) => ['find_berth', { pier }]) });
  });

  it('[SG-072] in a mixed turn declared calls win, and every dropped call is noted', () => {
    const calls = [
      ['respond', '{"label":"ok"}'],
      ['list_piers', '{}'],
      ['json', '{"label":"no"}'],
    ] as const;
    const exit = toolOf('respond', output);
    const routed = routeCalls(calls, contractOf(output, { declared: [exit, listPiers], exitTool: 'respond' }));
    expect(short(routed)).toEqual({ calls: [['list_piers', {}]] });
    expect(routed.wire.notes.filter((note) => /dropped/.test(note))).toHaveLength(2);
  });

  it('[SG-072] any call of a turn with finish length whose arguments do not parse whole fails the turn', () => {
    const routed = routeCalls([['find_berth', '{"pier":7']], contract(), { finish: 'length' });
    expect(short(routed)).toEqual({ fails: 'truncated' });
    expect(short(routeCalls([['find_berth', '{"pier":7}']], contract(), { finish: 'length' }))).toEqual(call);
  });
});

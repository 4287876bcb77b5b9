import { describe, expect, it } from 'vitest';
import { objectSchema } from './json/test-support/ajv-gate.ts';
import { callResponse, callsOf, contentResponse, contractOf, failureOf, outputOf, routeContent, tool } from './json/test-support/route.ts';
import { routeResponse } from './router.ts';
import { jsonlLines } from './strategies/jsonl-lines.ts';

const envelope = objectSchema(
  { response: { type: 'string' }, data: { type: ['object', 'array'] }, reasoning: { type: 'string' } },
  { required: ['data'] },
);
const query = tool('query', objectSchema({ sql: { type: 'string' } }));
const runAction = tool('run_action', objectSchema({ id: { type: 'integer' } }));
const declared = [query, runAction];
const labelScore = objectSchema({ label: { type: 'string' }, score: { type: 'integer' } });
const berth = objectSchema({ pier: { type: 'integer' } });

describe('content', () => {
  it('[SG-061] [sig-W1] gives clean content untouched, by the rung parse', () => {
    const routed = routeContent('{"data":{"total":3},"reasoning":"done"}', envelope);
    expect(outputOf(routed)).toEqual({ data: { total: 3 }, reasoning: 'done' });
    expect(routed.wire).toMatchObject({ rung: 'parse', loss: 'none', edits: [], candidates: [] });
  });

  it('[sig-W2] takes fenced and prose-wrapped content', () => {
    const text = '{"data":{"total":3}}';
    for (const around of [`\`\`\`json\n${text}\n\`\`\``, `Sure, here: ${text} — done.`]) {
      const routed = routeContent(around, envelope);
      expect(outputOf(routed)).toEqual({ data: { total: 3 } });
      expect(routed.wire.loss).toBe('noise');
    }
  });

  it('[SG-062] [sig-W3] decodes a nested array that came as a string, and says where', () => {
    const rows = objectSchema({ data: { type: 'array', items: berth } });
    const content = '{"data":"[{\\"pier\\":7}]"}';
    const routed = routeContent(content, rows);
    expect(outputOf(routed)).toEqual({ data: [{ pier: 7 }] });
    expect(routed.wire.rung).toContain('deep-decode');
    const edit = routed.wire.edits.find((one) => one.mechanism === 'deep-decode');
    expect(edit).toMatchObject({ path: '/data', loss: 'reencoded' });
    expect(content.slice(edit?.span.start, edit?.span.end)).toBe('"[{\\"pier\\":7}]"');
  });

  it('[SG-063] [sig-W4] offers the complete part of cut content under accept lossy, marked', () => {
    const routed = routeContent('{"data":{"total":3},"reaso', envelope, { finish: 'length', accept: 'lossy' });
    expect(routed.outcome).toEqual({ kind: 'output', value: { data: { total: 3 } }, loss: 'truncated' });
    expect(routed.wire).toMatchObject({ rung: 'close-truncated', loss: 'truncated' });
  });

  it('[SG-063] [def-X4] fails cut content by default, with the complete part as evidence', () => {
    const routed = routeContent('{"data":{"total":3},"reaso', envelope, { finish: 'length' });
    expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true });
    expect(failureOf(routed)).toMatchObject({ kind: 'truncated', reason: 'truncated', evidence: { salvaged: { data: { total: 3 } } } });
  });

  it('[SG-060] [sig-W7] names what misses the schema', () => {
    const failure = failureOf(routeContent('{"data":"just text"}', envelope));
    expect(failure.reason).toBe('schema_mismatch');
    expect(failure.evidence.issues).toContainEqual(expect.objectContaining({ path: '/data', code: 'type' }));
    expect(failure.evidence.attempt).toEqual({ source: 'content', text: { text: '{"data":"just text"}', length: 20 } });
  });

  it('[sig-W8] fails prose without calling it truncated', () => {
    const routed = routeContent('I could not find anything.', envelope);
    expect(failureOf(routed).reason).toBe('no_candidate');
    expect(routed.outcome).not.toHaveProperty('truncated');
  });

  it('[SG-064] [sig-W12] offers JSON lines; the one that passes wins', () => {
    const routed = routeContent('{"status":"working"}\n{"label":"ok","score":2}', labelScore, { strategies: [jsonlLines()] });
    expect(outputOf(routed)).toEqual({ label: 'ok', score: 2 });
    expect(routed.wire.rung).toBe('jsonl-lines');
  });

  it('[SG-064] fails where two lines pass, unless the caller asked for the last', () => {
    const text = '{"label":"a","score":1}\n{"label":"b","score":2}';
    expect(failureOf(routeContent(text, labelScore, { strategies: [jsonlLines()] })).reason).toBe('ambiguous');
    const routed = routeContent(text, labelScore, { strategies: [jsonlLines({ prefer: 'last' })] });
    expect(outputOf(routed)).toEqual({ label: 'b', score: 2 });
    expect(routed.wire.notes.join()).toContain('the last was taken');
  });
});

describe('structured calls', () => {
  it('[SG-072] [sig-W5] takes the declared call and notes the dropped one', () => {
    const response = callResponse([
      { name: 'query', argsText: '{"sql":"select 1"}' },
      { name: 'json', argsText: '{"data":{}}' },
    ]);
    const routed = routeResponse(response, contractOf(envelope, { declared }));
    expect(callsOf(routed)).toEqual([{ name: 'query', args: { sql: 'select 1' } }]);
    expect(routed.wire.notes.join()).toContain('json');
  });

  it('[sig-W6] takes the arguments of an undeclared call as output, with a note', () => {
    const response = callResponse([{ name: 'json', argsText: '{"reasoning":"done","data":{"total":3}}' }]);
    const routed = routeResponse(response, contractOf(envelope, { declared }));
    expect(outputOf(routed)).toEqual({ reasoning: 'done', data: { total: 3 } });
    expect(routed.wire.notes.join()).toContain('not declared');
  });

  it('[SG-060] takes the arguments of the exit tool as output', () => {
    const exit = tool('respond', labelScore);
    const contract = contractOf(labelScore, { declared: [exit, query], exitTool: 'respond' });
    expect(outputOf(routeResponse(callResponse([{ argsText: '{"label":"ok","score":2}' }]), contract))).toEqual({ label: 'ok', score: 2 });
  });

  it('[SG-072] gives a call whose arguments miss the tool schema to the tool all the same', () => {
    const routed = routeResponse(callResponse([{ name: 'query', argsText: '{"sql":7}' }]), contractOf(envelope, { declared }));
    expect(callsOf(routed)).toEqual([{ name: 'query', args: { sql: 7 } }]);
  });

  it('[SG-072] [def-B1] runs no call of a turn in which one was cut, complete ones marked', () => {
    const response = callResponse(
      [
        { name: 'query', argsText: '{"sql":"select 1"}' },
        { name: 'run_action', argsText: '{"id":1' },
      ],
      { finish: 'length' },
    );
    const routed = routeResponse(response, contractOf(envelope, { declared }));
    expect(routed.outcome).toMatchObject({ kind: 'failed', truncated: true });
    expect(failureOf(routed).evidence.salvagedCalls).toEqual([
      { id: 'c0', name: 'query', args: { sql: 'select 1' }, argsText: '{"sql":"select 1"}', complete: true },
      { id: 'c1', name: 'run_action', args: null, argsText: '{"id":1', complete: false },
    ]);
  });

  it('[SG-072] holds a cut call back whatever the finish reason says', () => {
    for (const finish of ['stop', 'tool_calls', 'length', 'unknown'] as const) {
      const response = callResponse([{ name: 'query', argsText: '{"sql":"select' }], { finish });
      expect(failureOf(routeResponse(response, contractOf(envelope, { declared }))).kind).toBe('truncated');
    }
  });

  it('[SG-072] [path-B27] [path-B35] does not run a call that was cut inside or right after its head', () => {
    for (const argsText of ['{"pier":7,"no', '{', '']) {
      const response = callResponse([{ name: 'find_berth', argsText }], { finish: 'length' });
      const routed = routeResponse(response, contractOf(undefined, { declared: [tool('find_berth', berth)] }));
      expect(failureOf(routed).evidence.salvagedCalls).toMatchObject([{ name: 'find_berth', complete: false }]);
    }
  });

  it('[def-B3] tries every attempt of a turn, and the content too', () => {
    const response = callResponse([{ name: 'junk', argsText: '{"x":1}' }], { content: '{"label":"ok","score":2}' });
    const routed = routeResponse(response, contractOf(labelScore, { declared }));
    expect(outputOf(routed)).toEqual({ label: 'ok', score: 2 });
    const second = callResponse([
      { name: 'junk', argsText: '{"x":1}' },
      { name: 'json', argsText: '{"label":"ok","score":2}' },
    ]);
    expect(outputOf(routeResponse(second, contractOf(labelScore, { declared })))).toEqual({ label: 'ok', score: 2 });
  });

  it('[SG-064] fails where two calls carry outputs that differ', () => {
    const response = callResponse([
      { name: 'json', argsText: '{"label":"a","score":1}' },
      { name: 'answer', argsText: '{"label":"b","score":1}' },
    ]);
    expect(failureOf(routeResponse(response, contractOf(labelScore, { declared }))).reason).toBe('ambiguous');
  });

  it('[SG-060] names the tool that nobody declared when nothing can be used', () => {
    const failure = failureOf(
      routeResponse(callResponse([{ name: 'rm_rf', argsText: '{"path":"/"}' }]), contractOf(labelScore, { declared })),
    );
    expect(failure.message).toContain('rm_rf');
    expect(failure.kind).toBe('invalid_output');
  });

  it('[SG-070] lets no rounded number reach a tool', () => {
    const routed = routeResponse(
      callResponse([{ name: 'run_action', argsText: '{"id":9007199254740993}' }]),
      contractOf(envelope, { declared }),
    );
    expect(failureOf(routed)).toMatchObject({ reason: 'lossy_value', evidence: { salvagedCalls: [{ name: 'run_action' }] } });
  });
});

describe('turns without a schema', () => {
  it('[SG-080] gives the text as it is, whatever the finish reason', () => {
    const routed = routeResponse(contentResponse('Pier 7 is fr', { finish: 'length' }), contractOf(undefined));
    expect(routed.outcome).toEqual({ kind: 'output', value: 'Pier 7 is fr', loss: 'none' });
  });

  it('[SG-060] fails text of a stream that was cut, and an empty answer', () => {
    const cut = contentResponse('Pier 7 is fr', { finish: 'unknown', terminated: false });
    expect(failureOf(routeResponse(cut, contractOf(undefined))).kind).toBe('truncated');
    expect(failureOf(routeResponse(contentResponse('  '), contractOf(undefined)))).toMatchObject({ kind: 'no_output', reason: 'empty' });
  });

  it('[SG-068] takes a declared call that is the whole text for a call', () => {
    const contract = contractOf(undefined, { declared: [tool('find_berth', berth)] });
    const routed = routeResponse(contentResponse('<tool_call>{"name":"find_berth","arguments":{"pier":7}}</tool_call>'), contract);
    expect(callsOf(routed)).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
    expect(outputOf(routeResponse(contentResponse('{"pier":7}'), contract))).toBe('{"pier":7}');
  });
});

describe('finish reasons and refusals', () => {
  const clean = '{"label":"ok","score":2}';

  it('[SG-082] [path-C13] a refusal is refused, never parsed', () => {
    const routed = routeContent(clean, labelScore, { refusal: "I can't help with that." });
    expect(failureOf(routed)).toMatchObject({ kind: 'refused', reason: 'refusal' });
  });

  it('[SG-082] [path-C14] a filtered answer is refused, never parsed', () => {
    expect(failureOf(routeContent(clean, labelScore, { finish: 'content_filter' })).kind).toBe('refused');
  });

  it('[SG-082] says that the budget went to reasoning', () => {
    const failure = failureOf(routeContent('', labelScore, { finish: 'length' }));
    expect(failure).toMatchObject({ kind: 'truncated', reason: 'truncated', evidence: { note: 'reasoning_budget' } });
  });

  it('[SG-060] takes complete JSON without a finish reason only where the end was marked', () => {
    expect(outputOf(routeContent(clean, labelScore, { finish: 'unknown' }))).toEqual({ label: 'ok', score: 2 });
    expect(failureOf(routeContent(clean, labelScore, { finish: 'unknown', terminated: false })).kind).toBe('truncated');
  });

  it('[path-C1] an answer without content is empty', () => {
    expect(failureOf(routeContent('', labelScore))).toMatchObject({ kind: 'no_output', reason: 'empty' });
  });

  it('[SG-065] a bare number is complete only under stop or tool_calls', () => {
    const number = { type: 'integer' };
    expect(outputOf(routeContent('42', number))).toBe(42);
    for (const finish of ['length', 'unknown'] as const) expect(failureOf(routeContent('42', number, { finish })).kind).toBe('truncated');
  });
});

import { describe, expect, it } from 'vitest';
import { objectSchema } from '../json/test-support/ajv-gate.ts';
import { callResponse, callsOf, contentResponse, contractOf, failureOf, outputOf, tool } from '../json/test-support/route.ts';
import { type Routed, routeResponse } from '../router.ts';

const berth = objectSchema({ pier: { type: 'integer' }, note: { type: 'string' } }, { required: ['pier'] });
const findBerth = tool('find_berth', berth);
const answer = objectSchema({ summary: { type: 'string' }, score: { type: 'integer' } });
const respond = tool('respond', answer);

const route = (content: string, finish: 'stop' | 'length' = 'stop'): Routed =>
  routeResponse(contentResponse(content, { finish }), contractOf(answer, { declared: [respond, findBerth], exitTool: 'respond' }));

describe('calls in text', () => {
  it.each([
    ['path-A15', '<|python_tag|>{"name":"find_berth","parameters":{"pier":7}}<|eom_id|>'],
    ['path-A16', '{"name":"find_berth","parameters":{"pier":7}}'],
    ['path-A17', '[find_berth(pier=7)]'],
    ['path-A18', '<tool_call>\n{"name":"find_berth","arguments":{"pier":7}}\n</tool_call>'],
    ['path-A18', '<tool_call>\n{"name":"find_berth","arguments":{"pier":7}}'],
    ['path-A19', '[TOOL_CALLS][{"name":"find_berth","arguments":{"pier":7}}]'],
    ['path-A19', '[TOOL_CALLS]find_berth[ARGS]{"pier":7}'],
    [
      'path-A20',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_berth\n```json\n{"pier":7}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    ['path-A21', '<|channel|>commentary to=functions.find_berth <|constrain|>json<|message|>{"pier":7}<|call|>'],
    ['path-A22', '<function=find_berth>\n<parameter=pier>\n7\n</parameter>\n</function>'],
  ])('[SG-068] [%s] %s', (_id, content) => {
    expect(callsOf(route(content))).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
  });

  it('[SG-068] takes several calls in order', () => {
    const text =
      '<tool_call>{"name":"find_berth","arguments":{"pier":1}}</tool_call>\n<tool_call>{"name":"find_berth","arguments":{"pier":2}}</tool_call>';
    expect(callsOf(route(text)).map((call) => call.args)).toEqual([{ pier: 1 }, { pier: 2 }]);
  });

  it('[SG-071] the schema types parameters that have no type', () => {
    const text = '<function=find_berth>\n<parameter=pier>\n7\n</parameter>\n<parameter=note>\n007\n</parameter>\n</function>';
    expect(callsOf(route(text))).toEqual([{ name: 'find_berth', args: { pier: 7, note: '007' } }]);
    expect(failureOf(route('<function=find_berth>\n<parameter=pier>\n007\n</parameter>\n</function>')).reason).toBe('invalid_json');
  });

  it.each([
    '<tool_call>find_berth\n<arg_key>pier</arg_key>\n<arg_value>7</arg_value>',
    '<tool_call>find_berth\n<arg_key>pier</arg_key>\n<arg_value>7</arg_value>\n<arg_k',
    '<tool_call>{"name":"find_berth","arguments":{"pier":7}}</tool_call>\n<tool_c',
    '<function=find_berth>{"pier":7}</function><function=',
    '<|channel|>commentary to=functions.find_berth<|message|>{"pier":7}<|call|><|start|>assistant<|chan',
    '[find_berth(pier=7, no',
  ])('[SG-072] no complete call hides one that has only begun, and none runs: %s', (content) => {
    for (const finish of ['stop', 'length'] as const) {
      expect(failureOf(route(content, finish)).reason).toBe('truncated');
    }
  });

  it.each([
    ['lossy_value', '[find_berth(pier=9007199254740993)]'],
    ['lossy_value', '<function=find_berth><parameter=pier>9007199254740993</parameter></function>'],
    ['ambiguous', '<function=find_berth><parameter=pier>7</parameter><parameter=pier>8</parameter></function>'],
  ])('[SG-070] the checks reach arguments that are no JSON object: %s of %s', (reason, content) => {
    expect(failureOf(route(content)).reason).toBe(reason);
  });

  it("[SG-068] the exit tool's call is output, an undeclared one never a call", () => {
    expect(outputOf(route('<function=respond>{"summary":"ok","score":4}</function>'))).toEqual({ summary: 'ok', score: 4 });
    expect(failureOf(route('<function=rm_rf>{"path":"/"}</function>')).reason).toBe('schema_mismatch');
  });

  it("[SG-068] gates a call by its tool's schema", () => {
    expect(failureOf(route('<function=find_berth>{"pier":"seven"}</function>')).reason).toBe('schema_mismatch');
  });

  it('[SG-068] reads no call where the turn has a structured one', () => {
    const response = callResponse([{ argsText: '{"summary":"ok","score":4}' }], {
      content: '<function=find_berth>{"pier":7}</function>',
    });
    expect(outputOf(routeResponse(response, contractOf(answer, { declared: [respond, findBerth], exitTool: 'respond' })))).toEqual({
      summary: 'ok',
      score: 4,
    });
  });

  it('[SG-064] fails where a call and an output are both there', () => {
    expect(failureOf(route('<function=find_berth>{"pier":7}</function>\n{"summary":"ok","score":4}')).reason).toBe('ambiguous');
  });

  it('[SG-072] runs nothing of a text in which a call was cut', () => {
    const whole = '<tool_call>{"name":"find_berth","arguments":{"pier":1}}</tool_call>';
    const failure = failureOf(route(`${whole}<tool_call>{"name":"find_berth","arguments":{"pier":2,"no`, 'length'));
    expect(failure.reason).toBe('truncated');
    expect(failure.evidence.salvagedCalls?.map((call) => call.complete)).toEqual([true, false]);
    expect(failureOf(route('<function=find_berth>\n<parameter=pier>\n7\n</param')).reason).toBe('truncated');
  });

  it('[SG-068] a call in quotes, in reasoning or in a string is no call', () => {
    expect(failureOf(route('Write "<function=find_berth>{"pier":7}</function>" to call it.')).reason).toBe('invalid_json');
    expect(outputOf(route('<think><function=find_berth>{"pier":7}</function></think>{"summary":"ok","score":4}'))).toEqual({
      summary: 'ok',
      score: 4,
    });
    const quoted = '{"summary":"Use <function=find_berth>{\\"pier\\":7}</function>","score":5}';
    expect(outputOf(route(quoted))).toEqual({ summary: 'Use <function=find_berth>{"pier":7}</function>', score: 5 });
  });

  it('[SG-068] a schema that declares the keys of a call wants the object itself', () => {
    const record = objectSchema({ name: { type: 'string' }, arguments: { type: 'object' } });
    const contract = contractOf(record, { declared: [findBerth] });
    const text = '{"name":"find_berth","arguments":{"pier":7}}';
    expect(outputOf(routeResponse(contentResponse(text), contract))).toEqual({ name: 'find_berth', arguments: { pier: 7 } });
    expect(callsOf(routeResponse(contentResponse(text), contractOf({ type: 'object' }, { declared: [findBerth] })))).toHaveLength(1);
  });

  it('[SG-068] notes that a tool without a validator was not checked', () => {
    const { validate: _validate, ...unchecked } = findBerth;
    const routed = routeResponse(
      contentResponse('<function=find_berth>{"pier":7}</function>'),
      contractOf(answer, { declared: [unchecked] }),
    );
    expect(routed.wire.notes.join()).toContain('not checked');
  });
});

describe('arguments of structured calls', () => {
  const call = (argsText: string, name = 'find_berth'): Routed =>
    routeResponse(callResponse([{ name, argsText }]), contractOf(answer, { declared: [findBerth] }));

  it('[path-B14] [path-B15] [path-B16] no arguments are the empty ones', () => {
    for (const argsText of ['', '  ', '{}']) expect(callsOf(call(argsText))).toEqual([{ name: 'find_berth', args: {} }]);
  });

  it('[path-B17] opens arguments that were encoded twice', () => {
    expect(callsOf(call('"{\\"pier\\":7}"'))).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
  });

  it('[path-B18] ignores a known tag or an equal repeat after the arguments, and nothing else', () => {
    for (const argsText of ['{"pier":7}</function>', '{"pier":7}{"pier":7}']) {
      expect(callsOf(call(argsText))).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
    }
    expect(failureOf(call('{"pier":7}{"pier":8}')).reason).toBe('ambiguous');
    // The raw text goes to the tool, whose schema refuses it.
    expect(callsOf(call('{"pier":7} as you asked'))).toEqual([{ name: 'find_berth', args: '{"pier":7} as you asked' }]);
  });

  it('[path-B19] never takes cumulative fragments that were joined for arguments', () => {
    expect(callsOf(call('{"pi{"pier":{"pier":7}'))[0]?.args).toBe('{"pi{"pier":{"pier":7}');
  });

  it('[path-B20] takes arguments out of a fence', () => {
    expect(callsOf(call('```json\n{"pier":7}\n```'))).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
  });

  it('[SG-060] knows a name with a namespace or a leaked token', () => {
    for (const name of ['functions.find_berth', 'find_berth<|channel|>commentary']) {
      expect(callsOf(call('{"pier":7}', name))).toEqual([{ name: 'find_berth', args: { pier: 7 } }]);
    }
  });
});

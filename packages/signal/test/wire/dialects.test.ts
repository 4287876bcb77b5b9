import { describe, expect, it } from 'vitest';
import { closed, contractOf, failureOf, findBerth, integer, open, routeCalls, routeContent, short, text, toolOf } from './support.ts';

const output = closed({ label: text });
const call = { calls: [['find_berth', { pier: 7 }]] };
const withNote = { calls: [['find_berth', { pier: 7, note: 'low' }]] };
const route = (content: string, schema: Readonly<Record<string, unknown>> | undefined = output, finish: 'stop' | 'length' = 'stop') =>
  routeContent(content, schema, { finish }, { declared: [findBerth] });

const dsml = (args: string): string =>
  `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_berth\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`;

const dialects: readonly (readonly [string, string, unknown])[] = [
  ['[path-A15] a python tag', '<|python_tag|>{"name":"find_berth","parameters":{"pier":7}}<|eom_id|>', call],
  ['[path-A16] a bare call object', '{"name":"find_berth","parameters":{"pier":7}}', call],
  ['[path-A16] a fenced call object', '```json\n{"name":"find_berth","arguments":{"pier":7}}\n```', call],
  ['[path-A17] a pythonic call', "[find_berth(pier=7, note='low')]", withNote],
  ['[path-A18] a Hermes tag', '<tool_call>\n{"name":"find_berth","arguments":{"pier":7}}\n</tool_call>', call],
  ['[path-A19] a Mistral list', '[TOOL_CALLS][{"name":"find_berth","arguments":{"pier":7}}]', call],
  ['[path-A19] a Mistral call with its arguments', '[TOOL_CALLS]find_berth[ARGS]{"pier":7}', call],
  ['[path-A20] a DeepSeek block', dsml('{"pier":7}'), call],
  ['[path-A21] a harmony channel', '<|channel|>commentary to=functions.find_berth <|constrain|>json<|message|>{"pier":7}<|call|>', call],
  ['[path-A22] Qwen coder XML', '<function=find_berth>\n<parameter=pier>\n7\n</parameter>\n</function>', call],
  ['a function tag', '<function=find_berth>{"pier": 7}</function>', call],
];

describe('calls written as text', () => {
  it.each(dialects)('[SG-068] %s is a call of the declared tool', (_title, content, wanted) => {
    expect(short(route(content))).toEqual(wanted);
    expect(short(routeContent(content, undefined, {}, { declared: [findBerth] }))).toEqual(wanted);
  });

  it.each(dialects)('[SG-068] %s is no call where its tool is not declared', (_title, content) => {
    const other = toolOf('other', closed({}));
    expect(routeContent(content, output, {}, { declared: [other] }).outcome.kind).toBe('failed');
    expect(routeContent(content, output).outcome.kind).toBe('failed');
  });

  it.each(dialects)('[SG-068] %s is gated by the schema of its tool', (_title, content) => {
    const strict = toolOf('find_berth', closed({ pier: { type: 'integer', minimum: 8 }, 'note?': text }));
    expect(short(routeContent(content, output, {}, { declared: [strict] }))).toEqual({ fails: 'schema_mismatch' });
  });

  it.each(dialects)('[SG-068] %s is not looked for beside a structured call', (_title, content) => {
    const other = toolOf('other', closed({}));
    const routed = routeCalls([['other', '{}']], contractOf(output, { declared: [other, findBerth] }), { content });
    expect(short(routed)).toEqual({ calls: [['other', {}]] });
  });

  it.each(dialects)('[SG-068] [SG-071] %s in reasoning is none', (_title, content) => {
    expect(short(route(`<think>${content}</think>\n{"label":"ok"}`))).toEqual({ value: { label: 'ok' } });
  });

  it.each(dialects)('[SG-072] %s that was cut anywhere before its arguments were whole does not run', (_title, content) => {
    // A closing tag that has begun says that no parameter follows.
    const closers = content.includes('<parameter=') ? ['</'] : ['}', '}]', ')]'];
    const end = Math.max(...closers.map((closer) => content.lastIndexOf(closer) + closer.length - 1));
    const ran: string[] = [];
    for (const finish of ['stop', 'length'] as const) {
      for (let at = 0; at < end; at += 1) {
        const cut = content.slice(0, at);
        if (route(cut, {}, finish).outcome.kind === 'tool_calls') ran.push(`${finish}: ${cut}`);
      }
    }
    expect(ran).toEqual([]);
  });

  it('[path-A18] a tag that is not closed is a call if its arguments are whole', () => {
    expect(short(route('<tool_call>\n{"name":"find_berth","arguments":{"pier":7}}'))).toEqual(call);
    const cut = route('<tool_call>\n{"name":"find_berth","arguments":{"pier":7');
    expect(failureOf(cut).evidence.salvagedCalls).toMatchObject([{ name: 'find_berth', complete: false }]);
  });

  it('[path-A16] an object with more keys than a call is data', () => {
    const schema = open({ name: text });
    const content = '{"name":"find_berth","parameters":{"pier":7},"length":12}';
    expect(short(route(content, schema))).toEqual({ value: JSON.parse(content) });
  });

  it('[path-A17] nothing is evaluated: only literals are arguments', () => {
    for (const args of ['pier=3+4', 'pier=int("7")', 'pier=x', 'pier=[7 for i in y]', '**{"pier":7}']) {
      expect(route(`[find_berth(${args})]`).outcome.kind).toBe('failed');
    }
  });

  it('[path-A21] a name with a leaked channel is the declared one', () => {
    const contract = contractOf(output, { declared: [findBerth] });
    expect(short(routeCalls([['find_berth<|channel|>commentary', '{"pier":7}']], contract))).toEqual(call);
  });

  it('[path-A22] [SG-071] XML parameters are typed by the schema', () => {
    const codes = toolOf('codes', closed({ zip: text, n: integer, on: { type: 'boolean' } }));
    const content =
      '<function=codes>\n<parameter=zip>\n0077\n</parameter>\n<parameter=n>\n7\n</parameter>\n<parameter=on>\ntrue\n</parameter>\n</function>';
    const routed = routeContent(content, output, {}, { declared: [codes] });
    expect(short(routed)).toEqual({ calls: [['codes', { zip: '0077', n: 7, on: true }]] });
  });

  it('[SG-068] two calls in one text are two calls', () => {
    const two = [7, 8].map((pier) => `<tool_call>\n{"name":"find_berth","arguments":{"pier":${pier}}}\n</tool_call>`).join('\n');
    expect(short(route(two))).toEqual({ calls: [7, 8].map((pier) => ['find_berth', { pier }]) });
  });

  it('[SG-068] the exit tool as text is output', () => {
    const exit = toolOf('respond', output);
    const content = '<tool_call>{"name":"respond","arguments":{"label":"ok"}}</tool_call>';
    const routed = routeContent(content, output, {}, { declared: [exit, findBerth], exitTool: 'respond' });
    expect(short(routed)).toEqual({ value: { label: 'ok' } });
  });
});

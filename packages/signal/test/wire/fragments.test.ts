import { describe, expect, it } from 'vitest';
import { listOf, open, routeContent, short, text, toolOf } from './support.ts';

describe('a value that is a piece of something larger', () => {
  it.each([
    ['an escaped quote stands before it on its line', 'North\\" & [\n"a",\n"b"\n]', listOf(text)],
    ['an escaped quote stands behind its closers', '{"a":1}\n} , \\"end', open({})],
    ['an encoded list touches a closer', '[\n "[]"\n]"[]"\n]', listOf(text)],
  ])('[SG-064] is no answer: %s', (_what, content, schema) => {
    expect(short(routeContent(content, schema))).toEqual({ fails: 'invalid_json' });
  });

  it.each(['<function=respond></function>', '<function/respond></function>'])(
    '[SG-064] an exit call without arguments is no output: %s',
    (content) => {
      const contract = { declared: [toolOf('respond', open({}))], exitTool: 'respond' };
      expect(short(routeContent(content, open({}), {}, contract))).toEqual({ fails: 'schema_mismatch' });
    },
  );
});

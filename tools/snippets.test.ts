import { describe, expect, it } from 'vitest';
import { regionOf, syncSnippets } from './snippets.mjs';

const example = `import { a } from 'a';
// #region outer
const one = a();
  // #region inner
  if (one) {
    use(one);
  }
  // #endregion
// #endregion outer
end();
`;

describe('regionOf', () => {
  it('takes a region without its marks and its common indentation', () => {
    expect(regionOf(example, 'inner')).toBe('if (one) {\n  use(one);\n}');
    expect(regionOf(example, 'outer')).toBe('const one = a();\n  if (one) {\n    use(one);\n  }');
    expect(regionOf(example, undefined)).toBe("import { a } from 'a';\nconst one = a();\n  if (one) {\n    use(one);\n  }\nend();");
  });

  it('gives nothing for a region that is not there, or is not closed', () => {
    expect(regionOf(example, 'none')).toBeUndefined();
    expect(regionOf('// #region open\na();\n', 'open')).toBeUndefined();
  });
});

describe('syncSnippets', () => {
  const read = (path: string): string | undefined => (path === 'examples/a.ts' ? example : undefined);
  const fence = (body: string): string => `# Title\n\n<!-- snippet: examples/a.ts#inner -->\n\`\`\`ts\n${body}\`\`\`\n\nEnd.\n`;
  const right = fence('if (one) {\n  use(one);\n}\n');

  it('accepts a fence that is its region', () => {
    expect(syncSnippets(right, read)).toEqual({ text: right, problems: [] });
  });

  it('reports a fence that is not, and writes it right, an empty one too', () => {
    expect(syncSnippets(fence('old();\n'), read)).toEqual({ text: right, problems: ['line 4: differs from examples/a.ts#inner'] });
    expect(syncSnippets(fence(''), read).text).toBe(right);
  });

  it('reports a source that is not there, and leaves the fence', () => {
    const wrong = right.replace('#inner', '#gone');
    expect(syncSnippets(wrong, read)).toEqual({ text: wrong, problems: ['line 4: examples/a.ts#gone does not exist'] });
  });

  it('reports code that has no source, and leaves shell commands alone', () => {
    const text = '```ts\na();\n```\n\n```sh\nnpm test\n```\n\n<!-- snippet: examples/a.ts#inner -->\n\nText between.\n\n```js\na();\n```\n';
    expect(syncSnippets(text, read)).toEqual({
      text,
      problems: ['line 1: a fence of code without a source', 'line 13: a fence of code without a source'],
    });
  });

  it('does not take a fence inside a longer fence for one', () => {
    const text = '````md\n```ts\na();\n```\n````\n';
    expect(syncSnippets(text, read)).toEqual({ text, problems: [] });
  });
});

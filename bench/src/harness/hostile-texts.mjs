// Texts that would be slow for a reader that starts again at each of their marks.

const filled = (/** @type {string} */ unit) => (/** @type {number} */ length) => unit.repeat(Math.ceil(length / unit.length));
const nested = (/** @type {string} */ open, /** @type {string} */ close) => (/** @type {number} */ length) => {
  const depth = Math.floor(length / (open.length + close.length));
  return open.repeat(depth) + close.repeat(depth);
};

/** @type {readonly { readonly name: string, readonly write: (length: number) => string }[]} */
export const hostileTexts = [
  ...['{', '[', '}', '"', "'", '\\', '`', '“', '<', '{"a":', '{"a":{', '[[1],', '{\\"', '"\\"'].map((unit) => ({
    name: `openers ${unit}`,
    write: filled(unit),
  })),
  ...['```\n', '```json\n"', '```json\n{"a": 1}\n```\n', '~~~', '```js\nf({ x: "y" })\n', '\n```json\n{x}'].map((unit) => ({
    name: `fences ${JSON.stringify(unit)}`,
    write: filled(unit),
  })),
  ...[
    '<think>',
    '</think>',
    '<think></think>',
    '\n</think>\n',
    '{x}\n</think>\n',
    '[THINK]',
    '<|channel|>analysis<|message|>',
    '<answer>',
    '<answer>"',
  ].map((unit) => ({ name: `marks ${JSON.stringify(unit)}`, write: filled(unit) })),
  ...[
    '<tool_call>',
    '<tool_call>{',
    '<function=find>',
    '<function=find>{"orders":1}',
    '<invoke name="find">',
    'find(',
    '[find(',
    '[TOOL_CALLS]find{',
    'functions.find:0{',
  ].map((unit) => ({ name: `calls ${JSON.stringify(unit)}`, write: filled(unit) })),
  ...[
    '{} ',
    '{x} ',
    '[1] ',
    '{"a":1},',
    '{"orders":[]}\n',
    '{"a":"b" c} ',
    '{a} "',
    '"a": {} ',
    'x[0] ',
    '{/*',
    '{//',
    '{"a":1}}',
    '&quot;',
    '{&quot;a',
    '{\\"a\\":1} ',
  ].map((unit) => ({ name: `candidates ${JSON.stringify(unit)}`, write: filled(unit) })),
  { name: 'words', write: filled('function of the prose, ') },
  { name: 'white space', write: filled(' \n') },
  { name: 'invisible characters', write: filled('\u200b') },
  { name: 'deep lists', write: nested('[', ']') },
  { name: 'deep objects', write: (length) => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}` },
  { name: 'a long string', write: (length) => `{"a": "${'x'.repeat(length)}",}` },
  { name: 'a long string of escapes', write: (length) => `{"a": "${'\\n'.repeat(length / 2)}",}` },
  { name: 'an open string', write: (length) => `{"a": "${'x\\"'.repeat(length / 3)}` },
  { name: 'many keys', write: (length) => `{${Array.from({ length: length / 16 }, (_, index) => `"k${index}": ${index},`).join('')}}` },
  { name: 'one key', write: (length) => `{${'"a": 1,'.repeat(length / 7)}}` },
  { name: 'many edits', write: (length) => `[${"'a',".repeat(length / 4)}]` },
  { name: 'a long number', write: (length) => `[${'1'.repeat(length)},]` },
  { name: 'a long bare word', write: (length) => `{${'a'.repeat(length)}: 1}` },
  { name: 'a comment', write: (length) => `{"a": 1 /*${' *'.repeat(length / 2)}*/}` },
  { name: 'quotes behind comments', write: (length) => `{"a": "b" //${' "x'.repeat(length / 3)}\n}` },
  { name: 'stringified layers', write: (length) => layered(length) },
];

/** A value encoded as often as its length allows: each layer doubles the escapes. @param {number} length */
function layered(length) {
  let text = '{"orders": []}';
  while (text.length < length / 2) text = JSON.stringify(text);
  return text;
}

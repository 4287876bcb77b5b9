import type { Random } from './random.ts';

const plainWords = [
  'pier',
  'harbour',
  'low tide',
  'Ghent',
  'wren',
  'seven',
  'blue',
  'yes',
  'no',
  'ok',
  '42',
  '0077',
  'a',
  'Marta',
  'ready',
  'N/A',
  'The "Big" Sale',
  "it's late",
  'one\ntwo',
  'x + \\alpha',
  'respond',
  'lookup_stock',
];

/** Pieces that look like syntax somewhere. Inside a string each is data. */
const hostilePieces = [
  '"',
  '""',
  '\\',
  '\\\\',
  '\\"',
  "\\'",
  '{',
  '}',
  '[',
  ']',
  '{}',
  '[]',
  '{"a":1}',
  '[1,2]',
  '"text"',
  '{"output":{"n":1}}',
  '```',
  '```json\n{"a":1}\n```',
  '<think>',
  '</think>',
  '<think>no</think>',
  '<tool_call>',
  '</tool_call>',
  '<function=respond>',
  '</function>',
  '[TOOL_CALLS]',
  '<|channel|>final<|message|>',
  '<|end|>',
  'assistantfinal',
  '<answer>',
  '</answer>',
  '<![CDATA[',
  ']]>',
  '// not a comment',
  '/* nor this */',
  '# heading',
  '*/',
  'None',
  'True',
  'null',
  'NaN',
  'undefined',
  ',',
  ', ',
  ',}',
  ',]',
  '":',
  '", "',
  ': ',
  ';',
  "it's",
  "'",
  "', '",
  '`code`',
  '\u0024{x}',
  '{{name}}',
  '“quoted”',
  '‘single’',
  '„low“',
  '«guillemet»',
  '：',
  '，',
  '\n',
  '\r\n',
  '\t',
  'tab\there',
  '\u0000',
  '\u001b[0m',
  '\u007f',
  'C:\\Users\\new\\bin',
  '\\alpha + \\sum x',
  '^\\d{3}-\\w+$',
  '\\u0041',
  '\\n',
  '&quot;',
  '&amp;',
  '&lt;b&gt;',
  '<b>bold</b>',
  '...',
  '…',
  '1,250',
  '007',
  '1e999',
  '9007199254740993',
  '👩‍🔬',
  '🦀',
  'é',
  'e\u0301',
  '王芳',
  'שלום',
  '\u200b',
  '\ufeff',
  '\u00a0',
  '\u2028',
  '\u2029',
  '\u202eabc\u202c',
  'http://x.y/z?a=1&b=%7B%7D',
  'print(json.dumps({"a": None}))',
  '__proto__',
  '|',
  '| a | b |',
  ' ',
  '',
] as const;

/** Pieces that one of the four checks may refuse though the text is valid (SG-070): a failure, never another value. */
const refusedPieces = ['\frac', '\boldsymbol', '\ud83d', '\udc00', 'C:\new', '\f', '\b'] as const;

function noise(random: Random): string {
  let text = '';
  for (let left = 1 + random.below(8); left > 0; left -= 1) {
    const kind = random.below(8);
    if (kind < 5) text += String.fromCharCode(32 + random.below(95));
    else if (kind === 5) text += String.fromCharCode(0xa1 + random.below(0x2000));
    else if (kind === 6) text += String.fromCodePoint(0x1f300 + random.below(0x2ff));
    else text += random.pick(hostilePieces);
  }
  return text;
}

/** What looks like an escape that was destroyed (SG-070). */
const destroyedEscape = /[a-z]:[\u0000-\u001f]|[\f\b][a-z]/i;

/** A text for a string value. `refused` admits what the four checks may refuse. */
export function drawText(random: Random, refused: boolean): string {
  const text = drawAnyText(random, refused);
  return !refused && destroyedEscape.test(text) ? 'harbour' : text;
}

function drawAnyText(random: Random, refused: boolean): string {
  const kind = random.below(20);
  if (kind < 6) return random.pick(plainWords);
  if (kind < 10) return random.pick(hostilePieces);
  if (kind < 15) {
    const words: string[] = [];
    for (let left = 2 + random.below(3); left > 0; left -= 1) words.push(random.pick(random.chance(0.6) ? hostilePieces : plainWords));
    return words.join(random.pick(['', ' ', ' ']));
  }
  if (kind < 18) return noise(random);
  if (kind === 18 && refused) return random.pick(plainWords) + random.pick(refusedPieces) + random.pick(plainWords);
  return random.chance(0.04)
    ? random.pick(hostilePieces).repeat(200)
    : `${random.pick(plainWords)} ${random.pick(hostilePieces)} ${random.pick(plainWords)}`;
}

/** Names as a schema's author writes them. */
export const plainKeys = [
  'id',
  'title',
  'count',
  'tags',
  'items',
  'kind',
  'note',
  'price',
  'owner',
  'ready',
  'start',
  'city',
  'pier',
  'rows',
  'meta',
] as const;

/** Names that are something else to a parser, an envelope or a prototype. */
export const hostileKeys = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  'output',
  'data',
  'result',
  'response',
  'answer',
  'json',
  'input',
  'name',
  'arguments',
  'parameters',
  'type',
  'function',
  'tool_calls',
  'properties',
  'respond',
  'null',
  'true',
  'NaN',
  'None',
  '0',
  '12',
  '',
  ' ',
  'two words',
  'dash-ed',
  'dot.ted',
  'sl/ash~tilde',
  'quo"te',
  "apos'trophe",
  'back\\slash',
  'new\nline',
  '姓名',
  'naïve',
  'сode',
  '🧪',
  '$ref',
  '#',
  '//',
  '{',
  '}',
  'a:b',
  'a,b',
  '<think>',
  '```',
  '“smart”',
  'prototype',
] as const;

import type { Random } from '../draw/random.ts';
import type { Json } from '../draw/shape.ts';
import { resolveShape, type Shape } from '../draw/shape.ts';
import type { Mangler, MangleState } from '../mangle.ts';
import { asRecord, has, hasLoneSurrogate, isContainer, textMangler, tolerable } from './support.ts';

/** The document as the arguments of a call to the exit tool, written as text the way some model family does. */
function dialect(id: string, spell: (name: string, text: string, random: Random, state: MangleState) => string | undefined): Mangler {
  return textMangler(
    `dialect:${id}`,
    (text, random, state) => {
      if (state.channel === 'arguments' || state.exitTool === undefined || asRecord(state.shown) === undefined) return undefined;
      return has(state, 'dialect', 'statement', 'repeated', 'encoded') ? undefined : spell(state.exitTool, text, random, state);
    },
    ['dialect', 'statement', 'repeated'],
  );
}

const callJson = (name: string, text: string, random: Random): string =>
  `{"name":${random.pick(['', ' '])}"${name}","${random.pick(['arguments', 'arguments', 'parameters'])}":${random.pick(['', ' '])}${text}}`;

/** The parameter's text in the XML form, which has no types: undefined where more than one type could be meant. */
function xmlText(value: Json, shape: Shape): string | undefined {
  if (typeof value === 'string') {
    const plain = shape.kind === 'string' || (shape.kind === 'literal' && shape.values.every((one) => typeof one === 'string'));
    return plain && value.trim() === value && value !== '' && !/[<>&\r]/.test(value) && !hasLoneSurrogate(value) ? value : undefined;
  }
  if (typeof value === 'number') return shape.kind === 'number' && !Object.is(value, -0) ? String(value) : undefined;
  if (typeof value === 'boolean') return shape.kind === 'boolean' ? String(value) : undefined;
  if (!isContainer(value) || (shape.kind !== 'object' && shape.kind !== 'array')) return undefined;
  const text = JSON.stringify(value);
  return /[<>&]/.test(text) ? undefined : text;
}

function xmlParameters(state: MangleState, separator: string): string | undefined {
  const record = asRecord(state.shown);
  const { root, set } = state.schema;
  if (record === undefined || root.kind !== 'object' || state.shown !== state.value) return undefined;
  const lines: string[] = [];
  for (const [key, value] of Object.entries(record)) {
    const property = root.properties.find((one) => one.key === key);
    const text = property === undefined || !/^[\w-]+$/.test(key) ? undefined : xmlText(value, resolveShape(property.shape, set));
    if (text === undefined) return undefined;
    lines.push(`<parameter=${key}>${separator}${text}${separator}</parameter>`);
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}

function pythonLiteral(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  const record = asRecord(value);
  if (record === undefined) return JSON.stringify(value);
  return `{${Object.entries(record)
    .map(([key, member]) => `${JSON.stringify(key)}: ${pythonLiteral(member)}`)
    .join(', ')}}`;
}

function pythonCall(name: string, state: MangleState): string | undefined {
  const record = asRecord(state.shown);
  if (record === undefined || state.shown !== state.value) return undefined;
  const entries = Object.entries(record);
  if (!entries.every(([key]) => /^[a-z_]\w*$/.test(key))) return undefined;
  return `[${name}(${entries.map(([key, value]) => `${key}=${pythonLiteral(value)}`).join(', ')})]`;
}

export const dialectManglers: readonly Mangler[] = [
  dialect(
    'function-tag',
    (name, text, random) => `<function=${name}${random.pick(['>', '>', '>\n'])}${text}${random.pick(['', '\n'])}</function>`,
  ),
  dialect('function-tag-open', (name, text, random) => `<function=${name}${random.pick(['', ' ', '='])}${text}</function>`),
  tolerable(dialect('function-slash', (name, text) => `<function/${name}>${text}</function>`)),
  dialect('tool-call-tag', (name, text, random) => {
    const gap = random.pick(['', '\n']);
    return `<tool_call>${gap}${callJson(name, text, random)}${gap}</tool_call>`;
  }),
  dialect('tool-call-twice', (name, text, random, state) => {
    if (has(state, 'damaged')) return undefined;
    const call = `<tool_call>${callJson(name, text, random)}</tool_call>`;
    return `${call}\n${call}`;
  }),
  tolerable(
    dialect('undeclared-name', (_name, text, random, state) =>
      // Where the call itself conforms, it may as well be the answer.
      state.schema.passes({ name: 'final_answer', arguments: state.shown }) ||
      state.schema.passes({ name: 'final_answer', parameters: state.shown })
        ? undefined
        : `<tool_call>${callJson('final_answer', text, random)}</tool_call>`,
    ),
  ),
  dialect('mistral-list', (name, text, random) => `[TOOL_CALLS][${callJson(name, text, random)}]`),
  dialect('mistral-args', (name, text) => `[TOOL_CALLS]${name}[ARGS]${text}`),
  dialect('python-tag', (name, text, random) => `<|python_tag|>${callJson(name, text, random)}${random.pick(['', '<|eom_id|>'])}`),
  dialect('call-fence', (name, text, random) => `\`\`\`tool_call\n${callJson(name, text, random)}\n\`\`\``),
  dialect(
    'deepseek',
    (name, text) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${text}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ),
  dialect(
    'kimi',
    (name, text) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${text}<|tool_call_end|><|tool_calls_section_end|>`,
  ),
  dialect('harmony-call', (name, text) => `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${text}<|call|>`),
  dialect('xml-parameters', (name, _text, random, state) => {
    const inner = xmlParameters(state, random.pick(['\n', '']));
    const body = inner === undefined ? undefined : `<function=${name}>\n${inner}\n</function>`;
    return body === undefined || random.chance(0.5) ? body : `<tool_call>\n${body}\n</tool_call>`;
  }),
  tolerable(dialect('pythonic', (name, _text, _random, state) => pythonCall(name, state))),
];

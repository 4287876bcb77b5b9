import type { JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabContent } from '../answer.ts';
import { type AnswerCall, argumentsOf, asText, onlyCall } from './build.ts';
import { nesting } from './json-text.ts';
import { type Apply, type Pathology, type PathologyContext, type PathologyWire, row } from './pathology.ts';
import { membersOf, pythonLiteral } from './rejected-calls.ts';

const textWires: readonly PathologyWire[] = ['openai-chat', 'openai-responses', 'ollama'];
const recovered = 'the call is recovered from the text when its name is declared';

/** The only call of the answer, written as text. */
const onlyCallAsText =
  (write: (call: AnswerCall, context: PathologyContext) => string | undefined) =>
  (answer: LabAnswer, context: PathologyContext): LabContent | undefined => {
    const call = onlyCall(answer);
    const text = call === undefined ? undefined : write(call, context);
    return text === undefined ? undefined : asText(answer, text);
  };

const textRow = (id: string, title: string, apply: Apply): Pathology =>
  row(id, title, {
    wires: textWires,
    needs: 'tools',
    expected: 'tool_calls',
    outcome: recovered,
    ...(apply === undefined ? {} : { apply }),
  });

/** The arguments hold none of these marks, so that the text reads one way only. */
const free = (call: AnswerCall, ...marks: readonly string[]): boolean => marks.every((mark) => !call.arguments.includes(mark));

/** Deeper arguments are not written as Python. */
const deepestLiteral = 16;

const named = (call: AnswerCall, key: string): string => `{"name":${JSON.stringify(call.name)},"${key}":${call.arguments}}`;

/** A15 to A22: calls that the server's parser missed, so that they arrive as content. */
export const textCalls: readonly Pathology[] = [
  textRow(
    'A15',
    'llama-python-tag',
    onlyCallAsText((call) => (free(call, '<|') ? `<|python_tag|>${named(call, 'parameters')}<|eom_id|>` : undefined)),
  ),
  textRow(
    'A16',
    'llama-json-text',
    onlyCallAsText((call) => named(call, 'parameters')),
  ),
  textRow(
    'A17',
    'llama-pythonic',
    onlyCallAsText((call) => {
      const members = membersOf(call.arguments);
      return members === undefined || nesting(call.arguments) > deepestLiteral
        ? undefined
        : `[${call.name}(${members.map(([name, value]) => `${name}=${pythonLiteral(value)}`).join(', ')})]`;
    }),
  ),
  textRow('A18', 'hermes-tag', (answer, { frame }) => {
    if (answer.toolCalls.some((call) => !free(call, '<tool_call', '</tool_call'))) return undefined;
    const text = answer.toolCalls.map((call) => `<tool_call>\n${named(call, 'arguments')}\n</tool_call>`).join('\n');
    return asText(answer, frame.random.below(2) === 0 ? text : text.slice(0, -'\n</tool_call>'.length));
  }),
  textRow('A19', 'mistral-tag', (answer, { frame }) => {
    const [first] = answer.toolCalls;
    const bare = first !== undefined && answer.toolCalls.length === 1 && frame.random.below(2) === 0;
    if (bare) return asText(answer, `[TOOL_CALLS]${first.name}[ARGS]${first.arguments}`);
    return asText(answer, `[TOOL_CALLS][${answer.toolCalls.map((call) => named(call, 'arguments')).join(', ')}]`);
  }),
  textRow('A20', 'deepseek-dsml', (answer) => {
    if (answer.toolCalls.some((call) => !free(call, '```', '<｜'))) return undefined;
    const calls = answer.toolCalls.map(
      (call) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${call.arguments}\n\`\`\`<｜tool▁call▁end｜>`,
    );
    return asText(answer, `<｜tool▁calls▁begin｜>${calls.join('')}<｜tool▁calls▁end｜>`);
  }),
  textRow('A21', 'harmony-leak', (answer, context) => {
    if (context.frame.random.below(2) === 0) {
      const leaked = answer.toolCalls.map((call) => ({ ...call, name: `${call.name}<|channel|>commentary` }));
      return { ...asText(answer, ''), text: answer.text ?? '', toolCalls: leaked, finish: answer.finish };
    }
    const write = onlyCallAsText((call) =>
      free(call, '<|')
        ? `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${call.arguments}<|call|>`
        : undefined,
    );
    return write(answer, context);
  }),
  textRow(
    'A22',
    'qwen-coder-xml',
    onlyCallAsText((call) => {
      const members = Object.entries(argumentsOf(call) ?? {});
      const isPlain = members.every(
        ([, value]) => typeof value !== 'string' || (!/[<>]/.test(value) && value.trim() === value && value !== ''),
      );
      if (!isPlain || !free(call, '</')) return undefined;
      const parameters = members.map(([name, value]) => `<parameter=${name}>\n${plain(value)}\n</parameter>\n`).join('');
      return `<function=${call.name}>\n${parameters}</function>`;
    }),
  ),
];

function plain(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

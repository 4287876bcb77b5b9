import { isJsonObject, type JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabReply } from '../answer.ts';
import { choiceChunk, dataEvent } from '../wires/openai-chat.ts';
import { jsonReply } from '../wires/wire.ts';
import { type AnswerCall, argumentsOf, cutAtLastColon, firstHalf, onlyCall, parsed, refusedOutput, streamOfBlocks } from './build.ts';
import { type Apply, type Pathology, type PathologyContext, row } from './pathology.ts';

const callMessage = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
const jsonMessage = "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.";

/** A refused call: the model's own calls, as it wrote them, in `failed_generation`. */
const refusedCall =
  (write: (calls: readonly AnswerCall[], context: PathologyContext) => string | undefined): Apply =>
  (answer, context) => {
    const generation = write(answer.toolCalls, context);
    return generation === undefined ? undefined : { raw: refusedOutput(callMessage, 'tool_use_failed', generation) };
  };

/** A refused answer in JSON mode. */
const refusedJson =
  (write: (text: string) => string | undefined): Apply =>
  (answer) => {
    const generation = write(answer.text ?? '');
    return generation === undefined ? undefined : { raw: refusedOutput(jsonMessage, 'json_validate_failed', generation) };
  };

const eachCall = (calls: readonly AnswerCall[], write: (call: AnswerCall) => string): string => calls.map(write).join('\n');

/** `{ "tool_calls": [...] }` as the model writes it, with the key that it uses for arguments. */
function pendingCalls(calls: readonly AnswerCall[], argumentsKey: string, indent: number): string {
  const listed = calls.map((call) => ({
    id: 'pending',
    type: 'function',
    function: { name: call.name },
    [argumentsKey]: argumentsOf(call) ?? {},
  }));
  return JSON.stringify({ tool_calls: listed }, null, indent);
}

const recovered = 'the call is recovered from failed_generation when its name is declared and its arguments pass';

/** A1 to A14: a server that checks tool calls and JSON itself, and refuses the model's output with a 400. */
export const rejectedCalls: readonly Pathology[] = [
  row('A1', 'groq-fn-tag', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: recovered,
    apply: refusedCall((calls) => eachCall(calls, (call) => `<function=${call.name}>${call.arguments}</function>`)),
  }),
  row('A2', 'groq-fn-inline', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: recovered,
    apply: refusedCall((calls, { frame }) => {
      const inTag = frame.random.below(2) === 0;
      return eachCall(calls, (call) =>
        inTag ? `<function=${call.name} ${call.arguments}>` : `<function=${call.name}${call.arguments}</function>`,
      );
    }),
  }),
  row('A3', 'groq-bare-name', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: recovered,
    apply: refusedCall((calls) => eachCall(calls, (call) => `${call.name}${call.arguments}</function>`)),
  }),
  row('A4', 'groq-cut', {
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'cut inside the arguments: never completed by a guess',
    apply: refusedCall(([call]) => {
      const cut = call === undefined ? undefined : cutAtLastColon(call.arguments);
      return cut === undefined ? undefined : `<function=${call?.name}>${cut}`;
    }),
  }),
  row('A5', 'groq-json-fence', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: recovered,
    apply: refusedCall((calls, { frame }) => {
      const key = ['parameters', 'arguments', 'args'][frame.random.below(3)] ?? 'parameters';
      return `\`\`\`json\n${pendingCalls(calls, key, 1)}\n\`\`\``;
    }),
  }),
  row('A6', 'groq-tool-use-tag', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: recovered,
    apply: refusedCall((calls) => `<tool-use>\n${pendingCalls(calls, 'parameters', 0)}\n</tool-use>`),
  }),
  row('A7', 'groq-prose', {
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'the model answered in prose where a call was refused: no candidate',
    apply: refusedCall(([call]) => `### What I found\nI looked at ${call?.name} and everything seems to be in order.`),
  }),
  row('A8', 'groq-schema-mismatch', {
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'a number written as a string: no coercion, the message feeds the correction',
    apply: mismatch,
  }),
  row('A9', 'groq-undeclared', {
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'the model called a tool that was not declared',
    apply: () => {
      const message = "tool call validation failed: attempted to call tool 'json' which was not in request.tools";
      return { raw: refusedOutput(message, 'tool_use_failed', undefined) };
    },
  }),
  row('A10', 'groq-json-validate', {
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'the generation is cut inside a value',
    apply: refusedJson(cutAtLastColon),
  }),
  row('A11', 'groq-json-empty', { needs: 'json', expected: 'typed-failure', outcome: 'an empty generation', apply: refusedJson(() => '') }),
  row('A12', 'groq-json-prose', {
    needs: 'json',
    expected: 'value',
    outcome: 'the JSON in the fence of the generation',
    apply: refusedJson((text) => `Here is the JSON:\n\`\`\`json\n${text}\n\`\`\``),
  }),
  row('A13', 'groq-no-schema-support', {
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'the refusal, as an invalid request: a run does not change its format',
    apply: (_answer, { request }) => {
      if (request.format.type !== 'json_schema') return undefined;
      const message = 'This model does not support response format `json_schema`. See supported models at the documentation.';
      return { raw: jsonReply(400, { error: { message, type: 'invalid_request_error', param: 'response_format' } }) };
    },
  }),
  row('A14', 'groq-stream-error', {
    needs: 'any',
    delivery: 'parts',
    expected: 'typed-failure',
    outcome: 'overloaded, partial output attached',
    apply: (answer, context) => {
      const { choices: _none, ...head } = choiceChunk(context.frame, {});
      const error = dataEvent({ ...head, choices: [], x_groq: { id: context.frame.requestId, error: 'over capacity' } });
      return streamOfBlocks([...firstHalf(answer, context), error], context.frame);
    },
  }),
];

/** One number or truth of the only call, written as a string. */
function mismatch(answer: LabAnswer): LabReply | undefined {
  const call = onlyCall(answer);
  const values = call === undefined ? undefined : argumentsOf(call);
  const found = Object.entries(values ?? {}).find(([, value]) => typeof value === 'number' || typeof value === 'boolean');
  if (call === undefined || values === undefined || found === undefined) return undefined;
  const [name, value] = found;
  const expected = typeof value === 'boolean' ? 'boolean' : Number.isInteger(value) ? 'integer' : 'number';
  const message = `tool call validation failed: parameters for tool ${call.name} did not match schema: errors: [\`/${name}\`: expected ${expected}, but got string]`;
  const generation = `<function=${call.name}>${JSON.stringify({ ...values, [name]: String(value) })}</function>`;
  return { raw: refusedOutput(message, 'tool_use_failed', generation) };
}

/** A JSON value as a Python literal. Bounded by the depth that the lab accepts of a body. */
export function pythonLiteral(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${pythonLiteral(key)}: ${pythonLiteral(member)}`)
      .join(', ')}}`;
  return Array.isArray(value) ? `[${value.map(pythonLiteral).join(', ')}]` : String(value);
}

/** The members of a text that is a JSON object; undefined when it is none. */
export function membersOf(text: string): readonly (readonly [string, JsonValue])[] | undefined {
  const value = parsed(text);
  return isJsonObject(value) ? Object.entries(value) : undefined;
}

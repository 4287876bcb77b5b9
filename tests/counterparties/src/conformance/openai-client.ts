import OpenAI, { OpenAIError } from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import type { ParsedChatCompletion } from 'openai/resources/chat/completions';
import { z } from 'zod';
import { type Ask, idleMs, type PeerClient, thrown } from './client.ts';
import { berth, noArguments } from './scenario.ts';
import type { Outcome } from './verdict.ts';

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[];

const earlier: Messages = [
  { role: 'user', content: 'Was pier 3 free?' },
  {
    role: 'assistant',
    tool_calls: [{ id: 'call_long', type: 'function', function: { name: 'find_berth', arguments: '{"pier":3,"note":""}' } }],
  },
  { role: 'tool', tool_call_id: 'call_long', content: '{}' },
];

const isTyped = (error: unknown): boolean => error instanceof OpenAIError || error instanceof z.ZodError;

/** The `openai` package. */
export const openaiClient: PeerClient = {
  id: 'openai',
  title: 'OpenAI SDK',
  calls: [
    "a value: `client.chat.completions.parse({ response_format: zodResponseFormat(schema, 'berth'), … })`, or `client.chat.completions.stream({ … })` and `await stream.finalChatCompletion()`; the value is `choices[0].message.parsed`, a `refusal` beside it counts as a typed failure",
    'tools: the same two calls with `tools: [zodFunction({ name, parameters })]`; the calls are `message.tool_calls` with `function.parsed_arguments`, validated by zod',
    `\`timeout: ${idleMs}\` on the client, which bounds the wait for the head of a response and not its body: a body that stands still is a hang unless the caller aborts. Retries at their default of 2`,
    'typed: `OpenAIError` and all its subclasses, `ZodError`',
  ],
  async run(ask) {
    try {
      return read(await completionOf(ask), 'calls' in ask.scenario.wanted);
    } catch (error) {
      return thrown(error, isTyped);
    }
  },
};

async function completionOf({ baseUrl, scenario, delivery, signal }: Ask): Promise<ParsedChatCompletion<unknown>> {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: 'none', timeout: idleMs, logLevel: 'off' });
  const messages: Messages = [...(scenario.hasEarlierCall ? earlier : []), { role: 'user', content: scenario.prompt }];
  const common = { model: 'lab', messages };
  const tools = [
    zodFunction({ name: 'find_berth', description: 'Finds a berth.', parameters: berth }),
    zodFunction({ name: 'list_berths', description: 'Lists the berths.', parameters: noArguments }),
  ];
  const body =
    'calls' in scenario.wanted
      ? {
          ...common,
          tools,
          ...(scenario.forced === undefined ? {} : { tool_choice: { type: 'function' as const, function: { name: scenario.forced } } }),
          ...(scenario.oneCallAtATime ? { parallel_tool_calls: false } : {}),
        }
      : { ...common, response_format: zodResponseFormat(berth, 'berth') };
  if (delivery === 'whole') return client.chat.completions.parse(body, { signal });
  return client.chat.completions.stream(body, { signal }).finalChatCompletion();
}

function read(completion: ParsedChatCompletion<unknown>, wantsCalls: boolean): Outcome {
  const message = completion.choices[0]?.message;
  if (message?.refusal) return { kind: 'error', typed: true, name: 'refusal', message: message.refusal };
  if (!wantsCalls) return message?.parsed ? { kind: 'value', value: message.parsed } : { kind: 'nothing' };
  const calls = (message?.tool_calls ?? []).map(({ function: called }) => ({ name: called.name, args: called.parsed_arguments }));
  return calls.length === 0 ? { kind: 'nothing' } : { kind: 'calls', calls };
}

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  AISDKError,
  extractJsonMiddleware,
  extractReasoningMiddleware,
  generateText,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai';
import { type Ask, idleMs, type PeerClient, thrown } from './client.ts';
import { berth, noArguments } from './scenario.ts';
import type { Outcome } from './verdict.ts';

const earlier: ModelMessage[] = [
  { role: 'user', content: 'Was pier 3 free?' },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_long', toolName: 'find_berth', input: { pier: 3, note: '' } }],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'call_long', toolName: 'find_berth', output: { type: 'json', value: {} } }],
  },
];

const tools = {
  find_berth: tool({ description: 'Finds a berth.', inputSchema: berth }),
  list_berths: tool({ description: 'Lists the berths.', inputSchema: noArguments }),
};

const isAbort = (error: unknown): boolean => error instanceof DOMException && ['AbortError', 'TimeoutError'].includes(error.name);
const isTyped = (error: unknown): boolean => AISDKError.isInstance(error) || isAbort(error);

interface ReadCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
  readonly error?: unknown;
}
interface Read {
  readonly output?: unknown;
  readonly calls: readonly ReadCall[];
}

/** Makes the model of an address. */
type MakeModel = (baseUrl: string) => Exclude<LanguageModel, string>;

const plainModel = (baseUrl: string): ReturnType<ReturnType<typeof createOpenAICompatible>> =>
  createOpenAICompatible({ name: 'lab', baseURL: baseUrl, supportsStructuredOutputs: true })('lab');

/** The packages `ai` and `@ai-sdk/openai-compatible`. */
export const aiClient: PeerClient = {
  id: 'ai',
  title: 'AI SDK',
  calls: [
    'the model: `createOpenAICompatible({ name, baseURL, supportsStructuredOutputs: true })(id)`',
    'a value: `generateText({ output: Output.object({ schema }), … })`, or `streamText({ … })` with its `fullStream` read to the end; the value is `await result.output`, and an `abort` part of the stream counts as a typed failure',
    'tools: `generateText` and `streamText` with `tools: { name: tool({ inputSchema }) }`; the calls are `await result.toolCalls`, and a call that is marked `invalid` counts as a typed failure, by its `error`',
    'B33: `providerOptions: { lab: { parallel_tool_calls: false } }`, which goes out as it is',
    `\`timeout: { chunkMs: ${idleMs}, totalMs: ${5 * idleMs} }\`; retries at their default of 2`,
    'typed: `AISDKError` and all its subclasses, `AbortError`, `TimeoutError`',
  ],
  run: (ask) => run(ask, plainModel),
};

/** The same with the middleware that its documentation has for models that think or fence in the text. */
export const aiMiddlewareClient: PeerClient = {
  id: 'ai-middleware',
  title: 'AI SDK with middleware',
  variant: true,
  calls: [
    "as above, and the model is `wrapLanguageModel({ model, middleware: [extractReasoningMiddleware({ tagName: 'think' }), extractJsonMiddleware()] })`",
  ],
  run: (ask) =>
    run(ask, (baseUrl) =>
      wrapLanguageModel({
        model: plainModel(baseUrl),
        middleware: [extractReasoningMiddleware({ tagName: 'think' }), extractJsonMiddleware()],
      }),
    ),
};

async function run(ask: Ask, model: MakeModel): Promise<Outcome> {
  try {
    const wantsCalls = 'calls' in ask.scenario.wanted;
    const result = ask.delivery === 'whole' ? await whole(ask, model, wantsCalls) : await streamed(ask, model, wantsCalls);
    if ('kind' in result) return result;
    return wantsCalls ? callsOf(result.calls) : { kind: 'value', value: result.output };
  } catch (error) {
    return thrown(error, isTyped);
  }
}

function settings(
  { baseUrl, scenario, signal }: Ask,
  model: MakeModel,
): {
  readonly model: ReturnType<MakeModel>;
  readonly messages: ModelMessage[];
  readonly abortSignal: AbortSignal;
  readonly timeout: { readonly chunkMs: number; readonly totalMs: number };
  readonly providerOptions?: { readonly lab: { readonly parallel_tool_calls: false } };
} {
  return {
    model: model(baseUrl),
    messages: [...(scenario.hasEarlierCall ? earlier : []), { role: 'user', content: scenario.prompt }],
    abortSignal: signal,
    timeout: { chunkMs: idleMs, totalMs: 5 * idleMs },
    ...(scenario.oneCallAtATime ? { providerOptions: { lab: { parallel_tool_calls: false } } } : {}),
  };
}

function toolSettings({ scenario }: Ask): {
  readonly tools: typeof tools;
  readonly toolChoice?: { readonly type: 'tool'; readonly toolName: 'find_berth' };
} {
  return { tools, ...(scenario.forced === 'find_berth' ? { toolChoice: { type: 'tool', toolName: scenario.forced } } : {}) };
}

async function whole(ask: Ask, model: MakeModel, wantsCalls: boolean): Promise<Read> {
  if (wantsCalls) return { calls: (await generateText({ ...settings(ask, model), ...toolSettings(ask) })).toolCalls };
  return { output: (await generateText({ ...settings(ask, model), output: Output.object({ schema: berth }) })).output, calls: [] };
}

async function streamed(ask: Ask, model: MakeModel, wantsCalls: boolean): Promise<Read | Outcome> {
  // Errors are read from the parts and the promises; the default handler would only print them.
  const onError = (): void => undefined;
  const result = wantsCalls
    ? streamText({ ...settings(ask, model), ...toolSettings(ask), onError })
    : streamText({ ...settings(ask, model), output: Output.object({ schema: berth }), onError });
  let aborted = false;
  for await (const part of result.fullStream) aborted ||= part.type === 'abort';
  if (aborted) return { kind: 'error', typed: true, name: 'abort', message: 'the stream said that it was aborted' };
  return wantsCalls ? { calls: await result.toolCalls } : { output: await result.output, calls: [] };
}

function callsOf(calls: readonly ReadCall[]): Outcome {
  const invalid = calls.find((call) => call.invalid === true);
  if (invalid !== undefined) return thrown(invalid.error, isTyped);
  return calls.length === 0
    ? { kind: 'nothing' }
    : { kind: 'calls', calls: calls.map(({ toolName, input }) => ({ name: toolName, args: input })) };
}

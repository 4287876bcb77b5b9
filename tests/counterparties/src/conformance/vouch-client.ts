import { createSignal, defineTool, type MessageInput, SignalError, type TryResult } from '@vouch/signal';
import { type Ask, idleMs, type PeerClient, thrown } from './client.ts';
import { berth, noArguments } from './scenario.ts';
import type { Call, Outcome } from './verdict.ts';

const earlier: readonly MessageInput[] = [
  { role: 'user', content: 'Was pier 3 free?' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_long', name: 'find_berth', args: '{"pier":3,"note":""}' }] },
  { role: 'tool', toolCallId: 'call_long', name: 'find_berth', content: '{}' },
];

/** The client of this repository. */
export const vouchClient: PeerClient = {
  id: 'vouch',
  title: 'Vouch',
  calls: [
    "a value: `createSignal({ baseUrl, model, capabilities: { nativeJsonSchema: 'yes', nativeTools: 'yes' } }).schema(schema)`, then `.tryComplete(prompt)`, or `.stream(prompt)` to its last event",
    'tools: the same with `.tools([…])`; the calls that count are those that were executed, whatever came later',
    "A1 to A14, which are one service's refusals: `dialect: 'groq'` beside the address, as for any endpoint that is like a listed one; B33, which needs a field that an unknown endpoint may not take: `dialect: 'openai'`",
    `\`.options({ timeout: { idle: ${idleMs}, firstByte: ${idleMs} } })\`; retries and corrections at their defaults`,
    'typed: every failure is a value; an exception other than `SignalError` would be untyped',
  ],
  async run(ask) {
    const executed: Call[] = [];
    try {
      const result = await resultOf(ask, executed);
      if (!result.ok) return { kind: 'error', typed: true, name: result.failure.kind, message: result.failure.message };
      return 'calls' in ask.scenario.wanted ? called(executed) : { kind: 'value', value: result.response };
    } catch (error) {
      return thrown(error, (it) => it instanceof SignalError);
    }
  },
};

function called(calls: readonly Call[]): Outcome {
  return calls.length === 0 ? { kind: 'nothing' } : { kind: 'calls', calls };
}

async function resultOf({ baseUrl, scenario, delivery, like, signal }: Ask, executed: Call[]): Promise<TryResult<unknown>> {
  const record = (name: string) => (args: unknown) => {
    executed.push({ name, args });
    return 'done';
  };
  const tools = [
    defineTool({ name: 'find_berth', description: 'Finds a berth.', input: berth, execute: record('find_berth') }),
    defineTool({ name: 'list_berths', description: 'Lists the berths.', input: noArguments, execute: record('list_berths') }),
  ];
  const client = createSignal(
    {
      baseUrl,
      model: 'lab',
      capabilities: { nativeJsonSchema: 'yes', nativeTools: 'yes' },
      ...(like === undefined ? {} : { dialect: like }),
    },
    {
      ...('calls' in scenario.wanted ? { tools } : {}),
      ...(scenario.hasEarlierCall ? { history: earlier } : {}),
      ...(scenario.forced === undefined ? {} : { toolChoice: { name: scenario.forced } }),
    },
  )
    .schema(berth)
    .options({ signal, timeout: { idle: idleMs, firstByte: idleMs }, ...(scenario.oneCallAtATime ? { parallelToolCalls: false } : {}) });
  if (delivery === 'whole') return client.tryComplete(scenario.prompt);
  for await (const event of client.stream(scenario.prompt)) {
    if (event.type === 'done') return { ok: true, response: event.response, history: event.history, meta: event.meta };
    if (event.type === 'error') return { ok: false, failure: event.failure };
  }
  throw new Error('the stream ended without done or error');
}

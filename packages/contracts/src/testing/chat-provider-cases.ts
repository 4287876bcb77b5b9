import type { JsonObject } from '../basics/json.ts';
import type { MaybePromise } from '../basics/maybe-promise.ts';
import type { ChatProvider, ChatRequest } from '../conversation/chat-provider.ts';
import type { FinishReason, ModelPart } from '../conversation/part.ts';
import { ensure, ensureSame, type PortCase, thrownBy } from './port-case.ts';

/** What the provider under test is to do when it is asked. */
export type ChatScenario =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject }
  /** The provider's service fails. */
  | { readonly kind: 'failure' }
  /** Says `text`, and then nothing more until it is aborted. */
  | { readonly kind: 'stall'; readonly text: string };

/** Makes a fresh provider whose every answer is the scenario. */
export type ChatProviderPort = (scenario: ChatScenario) => MaybePromise<ChatProvider>;

const request: ChatRequest = {
  messages: [
    {
      role: 'user',
      parts: [{ type: 'text', text: 'Where is the boat?', id: 'part_1', origin: { kind: 'caller' }, trust: 'user' }],
    },
  ],
};

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
};

async function collect(provider: ChatProvider, signal: AbortSignal, asked: ChatRequest = request): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of provider.stream(asked, { signal })) parts.push(part);
  return parts;
}

const never = (): AbortSignal => new AbortController().signal;
const textOfParts = (parts: readonly ModelPart[]): string => parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
const finishOf = (parts: readonly ModelPart[]): readonly FinishReason[] =>
  parts.flatMap((part) => (part.type === 'call-metadata' && part.finishReason !== undefined ? [part.finishReason] : []));

/** Counts the listeners that are put on a signal and not taken away. */
function countedSignal(signal: AbortSignal): { readonly signal: AbortSignal; left(): number } {
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ) => {
    listeners.add(listener);
    if (listener !== null) add(type, listener, options);
  };
  signal.removeEventListener = (
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ) => {
    listeners.delete(listener);
    if (listener !== null) remove(type, listener, options);
  };
  return { signal, left: () => listeners.size };
}

const answers: readonly PortCase<ChatProviderPort>[] = [
  {
    title: 'the text deltas of an answer join to the whole text',
    async run(port) {
      const text = 'Pier 7, berth \u{1f6a2} “north”.\nTide at noon.';
      const parts = await collect(await port({ kind: 'text', text }), never());
      ensureSame(textOfParts(parts), text, 'text');
    },
  },
  {
    title: 'an answer ends with a finish reason, said once, and the terminal mark',
    async run(port) {
      const parts = await collect(await port({ kind: 'text', text: 'Pier 7.' }), never());
      ensureSame(finishOf(parts), ['stop'], 'finish reasons');
      ensure(
        parts.some((part) => part.type === 'call-metadata' && part.terminated === true),
        'no part says that the wire ended as it should',
      );
    },
  },
  {
    title: 'a function call has an id, its name, and arguments that parse to what was sent',
    async run(port) {
      const args = { pier: 7, note: 'a "quoted" word' };
      const parts = await collect(await port({ kind: 'call', name: 'find_berth', args }), never());
      const deltas = parts.filter((part) => part.type === 'function-call-delta');
      ensure(
        deltas.some(({ id }) => id !== undefined && id !== ''),
        'no part of the call has an id',
      );
      ensureSame([...new Set(deltas.flatMap(({ name }) => (name === undefined ? [] : [name])))], ['find_berth'], 'names');
      ensureSame(JSON.parse(deltas.map((delta) => delta.arguments ?? '').join('')), args, 'arguments');
      ensureSame(finishOf(parts), ['tool_calls'], 'finish reasons');
    },
  },
  {
    title: 'provider chunks and responses come only when asked for',
    async run(port) {
      const parts = await collect(await port({ kind: 'text', text: 'Pier 7.' }), never());
      ensure(!parts.some(({ type }) => type === 'provider-chunk' || type === 'provider-response'), 'a provider chunk came unasked');
    },
  },
  {
    title: 'the request is not changed',
    async run(port) {
      const frozen = freeze(structuredClone(request));
      const provider = await port({ kind: 'text', text: 'Pier 7.' });
      await collect(provider, never(), frozen);
      await collect(provider, never(), frozen);
    },
  },
  {
    title: 'two streams of one provider do not mix',
    async run(port) {
      const provider = await port({ kind: 'text', text: 'Pier 7.' });
      const both = await Promise.all([collect(provider, never()), collect(provider, never())]);
      ensureSame(both.map(textOfParts), ['Pier 7.', 'Pier 7.'], 'texts');
    },
  },
];

const endings: readonly PortCase<ChatProviderPort>[] = [
  {
    title: 'a failing service ends the iteration by throwing, never by ending it',
    async run(port) {
      const provider = await port({ kind: 'failure' });
      await thrownBy(() => collect(provider, never()), 'the iteration');
    },
  },
  {
    title: 'a signal that is already aborted gives its reason and no part',
    async run(port) {
      const provider = await port({ kind: 'text', text: 'Pier 7.' });
      const reason = new Error('stopped before');
      const parts: ModelPart[] = [];
      const error = await thrownBy(async () => {
        for await (const part of provider.stream(request, { signal: AbortSignal.abort(reason) })) parts.push(part);
      }, 'the iteration');
      ensure(error === reason, "the error is not the signal's reason");
      ensureSame(parts.length, 0, 'parts');
    },
  },
  {
    title: "an abort during the answer throws the signal's reason",
    async run(port) {
      const provider = await port({ kind: 'stall', text: 'Pier 7.' });
      const controller = new AbortController();
      const reason = new Error('stopped midway');
      const error = await thrownBy(async () => {
        for await (const part of provider.stream(request, { signal: controller.signal }))
          if (part.type === 'text-delta') controller.abort(reason);
      }, 'the iteration');
      ensure(error === reason, "the error is not the signal's reason");
    },
  },
  {
    title: 'no listener is left on the signal: after the end, after leaving early, after a failure',
    async run(port) {
      const counted = countedSignal(new AbortController().signal);
      const provider = await port({ kind: 'text', text: 'Pier 7.' });
      await collect(provider, counted.signal);
      ensureSame(counted.left(), 0, 'listeners after the end');
      for await (const _part of provider.stream(request, { signal: counted.signal })) break;
      ensureSame(counted.left(), 0, 'listeners after leaving early');
      const failing = await port({ kind: 'failure' });
      await thrownBy(() => collect(failing, counted.signal), 'the iteration');
      ensureSame(counted.left(), 0, 'listeners after a failure');
    },
  },
];

/** What every `ChatProvider` does (AC-009). The provider must answer within the runner's patience. */
export const chatProviderCases: readonly PortCase<ChatProviderPort>[] = [...answers, ...endings];

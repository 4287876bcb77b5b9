import { type FinishReason, type ModelPart, sequentialIds, systemClock, type Usage } from '@vouch/contracts';
import { createHttp } from '../net/http.ts';
import { ProviderError } from '../net/provider-error.ts';
import type { AdapterEndpoint, AdapterFactory, ChatAdapter, ProviderRequest } from './adapter.ts';

/** A turn of a model in neutral form, which a wire under test writes down in its own. */
export interface ScriptedTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly finish: FinishReason;
  readonly usage?: { readonly input: number; readonly output: number };
}

/** One wire under test. */
export interface ChatAdapterPort {
  readonly create: AdapterFactory;
  readonly dialect: AdapterEndpoint['dialect'];
  /** The bytes of an answer that says `turn`, and their content type. */
  answer(turn: ScriptedTurn, delivery: ProviderRequest['delivery']): { readonly contentType: string; readonly body: string };
  /** The body of an error answer. */
  error(message: string): string;
}

/** One thing that every chat adapter must do. `run` throws when it does not. */
export interface ChatAdapterCase {
  readonly title: string;
  run(port: ChatAdapterPort): Promise<void>;
}

const key = 'sk-canary-0123456789';
const deliveries = ['whole', 'parts'] as const;
const message = { role: 'user', parts: [{ id: 'u1', type: 'text', text: 'hi', origin: { kind: 'caller' }, trust: 'user' }] } as const;
const turn: ScriptedTurn = { thinking: 'low tide', text: 'Pier 7 ⚓', finish: 'stop', usage: { input: 21, output: 9 } };
const callTurn: ScriptedTurn = {
  calls: [
    { id: 'call_0000a', name: 'find_berth', args: '{"pier":7,"note":"é"}' },
    { id: 'call_0000b', name: 'find_berth', args: '{"pier":8}' },
  ],
  finish: 'tool_calls',
};

function check(condition: boolean, what: string, got?: unknown): void {
  if (!condition) throw new Error(`${what}; got ${JSON.stringify(got)}`);
}

function adapterOver(port: ChatAdapterPort, fetch: typeof globalThis.fetch): ChatAdapter {
  const forever = Number.POSITIVE_INFINITY;
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [key] });
  return port.create({
    provider: 'harbour',
    baseUrl: 'http://harbour.test/v1',
    apiKey: key,
    dialect: port.dialect,
    http,
    ids: sequentialIds(),
  });
}

const answering = (port: ChatAdapterPort, script: ScriptedTurn, delivery: ProviderRequest['delivery']): typeof globalThis.fetch => {
  const { contentType, body } = port.answer(script, delivery);
  return async () => new Response(body, { headers: { 'content-type': contentType } });
};

async function send(underTest: ChatAdapter, delivery: ProviderRequest['delivery'], signal: AbortSignal = new AbortController().signal) {
  const parts: ModelPart[] = [];
  try {
    for await (const list of underTest.send({ model: 'm', messages: [message], delivery }, { signal })) parts.push(...list);
    return { parts, error: undefined };
  } catch (error: unknown) {
    return { parts, error };
  }
}

const joined = (parts: readonly ModelPart[], type: 'text-delta' | 'thinking-delta'): string =>
  parts.map((part) => (part.type === type ? part.text : '')).join('');

function facts(parts: readonly ModelPart[]): {
  readonly finish: FinishReason | undefined;
  readonly terminated: boolean;
  readonly usage: Usage | undefined;
} {
  let found: { finish: FinishReason | undefined; terminated: boolean; usage: Usage | undefined } = {
    finish: undefined,
    terminated: false,
    usage: undefined,
  };
  for (const part of parts) {
    if (part.type !== 'call-metadata') continue;
    found = {
      finish: part.finishReason ?? found.finish,
      terminated: part.terminated ?? found.terminated,
      usage: part.usage ?? found.usage,
    };
  }
  return found;
}

function argumentsOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === 'function-call-delta' ? (part.arguments ?? '') : '')).join('');
}

async function sendsOneRequest(port: ChatAdapterPort): Promise<void> {
  for (const delivery of deliveries) {
    const seen: { url: string; init: RequestInit | undefined }[] = [];
    const answer = answering(port, turn, delivery);
    await send(
      adapterOver(port, (input, init) => {
        seen.push({ url: String(input), init });
        return answer(input, init);
      }),
      delivery,
    );
    check(seen.length === 1, 'one request', seen.length);
    check(seen[0]?.init?.method === 'POST', 'a POST', seen[0]?.init?.method);
    check(seen[0]?.url.startsWith('http://harbour.test/v1') === true, 'under the base URL', seen[0]?.url);
    check(JSON.stringify(seen[0]?.init?.headers).includes(key), 'with the key in a header');
    check(!String(seen[0]?.init?.body).includes(key), 'and not in the body');
  }
}

async function readsText(port: ChatAdapterPort): Promise<void> {
  for (const delivery of deliveries) {
    const { parts, error } = await send(adapterOver(port, answering(port, turn, delivery)), delivery);
    check(error === undefined, `${delivery}: no error`, error);
    check(joined(parts, 'text-delta') === turn.text, `${delivery}: the text`, joined(parts, 'text-delta'));
    check(joined(parts, 'thinking-delta') === turn.thinking, `${delivery}: the reasoning`, joined(parts, 'thinking-delta'));
    const { finish, terminated, usage } = facts(parts);
    check(finish === 'stop' && terminated, `${delivery}: finished`, { finish, terminated });
    check(usage?.reported === true && usage.inputTokens === 21 && usage.outputTokens === 9, `${delivery}: usage as reported`, usage);
  }
}

async function readsCalls(port: ChatAdapterPort): Promise<void> {
  for (const delivery of deliveries) {
    const { parts } = await send(adapterOver(port, answering(port, callTurn, delivery)), delivery);
    check(
      argumentsOf(parts) === callTurn.calls?.map(({ args }) => args).join(''),
      `${delivery}: the arguments as written`,
      argumentsOf(parts),
    );
    check(facts(parts).finish === 'tool_calls', `${delivery}: the finish`, facts(parts).finish);
    check(facts(parts).usage === undefined, `${delivery}: no usage that nobody reported`, facts(parts).usage);
  }
}

async function throwsFaults(port: ChatAdapterPort): Promise<void> {
  for (const delivery of deliveries) {
    const failing = async (): Promise<Response> => new Response(port.error(`bad key ${key}`), { status: 401 });
    const { error } = await send(adapterOver(port, failing), delivery);
    check(error instanceof ProviderError && error.fault.cause === 'auth' && !error.fault.retryable, `${delivery}: an auth fault`, error);
    check(!JSON.stringify(error).includes(key) && !String(error).includes(key), `${delivery}: without the key`);
  }
}

async function throwsInside200(port: ChatAdapterPort): Promise<void> {
  for (const delivery of deliveries) {
    for (const body of [port.error('busy'), '', '<html><title>Sign in</title></html>']) {
      const { error } = await send(
        adapterOver(port, async () => new Response(body)),
        delivery,
      );
      check(error instanceof ProviderError, `${delivery}: a ProviderError for a body that is no answer`, error);
    }
  }
}

async function showsCuts(port: ChatAdapterPort): Promise<void> {
  const { body } = port.answer({ text: 'Pier 7 and all that lies behind it', finish: 'stop' }, 'parts');
  const half = new TextEncoder().encode(body).slice(0, Math.floor(body.length * 0.5));
  const { parts, error } = await send(
    adapterOver(port, async () => new Response(half)),
    'parts',
  );
  const { finish, terminated } = facts(parts);
  check(error !== undefined || (finish === undefined && !terminated), 'a cut stream has neither finish nor terminal mark', {
    finish,
    terminated,
  });
}

async function obeysAbort(port: ChatAdapterPort): Promise<void> {
  const reason = new Error('stop');
  for (const delivery of deliveries) {
    const before = await send(adapterOver(port, answering(port, turn, delivery)), delivery, AbortSignal.abort(reason));
    check(before.error === reason && before.parts.length === 0, `${delivery}: abort before the call throws the reason`, before.error);
    const controller = new AbortController();
    let released = false;
    const body = new ReadableStream({
      pull: () => controller.abort(reason),
      cancel: () => {
        released = true;
      },
    });
    const inside = await send(
      adapterOver(port, async () => new Response(body)),
      delivery,
      controller.signal,
    );
    check(inside.error === reason, `${delivery}: abort inside the body throws the reason`, inside.error);
    check(released, `${delivery}: and releases the body`);
  }
}

/** What every chat adapter must do, whatever its wire (SG-030, SG-035 to SG-038, SG-080). Run by each adapter's own test. */
export const chatAdapterCases: readonly ChatAdapterCase[] = [
  { title: '[SG-030] sends one request, with the key in a header only', run: sendsOneRequest },
  { title: '[SG-080] [SG-036] reads text, reasoning, finish and usage, whole and streamed alike', run: readsText },
  { title: '[SG-080] reads calls as written, and invents no usage', run: readsCalls },
  { title: '[SG-038] throws an error status as a fault without the key', run: throwsFaults },
  { title: '[SG-035] takes no error, empty body or web page for an answer', run: throwsInside200 },
  { title: '[SG-035] shows a cut stream as cut', run: showsCuts },
  { title: '[SG-037] obeys an abort before and inside the body', run: obeysAbort },
];

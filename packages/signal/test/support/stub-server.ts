/** One turn of a scripted model, sent whole or as a stream, as the request asks. */
export interface Turn {
  readonly content?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** Default by what the turn has; null = none is sent. */
  readonly finish?: string | null;
  /** Prompt and completion tokens; null = no usage is sent. */
  readonly usage?: readonly [number, number] | null;
  /** Characters of one streamed delta. Default 7. */
  readonly pieceChars?: number;
  /** How a stream ends. Default `done`. `cut`: the body just ends; `open`: it stays open after `[DONE]`. */
  readonly end?: 'done' | 'cut' | 'open' | 'finish-only';
}

/** Any other answer. */
export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: { readonly [name: string]: string };
}

export type Answer = Turn | RawAnswer | ((request: SeenRequest, init: RequestInit) => Promise<Response> | Response);

/** A request as it arrived. */
export interface SeenRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  // A test reads whatever it expects of a body.
  readonly body: { readonly [field: string]: unknown } & { readonly messages: readonly { readonly [field: string]: unknown }[] };
}

export interface StubServer {
  readonly fetch: typeof globalThis.fetch;
  readonly requests: SeenRequest[];
  /** Bodies that were neither read to the end nor cancelled. */
  openBodies(): number;
}

/** A `fetch` that gives the answers in turn, the last one over and over, in the bytes of the openai-chat wire. */
export function stubServer(...answers: readonly Answer[]): StubServer {
  const requests: SeenRequest[] = [];
  const open = new Set<object>();
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    init?.signal?.throwIfAborted();
    const request: SeenRequest = {
      url: String(url),
      headers: { ...(init?.headers as { [name: string]: string }) },
      body: JSON.parse(String(init?.body)) as SeenRequest['body'],
    };
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    if (answer === undefined) throw new TypeError('fetch failed');
    if (typeof answer === 'function') return answer(request, init ?? {});
    if ('status' in answer) {
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      return new Response(text, { status: answer.status, headers: { 'content-type': 'application/json', ...answer.headers } });
    }
    if (request.body.stream !== true) return Response.json(wholeBody(answer));
    return new Response(bodyOf(streamEvents(answer), open, answer.end === 'open', init?.signal ?? undefined), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
  return { fetch: fetch as typeof globalThis.fetch, requests, openBodies: () => open.size };
}

const finishOf = (turn: Turn): string | null =>
  turn.finish === undefined ? (turn.calls === undefined ? 'stop' : 'tool_calls') : turn.finish;

const usageOf = (turn: Turn): object => {
  if (turn.usage === null) return {};
  const [prompt, completion] = turn.usage ?? [11, 7];
  return { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } };
};

const wireCall = (call: NonNullable<Turn['calls']>[number]): object => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.args },
});

function wholeBody(turn: Turn): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'model-1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: turn.content ?? null,
          ...(turn.refusal === undefined ? {} : { refusal: turn.refusal }),
          ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
          ...(turn.calls === undefined ? {} : { tool_calls: turn.calls.map(wireCall) }),
        },
        finish_reason: finishOf(turn),
      },
    ],
    ...usageOf(turn),
  };
}

function pieces(text: string, size: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}

/** The events of a streamed turn, each a line of JSON or the mark. */
export function streamEvents(turn: Turn): string[] {
  const size = turn.pieceChars ?? 7;
  const chunk = (delta: object, finish: string | null = null): string =>
    JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model: 'model-1',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const events = [chunk({ role: 'assistant', content: '' })];
  for (const text of pieces(turn.reasoning ?? '', size)) events.push(chunk({ reasoning_content: text }));
  for (const text of pieces(turn.refusal ?? '', size)) events.push(chunk({ refusal: text }));
  for (const text of pieces(turn.content ?? '', size)) events.push(chunk({ content: text }));
  for (const [index, call] of (turn.calls ?? []).entries()) {
    events.push(chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }));
    for (const text of pieces(call.args, size)) events.push(chunk({ tool_calls: [{ index, function: { arguments: text } }] }));
  }
  if (turn.end === 'cut') return events;
  events.push(chunk({}, finishOf(turn)));
  if (turn.usage !== null) {
    events.push(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'model-1', choices: [], ...usageOf(turn) }));
  }
  if (turn.end !== 'finish-only') events.push('[DONE]');
  return events;
}

function bodyOf(events: readonly string[], open: Set<object>, stays: boolean, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const identity = {};
  let next = 0;
  return new ReadableStream(
    {
      start(controller) {
        open.add(identity);
        signal?.addEventListener(
          'abort',
          () => {
            if (open.delete(identity)) controller.error(signal.reason);
          },
          { once: true },
        );
      },
      pull(controller) {
        const event = events[next];
        next += 1;
        if (event !== undefined) {
          controller.enqueue(encoder.encode(`data: ${event}\n\n`));
        } else if (!stays) {
          open.delete(identity);
          controller.close();
        }
      },
      cancel() {
        open.delete(identity);
      },
    },
    { highWaterMark: 0 },
  );
}

import { type Clock, systemClock } from '@vouch/contracts';
import { bytesOf, type RecordedError, type RecordedResponse } from './cassette.ts';
import { missMessage, type Recorded } from './difference.ts';
import { loadDirectory } from './directory.ts';
import { createRedactor } from './redact.ts';
import { matchedRequest, readWireRequest, recordedRequest, requestDigest } from './request.ts';

/** What is replayed, and how. */
export interface ReplayOptions {
  readonly directory: string;
  /** `none`, the default: every chunk as soon as it is read. `recorded`: head and chunks wait as long as they did. */
  readonly timing?: 'none' | 'recorded';
  /** The secrets that were given when it was recorded, so that requests that hold them match. Keys in headers and address need nothing. */
  readonly secrets?: readonly string[];
  /** Waits, when `timing` is `recorded`. Default: the platform's. */
  readonly clock?: Clock;
}

/** A `fetch` that answers from cassettes and never reaches the network. */
export interface CassettePlayer {
  readonly fetch: typeof globalThis.fetch;
  /** Names of the cassettes that nobody asked for yet. */
  unused(): readonly string[];
  /** The messages of the misses so far. */
  misses(): readonly string[];
}

/** How the answers of one player are given. */
interface Playing {
  /** Resolves after the recorded time, or at once; rejects with the signal's reason. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/**
 * Makes a `fetch` that answers from a directory of cassettes (SG-101). A request matches by method, path, query and body (JSON whatever the order of
 * members); origin and headers are not matched. The n-th request of a kind gets the n-th recorded answer, in whatever order others come, in the very
 * chunks, with the error at the same place. A miss is an answer with status 404 whose message names the nearest cassette and the first difference:
 * clients take it for final, where they would try a rejected `fetch` again. Rejects with `CassetteError` for a file that is no whole cassette of
 * this version.
 */
export async function replayCassettes(options: ReplayOptions): Promise<CassettePlayer> {
  const { directory, timing = 'none', clock = systemClock } = options;
  const redactor = createRedactor(options.secrets ?? []);
  const recordings: Recorded[] = (await loadDirectory(directory)).map((loaded) => ({
    ...loaded,
    matched: matchedRequest(loaded.cassette.request),
  }));
  const queues = new Map<string, Recorded[]>();
  for (const recording of recordings) {
    const digest = requestDigest(recording.matched);
    const queue = queues.get(digest);
    if (queue === undefined) queues.set(digest, [recording]);
    else queue.push(recording);
  }
  const given = new Map<string, string[]>();
  const used = new Set<Recorded>();
  const misses: string[] = [];
  const playing: Playing = {
    wait: async (ms, signal) => {
      signal?.throwIfAborted();
      if (timing === 'recorded' && ms > 0) await clock.sleep(ms, signal);
    },
  };
  return {
    fetch: async (input, init) => {
      const request = await readWireRequest(input, init);
      request.signal?.throwIfAborted();
      const matched = matchedRequest(recordedRequest(request, redactor));
      const digest = requestDigest(matched);
      const names = given.get(digest) ?? [];
      const recording = queues.get(digest)?.[names.length];
      if (recording === undefined) {
        const message = redactor.text(missMessage(matched, recordings, names, directory));
        misses.push(message);
        return named(missResponse(message), request.url);
      }
      given.set(digest, [...names, recording.name]);
      used.add(recording);
      return named(await answer(recording, request.signal, playing), request.url);
    },
    unused: () => recordings.filter((recording) => !used.has(recording)).map(({ name }) => name),
    misses: () => [...misses],
  };
}

/** What a client takes for a final answer about its configuration; the header says so to those who know it. */
function missResponse(message: string): Response {
  const error = { message, type: 'cassette_miss', code: 'cassette_miss' };
  return new Response(JSON.stringify({ error }), {
    status: 404,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
  });
}

const named = (response: Response, url: URL): Response => Object.defineProperty(response, 'url', { value: url.href });

async function answer({ cassette, name }: Recorded, signal: AbortSignal | undefined, playing: Playing): Promise<Response> {
  const { response } = cassette;
  await playing.wait(response.afterMs, signal);
  if ('error' in response) throw networkError('fetch failed', response.error);
  const body = response.chunks === undefined ? null : playedBody(response, name, signal, playing);
  return new Response(body, { status: response.status, headers: { ...response.headers } });
}

/** The error of the platform's `fetch`, with the recorded one as its cause. */
function networkError(message: string, { message: reason, code }: RecordedError): TypeError {
  const cause = Object.assign(new Error(reason), code === undefined ? {} : { code });
  return new TypeError(message, { cause });
}

/** The recorded chunks, one a read, then the recorded end. An abort breaks it off with the signal's reason; leaves no timer and no listener. */
function playedBody(
  { chunks = [], ending }: RecordedResponse,
  name: string,
  signal: AbortSignal | undefined,
  playing: Playing,
): ReadableStream<Uint8Array> {
  const stopping = new AbortController();
  const stop = (reason: unknown): void => {
    signal?.removeEventListener('abort', onAbort);
    stopping.abort(reason);
  };
  let abort: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => {
    abort(signal?.reason);
    stop(signal?.reason);
  };
  let at = 0;
  const step = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const chunk = chunks[at];
    if (chunk !== undefined) {
      at += 1;
      await playing.wait(chunk.afterMs, stopping.signal);
      controller.enqueue(bytesOf(chunk));
      return;
    }
    if (ending.kind === 'broken') await playing.wait(ending.afterMs, stopping.signal);
    stop(undefined);
    if (ending.kind === 'complete') controller.close();
    else if (ending.kind === 'broken') controller.error(networkError('terminated', ending.error));
    else controller.error(networkError('terminated', { message: `${name} ends here: its client stopped reading when it was recorded` }));
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = (reason) => controller.error(reason);
        if (signal?.aborted) onAbort();
        else signal?.addEventListener('abort', onAbort, { once: true });
      },
      async pull(controller) {
        try {
          await step(controller);
        } catch (error) {
          // Stopped while it waited: by an abort, which has broken the body off already, or by its reader, who wants nothing more.
          if (!stopping.signal.aborted) throw error;
        }
      },
      cancel: (reason) => stop(reason),
    },
    { highWaterMark: 0 },
  );
}

import { type Clock, systemClock } from '@vouch/contracts';
import { type Cassette, cassetteFormat, cassetteVersion, type RecordedEnding, type RecordedError, recordedBytes } from './cassette.ts';
import { type Claim, claimPlace, codeOf, makeDirectory } from './directory.ts';
import { keptResponseHeaders } from './headers.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { matchedRequest, readWireRequest, recordedRequest, requestDigest, type WireRequest } from './request.ts';
import { spellsSecretOut } from './spelled-out.ts';

/** What is recorded, and where. */
export interface RecordOptions {
  /** Is made when it is not there. Recording adds to it and replaces nothing: for a fresh take give an empty one. */
  readonly directory: string;
  /** What reaches the network. Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Texts that must stand in no cassette, plain, JSON-escaped or URL-encoded; each becomes `[redacted]`. Texts under 4 characters are no secrets.
   * Credentials in headers and in the address are found without being named here.
   */
  readonly secrets?: readonly string[];
  /** Measures the milliseconds between chunks. Default: the platform's. */
  readonly clock?: Clock;
  /** Bytes of a request's or a response's body. Default 16 MiB. A longer one is passed on and not recorded. */
  readonly maxBodyBytes?: number;
}

/** What a recorder did. */
export interface RecordReport {
  /** Names of the files that were written. */
  readonly recorded: readonly string[];
  /** Exchanges that are in no file, and why. */
  readonly skipped: readonly { readonly request: string; readonly reason: string }[];
}

/** A `fetch` that writes down what passes through it. */
export interface CassetteRecorder {
  readonly fetch: typeof globalThis.fetch;
  /** Resolves when every file is written. Call it when the client is done: what is still open then is not recorded. */
  done(): Promise<RecordReport>;
}

const defaultMaxBodyBytes = 16 * 1024 * 1024;

/** What the exchanges of one recorder share. */
interface Studio {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly maxBodyBytes: number;
  open(request: WireRequest): Take;
}

/** One exchange on its way into a file. The first of `keep` and `skip` counts. */
interface Take {
  keep(response: Cassette['response']): void;
  skip(reason: string): void;
}

/**
 * Makes a `fetch` that passes requests on and writes every exchange into a cassette: request, status, headers, the body in its very chunks with their
 * timing, and how it ended (SG-101). What the caller gets is what came; only the file is without secrets. A cassette is written whole or not at all,
 * and several recorders may share a directory. Rejects with `CassetteError` when the directory cannot be written.
 */
export async function recordCassettes(options: RecordOptions): Promise<CassetteRecorder> {
  const { directory, fetch = globalThis.fetch, clock = systemClock, maxBodyBytes = defaultMaxBodyBytes } = options;
  await makeDirectory(directory);
  const redactor = createRedactor(options.secrets ?? []);
  const desk = writingDesk(directory, redactor);
  const studio: Studio = { clock, redactor, maxBodyBytes, open: desk.open };
  return {
    fetch: async (input, init) => {
      const request = await readWireRequest(input, init);
      const take = desk.open(request);
      if ((request.body?.length ?? 0) > maxBodyBytes) take.skip(`the request's body is longer than ${maxBodyBytes} bytes`);
      return recordExchange(request, take, fetch, studio);
    },
    done: desk.done,
  };
}

/** Takes the places of the files in the order of the calls, and writes what is kept. */
function writingDesk(directory: string, redactor: Redactor): { open(request: WireRequest): Take; done(): Promise<RecordReport> } {
  const recorded: string[] = [];
  const skipped: { readonly request: string; readonly reason: string }[] = [];
  const next = new Map<string, number>();
  const open = new Set<Take>();
  const writing = new Set<Promise<void>>();
  let lastClaim: Promise<unknown> = Promise.resolve();
  const claimNext = (asked: Cassette['request']): Promise<Claim> => {
    const matched = matchedRequest(asked);
    const digest = requestDigest(matched);
    const claim = lastClaim.then(async () => {
      const place = await claimPlace(directory, matched, digest, next.get(digest) ?? 1);
      next.set(digest, place.number + 1);
      return place;
    });
    lastClaim = claim.catch(() => undefined);
    return claim;
  };
  const openTake = (request: WireRequest): Take => {
    const asked = recordedRequest(request, redactor);
    const label = redactor.text(`${request.method} ${request.url.pathname}`);
    const claim = claimNext(asked);
    claim.catch(() => undefined);
    const settle = (finish: (claim: Claim) => Promise<void>, reason?: string): void => {
      if (!open.delete(take)) return;
      if (reason !== undefined) skipped.push({ request: label, reason });
      const work = claim.then(finish).catch((error: unknown) => {
        if (reason === undefined) skipped.push({ request: label, reason: `the file could not be written (${codeOf(error)})` });
      });
      writing.add(work);
      void work.then(() => writing.delete(work));
    };
    const take: Take = {
      keep: (response) =>
        settle(async (place) => {
          await place.write({ format: cassetteFormat, version: cassetteVersion, request: asked, response });
          recorded.push(place.name);
        }),
      skip: (reason) => settle((place) => place.drop(), reason),
    };
    open.add(take);
    return take;
  };
  return {
    open: openTake,
    async done() {
      for (const take of [...open]) take.skip('it was still open when the recording was ended');
      await Promise.all(writing);
      return { recorded: recorded.toSorted(), skipped: [...skipped] };
    },
  };
}

async function recordExchange(request: WireRequest, take: Take, fetch: typeof globalThis.fetch, studio: Studio): Promise<Response> {
  const { clock, redactor } = studio;
  const startedAt = clock.now();
  let response: Response;
  try {
    response = await request.send(fetch);
  } catch (error) {
    if (request.signal?.aborted) take.skip('the caller ended it before an answer came');
    else take.keep({ afterMs: since(startedAt, clock), error: errorOf(error, redactor) });
    throw error;
  }
  if (response.status < 200 || response.status > 599) {
    take.skip(`its status is ${response.status}`);
    return response;
  }
  const head = { afterMs: since(startedAt, clock), status: response.status, headers: keptResponseHeaders(response.headers, redactor) };
  if (response.body === null) {
    take.keep({ ...head, ending: { kind: 'complete' } });
    return response;
  }
  const body = recordedBody(response.body, request.signal, studio, (pieces, ending) => {
    if (pieces === undefined) return take.skip(`the response's body is longer than ${studio.maxBodyBytes} bytes`);
    const clean = redactor.pieces(pieces.map(({ bytes }) => bytes));
    if (spellsSecretOut(Buffer.concat(clean).toString('utf8'), redactor)) return take.skip('the response spells a secret out in pieces');
    take.keep({ ...head, chunks: chunksOf(pieces, clean), ending });
  });
  return likeness(response, body);
}

interface Piece {
  readonly afterMs: number;
  readonly bytes: Uint8Array;
}

/** Pieces of which nothing is left give their time to the next. */
function chunksOf(
  pieces: readonly Piece[],
  clean: readonly Uint8Array[],
): NonNullable<Extract<Cassette['response'], { status: number }>['chunks']> {
  let waitedMs = 0;
  return pieces.flatMap(({ afterMs }, index) => {
    const bytes = clean[index] ?? new Uint8Array();
    waitedMs += afterMs;
    if (bytes.length === 0) return [];
    const chunk = { afterMs: waitedMs, ...recordedBytes(bytes) };
    waitedMs = 0;
    return [chunk];
  });
}

/** The body as it comes, read only as fast as its reader reads. `end` is called once, without pieces when they were too long. */
function recordedBody(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  { clock, redactor, maxBodyBytes }: Studio,
  end: (pieces: readonly Piece[] | undefined, ending: RecordedEnding) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const pieces: Piece[] = [];
  let size = 0;
  let lastAt = clock.now();
  const finish = (ending: RecordedEnding): void => end(size > maxBodyBytes ? undefined : pieces, ending);
  const note = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > maxBodyBytes) pieces.length = 0;
    // A copy: the reader may hand the bytes over to somebody else.
    else pieces.push({ afterMs: since(lastAt, clock), bytes: bytes.slice() });
    lastAt = clock.now();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish({ kind: 'complete' });
            controller.close();
            return;
          }
          note(value);
          controller.enqueue(value);
        } catch (error) {
          finish(signal?.aborted ? { kind: 'left' } : { kind: 'broken', afterMs: since(lastAt, clock), error: errorOf(error, redactor) });
          throw error;
        }
      },
      async cancel(reason) {
        finish({ kind: 'left' });
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

const since = (earlier: number, clock: Clock): number => Math.max(0, Math.round(clock.now() - earlier));

/** The same head over another body. */
function likeness(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected } = response;
  const copy = new Response(body, { status, statusText, headers });
  return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected } });
}

/** The innermost of an error's causes: the one that names what happened on the network. */
function errorOf(error: unknown, redactor: Redactor): RecordedError {
  let inner = error;
  for (let steps = 0; inner instanceof Error && inner.cause instanceof Error && steps < 8; steps += 1) inner = inner.cause;
  const code: unknown = inner instanceof Error ? Reflect.get(inner, 'code') : undefined;
  const message = redactor.text(inner instanceof Error ? inner.message : String(inner)).slice(0, 500);
  return { message, ...(typeof code === 'string' ? { code: redactor.text(code).slice(0, 100) } : {}) };
}

import { raceAbort } from '@vouch/signal/net';

/** Bytes of one line; a longer one is not read. */
export const longestLineBytes: number = 64 * 1024 * 1024;

const lineFeed = 0x0a;

/** The lines of a stream, without their ends (LF or CRLF). A line that is too long is given as `undefined`, and ends the reading; so does an abort. */
export async function* readLines(chunks: AsyncIterable<Uint8Array | string>, signal: AbortSignal): AsyncGenerator<string | undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const takeHeld = (rest: Uint8Array): string => {
    const line = Buffer.concat([...held, rest]).toString('utf8');
    held = [];
    heldBytes = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  };
  for (;;) {
    const next = await nextOf(iterator, signal);
    if (next === undefined) break;
    const bytes = typeof next === 'string' ? Buffer.from(next) : next;
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      yield takeHeld(bytes.subarray(start, end));
      start = end + 1;
    }
    held.push(bytes.subarray(start));
    heldBytes += bytes.length - start;
    if (heldBytes <= longestLineBytes) continue;
    yield undefined;
    return;
  }
  if (heldBytes > 0 && !signal.aborted) yield takeHeld(new Uint8Array(0));
}

async function nextOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    const next = await raceAbort(iterator.next(), signal);
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

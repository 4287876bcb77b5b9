import { limitError } from './limit.ts';

/** A push splitter of bytes into lines. */
export interface LineSplitter {
  /** Takes the next bytes, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Gives what stands after the last line end, if anything does. */
  end(): void;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Keeps a buffer that a long line needed from outliving it. */
const keptBufferBytes = 1024 * 1024;

/**
 * Splits bytes at LF, CR and CRLF, in linear time however they are cut; none of these bytes occurs inside a UTF-8 character. `onLine` gets a view
 * that is valid only during the call. A line longer than `maxLineBytes()` throws kind `limit`.
 */
export function createLineSplitter(maxLineBytes: () => number, onLine: (line: Uint8Array) => void): LineSplitter {
  let held = new Uint8Array(256);
  let heldLength = 0;
  let afterCarriageReturn = false;

  const hold = (bytes: Uint8Array): void => {
    if (heldLength + bytes.length > maxLineBytes()) throw limitError('A line of the response', maxLineBytes());
    if (heldLength + bytes.length > held.length) {
      const larger = new Uint8Array(Math.max(held.length * 2, heldLength + bytes.length));
      larger.set(held.subarray(0, heldLength));
      held = larger;
    }
    held.set(bytes, heldLength);
    heldLength += bytes.length;
  };

  const endLine = (rest: Uint8Array): void => {
    if (heldLength === 0) {
      onLine(rest);
      return;
    }
    hold(rest);
    const whole = held.subarray(0, heldLength);
    heldLength = 0;
    onLine(whole);
    if (held.length > keptBufferBytes) held = new Uint8Array(256);
  };

  return {
    push(bytes) {
      let start = 0;
      if (afterCarriageReturn && bytes.length > 0) {
        if (bytes[0] === lineFeed) start = 1;
        afterCarriageReturn = false;
      }
      for (let at = start; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (byte !== lineFeed && byte !== carriageReturn) continue;
        endLine(bytes.subarray(start, at));
        if (byte === carriageReturn) {
          // The line has ended now; a line feed that belongs to it may come with the next chunk.
          if (at + 1 === bytes.length) afterCarriageReturn = true;
          else if (bytes[at + 1] === lineFeed) at += 1;
        }
        start = at + 1;
      }
      if (start < bytes.length) hold(bytes.subarray(start));
    },
    end() {
      if (heldLength > 0) endLine(new Uint8Array(0));
    },
  };
}

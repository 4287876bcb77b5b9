/** Decodes text that comes in pieces, cut anywhere. */
export interface TextDecoding {
  /** The characters that are complete, and the bytes that they were. */
  push(bytes: Uint8Array): { readonly text: string; readonly bytes: number };
  /** What stood before the end of an incomplete character. */
  end(): string;
}

const shortBytes = 2048;
const probedBytes = 512;

/**
 * Decodes UTF-8; broken bytes become U+FFFD. Engines decode ASCII at once and other text slowly, and their streaming mode the other way round: so pieces
 * are cut at a character's end here, and a long piece after one that was not ASCII takes the streaming mode.
 */
export function createTextDecoding(): TextDecoding {
  const plain = new TextDecoder('utf-8', { ignoreBOM: true });
  const streaming = new TextDecoder('utf-8', { ignoreBOM: true });
  const held = new Uint8Array(4);
  let heldLength = 0;
  let missing = 0;
  let wasAscii = true;

  const decode = (bytes: Uint8Array): string => {
    const isPlain = bytes.length <= shortBytes || (wasAscii && beginsAscii(bytes));
    const text = isPlain ? plain.decode(bytes) : streaming.decode(bytes, { stream: true });
    wasAscii = text.length === bytes.length;
    return text;
  };
  const takeHeld = (): string => {
    const text = plain.decode(held.subarray(0, heldLength));
    heldLength = 0;
    missing = 0;
    return text;
  };
  return {
    push(bytes) {
      let text = '';
      let from = 0;
      let counted = 0;
      if (heldLength > 0) {
        while (missing > 0 && from < bytes.length && isContinuation(bytes[from])) {
          held[heldLength] = bytes[from] ?? 0;
          heldLength += 1;
          missing -= 1;
          from += 1;
        }
        if (missing > 0 && from === bytes.length) return { text: '', bytes: 0 };
        counted = heldLength;
        text = takeHeld();
      }
      const cut = startOfIncomplete(bytes, from);
      for (let at = cut; at < bytes.length; at += 1) {
        held[heldLength] = bytes[at] ?? 0;
        heldLength += 1;
      }
      missing = cut === bytes.length ? 0 : sizeOf(bytes[cut]) - heldLength;
      const whole = from === 0 && cut === bytes.length ? bytes : bytes.subarray(from, cut);
      if (whole.length > 0) text += decode(whole);
      return { text, bytes: counted + whole.length };
    },
    end: () => (heldLength === 0 ? '' : takeHeld()),
  };
}

function beginsAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < probedBytes; at += 1) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes of the character that this byte begins. */
const sizeOf = (byte: number | undefined): number =>
  byte === undefined || byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1;

/** Where a character begins that these bytes do not hold to its end; their length when there is none. */
function startOfIncomplete(bytes: Uint8Array, from: number): number {
  for (let at = bytes.length - 1; at >= from && at >= bytes.length - 3; at -= 1)
    if (!isContinuation(bytes[at])) return sizeOf(bytes[at]) > bytes.length - at ? at : bytes.length;
  return bytes.length;
}

/** Bytes of a stretch of text. */
export function utf8Length(text: string, start: number, end: number): number {
  let bytes = end - start;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    // A surrogate pair is four bytes, so each half counts two.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Text that waits for more, joined in linear time and kept as few pieces, however small those are that came. */
export interface HeldText {
  add(text: string): void;
  take(): string;
}

const mostSmallPieces = 1024;

/** Holds nothing yet. */
export function createHeldText(): HeldText {
  let pieces: string[] = [];
  let small: string[] = [];
  return {
    add(text) {
      small.push(text);
      if (small.length < mostSmallPieces) return;
      pieces.push(small.join(''));
      small = [];
    },
    take() {
      const text = pieces.length === 0 && small.length === 1 ? (small[0] ?? '') : pieces.concat(small).join('');
      pieces = [];
      small = [];
      return text;
    },
  };
}

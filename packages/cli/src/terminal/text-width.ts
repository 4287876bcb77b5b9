// Two columns in every terminal: East Asian wide and fullwidth characters, and what is drawn as a picture by itself.
const wide =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f1ad}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const plain = /^[\u0020-\u007e]*$/;
// The selector after a symbol asks for its picture, which is wide.
const pictureSelector = '\ufe0f';
const withoutWidth = /[\p{Mn}\p{Me}\u200b-\u200d\u2060-\u2064\ufeff\u{e0001}-\u{e007f}]/u;

/** Columns that text takes on a terminal, or more: of what terminals disagree on, as joined pictures and flags, the widest drawing counts. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The longest beginning of text that takes at most `columns`. */
export function startWithin(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The longest end of text that takes at most `columns`. Looks only at its last UTF-16 units, `columns` twice over. */
export function endWithin(text: string, columns: number): string {
  // A cut inside a surrogate pair leaves half a character.
  const characters = [...text.slice(-2 * Math.max(1, columns)).replace(/^[\udc00-\udfff]/, '')];
  let width = 0;
  let start = characters.length;
  while (start > 0) {
    width += widthOf(characters[start - 1] ?? '');
    if (width > columns) break;
    start -= 1;
  }
  return characters.slice(start).join('');
}

function widthOf(character: string): number {
  if (plain.test(character)) return 1;
  if (character === pictureSelector) return 1;
  if (withoutWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

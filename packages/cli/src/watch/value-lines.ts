import { isJsonObject, type JsonValue } from '@vouch/contracts';
import { cellText } from '../terminal/one-line.ts';
import { endWithin, textWidth } from '../terminal/text-width.ts';

/** How deep a value is shown. */
const deepest = 6;

/**
 * A growing value in at most `lines` lines of at most `columns` columns: an object by its last members, an array by its length and its last
 * element, since that is where it grows. No control character of it reaches the terminal. The work is bounded by what is shown.
 */
export function valueLines(value: JsonValue, lines: number, columns: number): readonly string[] {
  if (!isJsonObject(value)) return [grownText(value, columns)];
  const names = Object.keys(value);
  // The one line that there is goes to what grows.
  const hidden = names.length <= lines ? 0 : lines < 2 ? names.length - 1 : names.length - lines + 1;
  const shown = names.slice(hidden).map((name) => {
    const label = `${cellText(name, Math.max(8, Math.floor(columns / 3)))}: `;
    return cellText(label + grownText(value[name] ?? null, columns - textWidth(label)), columns);
  });
  return hidden === 0 || lines < 2 ? shown : [cellText(`… ${hidden} more before`, columns), ...shown];
}

function grownText(value: JsonValue, columns: number): string {
  if (typeof value === 'string' && (value.length > 2 * columns || textWidth(value) + 2 > columns))
    return cellText(`"…${endWithin(value, Math.max(1, columns - 3))}"`, columns);
  if (!Array.isArray(value) || value.length < 2) return cellText(shortJson(value, columns), columns);
  const count = `${value.length} elements, the last: `;
  return cellText(count + shortJson(value.at(-1), columns - count.length), columns);
}

/** JSON up to about `limit` characters; what goes deeper than `deepest` is an ellipsis. */
function shortJson(root: JsonValue, limit: number): string {
  let text = '';
  const write = (value: JsonValue, depth: number): void => {
    if (text.length > limit) return;
    if (typeof value === 'string') text += JSON.stringify(value.length > limit ? value.slice(0, limit) : value);
    else if (typeof value !== 'object' || value === null) text += String(value);
    else if (depth === deepest) text += '…';
    else if (Array.isArray(value)) writeAll('[', value, (element) => write(element, depth + 1), ']');
    else {
      const members = Object.entries(value);
      writeAll('{', members, ([name, member]) => writeMember(name, () => write(member, depth + 1)), '}');
    }
  };
  const writeAll = <Element>(open: string, elements: readonly Element[], each: (element: Element) => void, close: string): void => {
    text += open;
    for (const [index, element] of elements.entries()) {
      if (text.length > limit) return;
      if (index > 0) text += ', ';
      each(element);
    }
    text += close;
  };
  const writeMember = (name: string, writeValue: () => void): void => {
    text += `${JSON.stringify(name.slice(0, limit))}: `;
    writeValue();
  };
  write(root, 0);
  return text;
}

import { admitsStrings } from '../draw/shape.ts';
import type { Mangler, MangleState } from '../mangle.ts';
import { asRecord, has, isContainer, textMangler, tolerable } from './support.ts';

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** The document may stand encoded: nothing encodes it yet, and it is a container, for scalars are never opened. */
const encodable = (state: MangleState): boolean =>
  !has(state, 'encoded', 'damaged') && isContainer(state.shown) && /^\s*[[{]/.test(state.text);

/** A string at the root can only be the document encoded: the schema takes no string, and the document is of the kind that it wants. */
const opensSurely = (state: MangleState): boolean =>
  encodable(state) &&
  !has(state, 'dialect') &&
  Array.isArray(state.shown) === Array.isArray(state.value) &&
  !admitsStrings(state.schema.root, state.schema.set);

/** Nothing that holds the value conforms, or an extra closer might be a lost opener. */
const isNoItem = (state: MangleState): boolean =>
  state.schema.set.definitions.size === 0 && ![[state.value], [[state.value]]].some((list) => state.schema.passes(list));

/** A closed root with every member present, and a last value that delimits itself: the one document whose last brace may be missing. */
function endsProvably(state: MangleState): boolean {
  const record = asRecord(state.shown);
  const { root, set } = state.schema;
  if (record === undefined || state.finish === 'length' || root.kind !== 'object' || set.root.kind !== 'object' || root.extra !== 'closed')
    return false;
  if (root.properties.length === 0 || root.properties.some((property) => !Object.hasOwn(record, property.key))) return false;
  return /["}\]]\s*\}$/.test(state.text);
}

export const encodingManglers: readonly Mangler[] = [
  tolerable(
    textMangler('encoding:missing-brace', (text, _random, state) => (endsProvably(state) ? text.slice(0, -1) : undefined), [
      'encoded',
      'statement',
      'repeated',
      'dialect',
    ]),
  ),
  tolerable(
    textMangler(
      'encoding:missing-opener',
      (text, _random, state) =>
        !has(state, 'damaged') &&
        asRecord(state.shown) !== undefined &&
        Object.keys(state.shown as object).length > 0 &&
        /^\{\s*"/.test(text)
          ? text.slice(1)
          : undefined,
      ['encoded', 'statement', 'repeated', 'dialect', 'needs-end'],
    ),
  ),
  tolerable(
    textMangler(
      'encoding:doubled-braces',
      (text, _random, state) =>
        asRecord(state.shown) !== undefined && text.startsWith('{') && text.endsWith('}') ? `{${text}}` : undefined,
      ['encoded'],
    ),
  ),
  textMangler(
    'encoding:extra-closers',
    (text, random, state) => (encodable(state) && isNoItem(state) ? text + random.pick(['}', ']}', '}}', ']', ' }', '\n}']) : undefined),
    ['statement', 'repeated'],
  ),
  textMangler('encoding:comma-after', (text, random, state) => (encodable(state) ? text + random.pick([',', ' ,', ',\n']) : undefined), [
    'statement',
    'repeated',
  ]),
  textMangler('encoding:double', (text, _random, state) => (opensSurely(state) && isStrict(text) ? JSON.stringify(text) : undefined), [
    'encoded',
  ]),
  textMangler(
    'encoding:escape-layer',
    (text, _random, state) => (encodable(state) && text.includes('"') && isStrict(text) ? JSON.stringify(text).slice(1, -1) : undefined),
    ['encoded'],
  ),
  tolerable(
    textMangler(
      'encoding:html',
      (text, _random, state) =>
        encodable(state) && text.includes('"') && isStrict(text)
          ? text.replace(/[&<>"]/g, (unit) => entities.get(unit) ?? unit)
          : undefined,
      ['encoded'],
    ),
  ),
];

function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import type { Random } from '../draw/random.ts';
import type { Json } from '../draw/shape.ts';
import type { Mangler } from '../mangle.ts';
import { standsForAnother } from '../spelling/readings.ts';
import { asRecord, marked } from './support.ts';

/** Rewrites one place of a value; undefined where the rewriting does not fit. */
type Rewrite = (value: Json, random: Random) => Json | undefined;

/** The value with one place rewritten, chosen by walking down at random. */
function rewriteSomewhere(value: Json, random: Random, rewrite: Rewrite): Json | undefined {
  const record = asRecord(value);
  const children: readonly (string | number)[] =
    record === undefined ? (Array.isArray(value) ? value.map((_, index) => index) : []) : Object.keys(record);
  if (children.length === 0 || random.chance(0.25)) {
    const here = rewrite(value, random);
    if (here !== undefined || children.length === 0) return here;
  }
  const chosen = random.pick(children);
  if (record === undefined) {
    const list = value as readonly Json[];
    const changed = rewriteSomewhere(list[chosen as number] as Json, random, rewrite);
    return changed === undefined ? undefined : list.map((item, index) => (index === chosen ? changed : item));
  }
  const changed = rewriteSomewhere(record[chosen] as Json, random, rewrite);
  return changed === undefined
    ? undefined
    : Object.fromEntries(Object.entries(record).map(([key, member]) => [key, key === chosen ? changed : member]));
}

/** Loses data on purpose. Applied only where the schema shows the loss: what still conforms, as it is or out of an envelope, could have been meant. */
function lossyValue(id: string, rewrite: Rewrite): Mangler {
  return {
    id: `value:${id}`,
    phase: 'value',
    loss: 'lossy',
    apply(random, state) {
      for (let tries = 0; tries < 4; tries += 1) {
        const shown = rewriteSomewhere(state.shown, random, rewrite);
        if (shown === undefined) continue;
        if (state.schema.passes(shown) || standsForAnother(shown, state.value, state)) continue;
        return { ...state, shown, marks: marked(state, 'lossy') };
      }
      return undefined;
    },
  };
}

const onObject =
  (rewrite: (entries: readonly (readonly [string, Json])[], random: Random) => readonly (readonly [string, Json])[]): Rewrite =>
  (value, random) => {
    const record = asRecord(value);
    if (record === undefined || Object.keys(record).length === 0) return undefined;
    return Object.fromEntries(rewrite(Object.entries(record), random)) as Json;
  };

const swapCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());

const renames: readonly ((key: string) => string)[] = [
  swapCase,
  (key) => `${key} `,
  (key) => `${key}s`,
  (key) => key.replace(/([a-z])/i, '$1_'),
  (key) => key.replace(/a/, 'а'),
  () => 'value',
];

const coerce: Rewrite = (value) => {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null) return 'null';
  if (typeof value === 'string' && value !== '' && String(Number(value)) === value) return Number(value);
  if (value === 'true' || value === 'yes') return true;
  return undefined;
};

const otherTruth: Rewrite = (value) => (value === true ? 1 : value === false ? 0 : value === 1 ? true : value === null ? '' : undefined);

export const valueManglers: readonly Mangler[] = [
  lossyValue(
    'key-dropped',
    onObject((entries, random) => {
      const gone = random.below(entries.length);
      return entries.filter((_, index) => index !== gone);
    }),
  ),
  lossyValue(
    'key-renamed',
    onObject((entries, random) => {
      const changed = random.below(entries.length);
      const rename = random.pick(renames);
      return entries.map(([key, member], index) => [index === changed ? rename(key) : key, member] as const);
    }),
  ),
  lossyValue(
    'key-added',
    onObject((entries, random) => [
      ...entries,
      [random.pick(['extra', 'note2', 'explanation']), random.pick(['', 1, null] as Json[])] as const,
    ]),
  ),
  lossyValue(
    'null-for-value',
    onObject((entries, random) => {
      const changed = random.below(entries.length);
      return entries.map(([key, member], index) => [key, index === changed ? null : member] as const);
    }),
  ),
  lossyValue('case-changed', (value) => (typeof value === 'string' ? swapCase(value) : undefined)),
  lossyValue('space-added', (value) => (typeof value === 'string' ? ` ${value} ` : undefined)),
  lossyValue('coerced', coerce),
  lossyValue('truth-as-number', otherTruth),
  lossyValue('rounded', (value) => (typeof value === 'number' ? value + 0.5 : undefined)),
  lossyValue('list-around', (value) => [value]),
  lossyValue('list-taken-off', (value) => (Array.isArray(value) && value.length === 1 ? value[0] : undefined)),
  lossyValue('object-around', (value, random) => ({ [random.pick(['value', 'item', 'text'])]: value })),
  lossyValue('item-dropped', (value, random) =>
    Array.isArray(value) && value.length > 0 ? value.filter((_, index, all) => index !== random.below(all.length)) : undefined,
  ),
  lossyValue('type-for-value', (value) => (value === null ? undefined : { type: Array.isArray(value) ? 'array' : typeof value })),
  lossyValue('emptied', (value) => (Array.isArray(value) ? [] : asRecord(value) === undefined ? undefined : {})),
];

import type { FitUndo } from '@vouch/contracts';
import type { Random } from '../draw/random.ts';
import { admitsStrings, type Json, resolveShape, type Shape } from '../draw/shape.ts';
import { compileCheck } from '../draw/validator.ts';
import type { Mangler, MangleState } from '../mangle.ts';
import { envelopeNames, standsForAnother } from '../spelling/readings.ts';
import { asRecord, has, isContainer, marked, tolerable } from './support.ts';

/** Wraps the document. Fits only where the wrapped one conforms in no other way, for valid bytes stand (principle 1). */
function envelope(
  id: string,
  wrap: (value: Json, random: Random, state: MangleState) => Json | undefined,
  part: Partial<MangleState> = {},
): Mangler {
  return {
    id: `envelope:${id}`,
    phase: 'value',
    loss: 'lossless',
    apply(random, state) {
      const shown = wrap(state.shown, random, state);
      if (shown === undefined || state.schema.passes(shown) || standsForAnother(shown, state.value, state)) return undefined;
      // Of two envelopes the outer may hide the inner, so a rival may rightly be the only reading left.
      return { ...state, ...part, shown, marks: has(state, 'enveloped') ? marked(state, 'tolerated') : marked(state, 'enveloped') };
    },
  };
}

/** A call to the exit tool, spelled as an object. */
function callObject(id: string, spell: (name: string, value: Json, random: Random) => Json): Mangler {
  const wrapper = envelope(`call-${id}`, (value, random, state) =>
    state.channel === 'arguments' ||
    state.exitTool === undefined ||
    asRecord(value) === undefined ||
    has(state, 'dialect') ||
    (id.endsWith('text') && admitsStrings(state.schema.root, state.schema.set))
      ? undefined
      : spell(state.exitTool, value, random),
  );
  return {
    ...wrapper,
    apply(random, state) {
      const next = wrapper.apply(random, state);
      return next === undefined ? undefined : { ...next, marks: marked(next, 'dialect') };
    },
  };
}

const encoded = (value: Json): Json => JSON.stringify(value);

/** Encodes one container field as a string, where the schema admits no string. */
function encodeField(value: Json, random: Random, state: MangleState): Json | undefined {
  const { set } = state.schema;
  const walk = (here: Json, shape: Shape, depth: number): Json | undefined => {
    const known = resolveShape(shape, set);
    const record = asRecord(here);
    if (depth > 0 && isContainer(here) && random.chance(0.6)) {
      return admitsStrings(known, set) ? undefined : JSON.stringify(here);
    }
    if (record !== undefined && known.kind === 'object') {
      const inner = known.properties.filter((property) => Object.hasOwn(record, property.key) && isContainer(record[property.key] as Json));
      if (inner.length === 0) return undefined;
      const chosen = random.pick(inner);
      const changed = walk(record[chosen.key] as Json, chosen.shape, depth + 1);
      if (changed === undefined) return undefined;
      return Object.fromEntries(Object.entries(record).map(([key, member]) => [key, key === chosen.key ? changed : member]));
    }
    if (!Array.isArray(here) || known.kind !== 'array' || here.length === 0) return undefined;
    const every = random.chance(0.5);
    const at = random.below(here.length);
    const items = here.map((item: Json, index: number) => (every || index === at ? walk(item, known.items, depth + 1) : item));
    return items.some((item) => item === undefined) ? undefined : (items as Json);
  };
  return walk(value, state.schema.root, 0);
}

/** What a strict wire's fit does with optional members, and the model answers with null. */
const fitNullable: Mangler = {
  id: 'envelope:fit-nullable',
  phase: 'value',
  loss: 'lossless',
  apply(_random, state) {
    const record = asRecord(state.shown);
    const { root, set } = state.schema;
    if (record === undefined || root.kind !== 'object' || set.root.kind !== 'object' || state.undo !== undefined) return undefined;
    const absent = root.properties.filter((property) => !property.required && !Object.hasOwn(record, property.key));
    const refusing = absent.filter((property) => compileCheck(property.shape, set)(null) !== undefined);
    if (refusing.length === 0) return undefined;
    const shown = {
      ...Object.fromEntries(Object.entries(record)),
      ...Object.fromEntries(refusing.map((property) => [property.key, null])),
    };
    const pointers = refusing.map((property) => `/properties/${property.key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    const undo: FitUndo = { madeNullable: pointers };
    const next: MangleState = { ...state, shown, undo, marks: marked(state, 'enveloped') };
    return state.schema.passes(shown) || standsForAnother(shown, state.value, next) ? undefined : next;
  },
};

/** A wire that wants an object at the root gets one. */
const fitRoot: Mangler = {
  id: 'envelope:fit-root',
  phase: 'value',
  loss: 'lossless',
  apply(random, state) {
    if (asRecord(state.shown) !== undefined || state.undo !== undefined) return undefined;
    const rootKey = random.pick(['value', 'items', 'output']);
    const shown = { [rootKey]: state.shown };
    const next: MangleState = { ...state, shown, undo: { rootKey, madeNullable: [] }, marks: marked(state, 'enveloped') };
    return state.schema.passes(shown) || standsForAnother(shown, state.value, next) ? undefined : next;
  },
};

const names: readonly ((state: MangleState) => string | undefined)[] = [
  ...envelopeNames.map((name) => () => name),
  (state) => state.exitTool,
  (state) => (state.schema.set.root.kind === 'object' ? state.schema.set.root.title : undefined),
];

export const envelopeManglers: readonly Mangler[] = [
  fitRoot,
  fitNullable,
  {
    id: 'envelope:container-as-string',
    phase: 'value',
    loss: 'lossless',
    apply(random, state) {
      const shown = encodeField(state.shown, random, state);
      return shown === undefined || state.schema.passes(shown) || standsForAnother(shown, state.value, state)
        ? undefined
        : { ...state, shown };
    },
  },
  envelope('sole-key', (value, random, state) => {
    const name = random.pick(names)(state);
    return name === undefined || !isContainer(value) ? undefined : { [name]: value };
  }),
  tolerable(envelope('properties', (value) => (asRecord(value) === undefined ? undefined : { properties: value }))),
  envelope('list-brackets', (value) => (asRecord(value) === undefined ? undefined : [value])),
  callObject('arguments', (name, value, random) => ({ name, [random.pick(['arguments', 'parameters'])]: value })),
  callObject('arguments-text', (name, value) => ({ name, arguments: encoded(value) })),
  callObject('tool-input', (name, value) => ({ tool_name: name, tool_input: value })),
  callObject('openai-text', (name, value) => ({
    tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: encoded(value) } }],
  })),
  callObject('typed', (name, value, random) => ({ type: 'function', name, [random.pick(['arguments', 'parameters'])]: value })),
];

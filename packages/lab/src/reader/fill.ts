import type { JsonSchema, JsonValue } from '@vouch/contracts';
import { convertText, saysNothing, unlabelled } from './convert.ts';
import type { Fact, Section } from './document.ts';
import { leastScore, type Meaning, readMeaning, scoreHeader, scoreLabel } from './match.ts';
import { readShape, type Shape } from './schema.ts';
import { singular } from './words.ts';

/** What stands around the object that is being filled. */
interface Surroundings {
  readonly root: JsonSchema;
  /** Words of the headings, titles and names around. */
  readonly context: ReadonlySet<string>;
  /** The parent's name, when an object is read out of its parent's own facts: labels must say it. */
  readonly prefix?: Meaning;
  /** The facts are the cells of one row, or the parts of one list item. */
  readonly inRow?: boolean;
  readonly depth: number;
}

/** Objects inside objects; deeper ones are not filled. */
const deepestObject = 8;
/** Facts that one object looks at. */
const mostFacts = 600;

/** One property with everything that decides which fact it takes. */
interface Wanted {
  readonly name: string;
  readonly shape: Shape;
  readonly names: readonly Meaning[];
  readonly description?: Meaning;
}

/** Fills a schema from a document; undefined when the document holds nothing of it. What it does not hold is null where allowed, else left out. */
export function fillSchema(root: JsonSchema, document: Section, title: string): JsonValue | undefined {
  const context = new Set([...readMeaning(title).words, ...titleWords(root), ...headWords(document)]);
  return fillShape(readShape(root, root), { root, context, depth: 0 }, document, title);
}

function titleWords(schema: JsonSchema): readonly string[] {
  return typeof schema.title === 'string' ? [...readMeaning(schema.title).words] : [];
}

/** The first line that is no fact says what the document is. */
function headWords(document: Section): readonly string[] {
  const first = document.text.split('\n').find((line) => line.trim() !== '') ?? '';
  return first.length <= 80 && !first.includes(':') ? [...readMeaning(first).words] : [];
}

function fillShape(shape: Shape, around: Surroundings, section: Section, name: string): JsonValue | undefined {
  if (around.depth > deepestObject) return undefined;
  if (shape.alternatives.length > 0) return fillAlternative(shape.alternatives, around, section, name);
  if (Object.keys(shape.properties).length > 0) return fillObject(shape, around, section);
  if (shape.types.includes('array')) return fillArray(shape, around, wantedOf(name, shape), section);
  return (
    unlabelled(shape, name, section.text) ??
    (section.facts.length === 0 ? convertText(around.root, shape, name, section.text.trim()) : undefined)
  );
}

/** The alternative that the text fills best: the most members, the first of equals; one that lacks a required member only when all do. */
function fillAlternative(alternatives: readonly Shape[], around: Surroundings, section: Section, name: string): JsonValue | undefined {
  let best: { readonly value: JsonValue; readonly score: number } | undefined;
  for (const shape of alternatives) {
    const value = fillShape(shape, { ...around, depth: around.depth + 1 }, section, name);
    if (value === undefined) continue;
    const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    const isWhole = shape.required.every((key) => members.some(([other]) => other === key));
    const score = (isWhole ? 10_000 : 0) + members.filter(([, member]) => member !== null).length;
    if (best === undefined || score > best.score) best = { value, score };
  }
  return best?.value;
}

function wantedOf(name: string, shape: Shape): Wanted {
  const { title, description } = shape.schema;
  const names = typeof title === 'string' ? [title, name] : [name];
  return {
    name,
    shape,
    names: names.map(readMeaning),
    ...(typeof description === 'string' && description.length <= 120 ? { description: readMeaning(description) } : {}),
  };
}

function fillObject(shape: Shape, around: Surroundings, section: Section): JsonValue | undefined {
  const wanted = Object.entries(shape.properties).map(([name, schema]) => wantedOf(name, readShape(around.root, schema)));
  const found = new Map<string, JsonValue>();
  const claimed = claimSections(wanted, section);
  assignFacts(wanted, around, visibleFacts(section, claimed), found);
  for (const one of wanted) {
    if (found.has(one.name)) continue;
    const value = fillMember(one, around, section, claimed.get(one.name));
    if (value !== undefined) found.set(one.name, value);
  }
  const isEmpty = ![...found.values()].some((value) => value !== null);
  const entries = wanted.flatMap((one): [string, JsonValue][] => {
    const value = found.get(one.name) ?? missing(one.shape);
    return value === undefined ? [] : [[one.name, value]];
  });
  return isEmpty && around.depth > 0 ? undefined : Object.fromEntries(entries);
}

/** A constant says itself; what the text does not hold is null where that is allowed. */
function missing(shape: Shape): JsonValue | undefined {
  if ('const' in shape.schema) return shape.schema.const as JsonValue;
  return shape.nullable ? null : undefined;
}

const isStructured = (shape: Shape): boolean =>
  Object.keys(shape.properties).length > 0 || shape.types.includes('array') || shape.alternatives.some((one) => isStructured(one));

/** The section that a nested object or list names, for each that names one. */
function claimSections(wanted: readonly Wanted[], section: Section): ReadonlyMap<string, readonly Section[]> {
  const claims = new Map<string, readonly Section[]>();
  for (const one of wanted) {
    if (!isStructured(one.shape)) continue;
    const inner = section.sections.filter((other) => scoreHeading(other.meaning, one) >= leastScore);
    if (inner.length > 0) claims.set(one.name, inner);
  }
  return claims;
}

function scoreHeading(heading: Meaning, one: Wanted): number {
  return Math.max(...one.names.map((name) => scoreLabel(heading, name, new Set(['detail', 'information', 'data']))));
}

interface RankedFact {
  readonly fact: Fact;
  readonly order: number;
  readonly depth: number;
}

/** Facts of the section, then those of inner sections that no nested property claims. */
function visibleFacts(section: Section, claims: ReadonlyMap<string, readonly Section[]>): readonly RankedFact[] {
  const taken = new Set([...claims.values()].flat());
  const facts: RankedFact[] = [];
  const open: { readonly section: Section; readonly depth: number }[] = [{ section, depth: 0 }];
  for (let here = open.shift(); here !== undefined && facts.length < mostFacts; here = open.shift()) {
    for (const fact of here.section.facts) facts.push({ fact, order: facts.length, depth: here.depth });
    for (const inner of here.section.sections) if (!taken.has(inner)) open.push({ section: inner, depth: here.depth + 1 });
  }
  return facts;
}

/** Pairs facts with properties, the best pair first; each fact and each property once. */
function assignFacts(wanted: readonly Wanted[], around: Surroundings, facts: readonly RankedFact[], found: Map<string, JsonValue>): void {
  const pairs: { readonly one: Wanted; readonly ranked: RankedFact; readonly score: number; readonly value: JsonValue }[] = [];
  for (const one of wanted) {
    for (const ranked of facts) {
      const score = scoreFact(one, ranked, around);
      if (score < (ranked.fact.soft ? 0.8 : leastScore)) continue;
      const value = convertText(around.root, one.shape, one.name, ranked.fact.value);
      if (value !== undefined) pairs.push({ one, ranked, score, value });
    }
  }
  pairs.sort((left, right) => right.score - left.score || left.ranked.order - right.ranked.order);
  const used = new Set<Fact>();
  for (const { one, ranked, value } of pairs) {
    if (found.has(one.name) || used.has(ranked.fact)) continue;
    found.set(one.name, value);
    used.add(ranked.fact);
  }
}

function scoreFact(one: Wanted, { fact, depth }: RankedFact, { context, prefix, inRow }: Surroundings): number {
  const penalty = depth * 0.02 + (fact.soft ? 0.1 : 0);
  if (prefix !== undefined) return scorePrefixed(one, fact, prefix, context) - penalty;
  if (one.names.some((name) => name.loose === fact.meaning.loose)) return 2 - penalty;
  const named = Math.max(...one.names.map((name) => scoreLabel(fact.meaning, name, context)));
  const described = one.description === undefined ? 0 : 0.8 * scoreLabel(fact.meaning, one.description, context);
  const header = inRow === true ? Math.max(...one.names.map((name) => scoreHeader(fact.meaning, name))) : 0;
  return Math.max(named, described, header) - penalty;
}

/** `Customer name` for `customer.name`, and `Customer` alone for its name. */
function scorePrefixed(one: Wanted, fact: Fact, prefix: Meaning, context: ReadonlySet<string>): number {
  if (![...prefix.words].every((word) => fact.meaning.words.has(word))) return 0;
  const isAlone = fact.meaning.words.size === prefix.words.size;
  if (isAlone) return one.names.some((name) => name.words.size === 1 && name.words.has('name')) ? 1 : 0;
  return Math.max(...one.names.map((name) => scoreLabel(fact.meaning, joined(prefix, name), context)));
}

function joined(prefix: Meaning, name: Meaning): Meaning {
  return { words: new Set([...prefix.words, ...name.words]), loose: prefix.loose + name.loose };
}

/** A member that no single fact fills: a nested object, a list, or a thing that needs no label. */
function fillMember(one: Wanted, around: Surroundings, section: Section, claimed: readonly Section[] | undefined): JsonValue | undefined {
  const inner: Surroundings = {
    ...around,
    context: new Set([...around.context, ...one.names.flatMap((name) => [...name.words])]),
    depth: around.depth + 1,
  };
  if (inner.depth > deepestObject) return undefined;
  const array = [one.shape, ...one.shape.alternatives].find((shape) => shape.types.includes('array'));
  if (array !== undefined) return fillArray(array, inner, one, section, claimed);
  if (!isStructured(one.shape)) return around.prefix === undefined ? unlabelled(one.shape, one.name, section.text) : undefined;
  const { prefix: _outer, ...apart } = inner;
  const [first] = claimed ?? [];
  if (first !== undefined) return fillShape(one.shape, apart, first, one.name);
  const [name] = one.names;
  if (name === undefined) return undefined;
  const facts = visibleFacts(section, new Map()).map((ranked) => ranked.fact);
  return fillShape(one.shape, { ...inner, prefix: name }, { ...section, facts, sections: [], tables: [], lists: [] }, one.name);
}

/** A list: of objects from tables, lists of facts or repeated sections; of plain values from a list or a section's lines. */
function fillArray(
  shape: Shape,
  around: Surroundings,
  one: Wanted,
  section: Section,
  claimed: readonly Section[] = [],
): JsonValue | undefined {
  if (shape.items === undefined) return undefined;
  const { prefix: _outer, ...inner } = around;
  const item = readShape(around.root, shape.items);
  const isRecord = Object.keys(item.properties).length > 0 || item.alternatives.some((other) => Object.keys(other.properties).length > 0);
  const places = claimed.length > 0 ? [...claimed, section] : [section, ...section.sections];
  const values = isRecord ? recordsIn(item, inner, one, places, section) : plainsIn(item, inner, one, places, claimed);
  return values === undefined || values.length === 0 ? undefined : values;
}

function recordsIn(
  item: Shape,
  around: Surroundings,
  one: Wanted,
  places: readonly Section[],
  section: Section,
): readonly JsonValue[] | undefined {
  const sources = places.flatMap((place) => [
    ...place.tables.map(({ heading, table }) => ({ heading, records: table.rows.map((row) => rowSection(table.columns, row)) })),
    ...place.lists.map(({ heading, items }) => ({ heading, records: items.map((entry) => entry.section) })),
  ]);
  const repeated = section.sections.filter((inner) => scoreHeading(withoutNumbers(inner.meaning), one) >= leastScore);
  if (repeated.length > 1 || (repeated.length === 1 && sources.length === 0))
    sources.push({ heading: readMeaning(one.name), records: repeated });
  let best: { readonly values: readonly JsonValue[]; readonly score: number } | undefined;
  for (const source of sources) {
    const values = source.records
      .map((record) => fillShape(item, { ...around, inRow: true }, record, singular(one.name)))
      .filter((value) => value !== undefined);
    const members = Math.max(0, ...values.map((value) => filledMembers(value)));
    const named = scoreHeading(source.heading, one) >= leastScore ? 1 : 0;
    const enough = members >= Math.min(2, Object.keys(item.properties).length || 1);
    const score = enough && values.length > 0 ? members + named * 10 : 0;
    if (score > (best?.score ?? 0)) best = { values, score };
  }
  return best?.values;
}

function withoutNumbers(meaning: Meaning): Meaning {
  return { words: new Set([...meaning.words].filter((word) => !/^\d+$/.test(word))), loose: meaning.loose.replace(/\d+$/, '') };
}

function filledMembers(value: JsonValue): number {
  return typeof value === 'object' && value !== null ? Object.values(value).filter((member) => member !== null).length : 0;
}

/** A row as facts under its columns. */
function rowSection(columns: readonly string[], row: readonly string[]): Section {
  const facts = columns.flatMap((label, index): Fact[] => {
    const value = row[index] ?? '';
    return value === '' ? [] : [{ label, meaning: readMeaning(label), value, soft: false }];
  });
  return { heading: '', meaning: readMeaning(''), facts, tables: [], lists: [], sections: [], text: row.join('\n') };
}

function plainsIn(
  item: Shape,
  around: Surroundings,
  one: Wanted,
  places: readonly Section[],
  claimed: readonly Section[],
): readonly JsonValue[] | undefined {
  for (const place of places) {
    for (const list of place.lists) {
      if (!claimed.includes(place) && scoreHeading(list.heading, one) < leastScore) continue;
      const values = list.items.map((entry) => convertText(around.root, item, one.name, entry.text));
      if (values.every((value) => value !== undefined)) return values;
    }
  }
  for (const place of claimed) {
    const lines = place.text.split('\n').filter((line) => line.trim() !== '' && !saysNothing(line));
    const values = lines.map((line) => convertText(around.root, item, one.name, line));
    if (values.length > 0 && values.every((value) => value !== undefined)) return values;
  }
  return columnIn(item, around, one, places);
}

/** A column of a table whose header is the list's name. */
function columnIn(item: Shape, around: Surroundings, one: Wanted, places: readonly Section[]): readonly JsonValue[] | undefined {
  for (const { table } of places.flatMap((place) => place.tables)) {
    const column = table.columns.findIndex((header) => scoreHeading(readMeaning(header), one) >= 0.8);
    if (column < 0) continue;
    const values = table.rows.map((row) => convertText(around.root, item, one.name, row[column] ?? ''));
    if (values.every((value) => value !== undefined)) return values;
  }
  return undefined;
}

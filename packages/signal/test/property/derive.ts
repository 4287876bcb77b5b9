import type { FinishReason } from '@vouch/contracts';
import { createRandom, type Random } from './draw/random.ts';
import { type Mangler, type MangleState, manglers } from './mangle.ts';
import { type DrawnSchema, drawSchema } from './schemas.ts';
import { joinTokens, layouts, printTokens } from './spelling/tokens.ts';

/** What a case is asked to be. */
export type CaseKind =
  /** Any mangling, none to five. */
  | { readonly kind: 'any' }
  /** A closed schema, and exactly this many lossless manglings: sure ones only unless `tolerable` is asked for, and of these ids when given. */
  | { readonly kind: 'lossless'; readonly count: number; readonly tolerable: boolean; readonly among?: readonly string[] };

/** A case, whole: what was meant, and what is delivered. */
export interface DerivedCase {
  readonly seed: number;
  readonly index: number;
  readonly state: MangleState;
  /** The manglers that applied, in order. */
  readonly applied: readonly Mangler[];
}

/** Cases in a row that share a schema, so that drawing schemas is not most of the work. */
const casesPerSchema = 8;

let lastSchema: { readonly key: string; readonly schema: DrawnSchema } | undefined;

function schemaOfCase(seed: number, index: number, closed: boolean): DrawnSchema {
  const block = Math.floor(index / casesPerSchema);
  const key = `${seed}/${block}/${closed}`;
  if (lastSchema?.key !== key) lastSchema = { key, schema: drawSchema(createRandom(seed, 0x40000000 + block), closed) };
  return lastSchema.schema;
}

const finishes: readonly FinishReason[] = [...Array.from({ length: 14 }, () => 'stop' as const), 'tool_calls', 'length', 'unknown'];

function startState(schema: DrawnSchema, random: Random, kind: CaseKind): MangleState {
  const exact = kind.kind === 'lossless';
  const value = schema.draw(random, { refused: !exact && random.chance(0.3) });
  const channel = random.chance(0.15) ? 'arguments' : 'content';
  const exitTool = channel === 'arguments' || random.chance(0.5) ? random.pick(['respond', 'final_report']) : undefined;
  const finish = exact ? (channel === 'arguments' ? random.pick(['tool_calls', 'stop'] as const) : 'stop') : random.pick(finishes);
  return {
    schema,
    value,
    shown: value,
    tokens: [],
    text: '',
    finish,
    terminated: true,
    channel,
    exitTool,
    undo: undefined,
    marks: new Set(),
  };
}

function applyAll(
  state: MangleState,
  chosen: readonly number[],
  random: Random,
): { readonly state: MangleState; readonly applied: readonly Mangler[] } {
  const applied: Mangler[] = [];
  let here = state;
  let phase: Mangler['phase'] = 'value';
  const enter = (next: Mangler['phase']): void => {
    if (phase === 'value' && next !== 'value') {
      const layout = random.split(0x77).pick(layouts);
      here = { ...here, tokens: printTokens(here.shown, layout, random.split(0x78)) };
    }
    if (phase !== 'text' && next === 'text') here = { ...here, text: joinTokens(here.tokens) };
    phase = next;
  };
  for (const ordinal of chosen) {
    const mangler = manglers[ordinal] as Mangler;
    enter(mangler.phase);
    const next = mangler.apply(random.split(1000 + ordinal), here);
    if (next === undefined) continue;
    here = mangler.tolerable === true ? { ...next, marks: new Set([...next.marks, 'tolerated' as const]) } : next;
    applied.push(mangler);
  }
  enter('text');
  return { state: here, applied };
}

const ordinals = (fits: (mangler: Mangler) => boolean): readonly number[] =>
  manglers.flatMap((mangler, ordinal) => (fits(mangler) ? [ordinal] : []));

const lossless = ordinals((mangler) => mangler.loss === 'lossless');
const lossy = ordinals((mangler) => mangler.loss === 'lossy');
const sure = ordinals((mangler) => mangler.loss === 'lossless' && mangler.tolerable !== true);

const inOrder = (chosen: ReadonlySet<number>): readonly number[] => [...chosen].sort((a, b) => a - b);

function choose(random: Random): readonly number[] {
  const chosen = new Set<number>();
  // Many do not fit the case at hand, so more are drawn than will apply.
  for (let left = random.pick([0, 1, 2, 2, 3, 4, 5, 6, 8]); left > 0; left -= 1)
    chosen.add(random.pick(random.chance(0.65) ? lossless : lossy));
  return inOrder(chosen);
}

/** The case of a seed and an index; the same on every run. `only` leaves out every other mangler, which changes nothing else of the case. */
export function deriveCase(
  seed: number,
  index: number,
  kind: CaseKind = { kind: 'any' },
  only?: readonly string[],
): DerivedCase | undefined {
  const random = createRandom(seed, index);
  const start = startState(schemaOfCase(seed, index, kind.kind === 'lossless'), random.split(1), kind);
  const keep = (chosen: readonly number[]): readonly number[] =>
    only === undefined ? chosen : chosen.filter((ordinal) => only.includes((manglers[ordinal] as Mangler).id));
  if (kind.kind === 'any') return { seed, index, ...applyAll(start, keep(choose(random.split(2))), random) };
  const known = kind.tolerable ? lossless : sure;
  const pool = kind.among === undefined ? known : known.filter((ordinal) => kind.among?.includes((manglers[ordinal] as Mangler).id));
  for (let attempt = 0; attempt < 24; attempt += 1) {
    const picks = random.split(100 + attempt);
    const chosen = new Set<number>();
    while (chosen.size < Math.min(kind.count, pool.length)) chosen.add(picks.pick(pool));
    const made = applyAll(start, keep(inOrder(chosen)), random);
    if (made.applied.length === (only?.length ?? kind.count)) return { seed, index, ...made };
  }
  return undefined;
}

import { type ArgumentsBuffer, isClosed, withoutWhitespace } from './tool-call-arguments.ts';
import type { ToolCallAnomalyKind } from './tool-call-assembler.ts';

/** A call that fragments are being added to. */
export interface OpenCall {
  readonly position: number;
  readonly wireIds: Set<string>;
  readonly arguments: ArgumentsBuffer;
  id: string | undefined;
  name: string;
  /** Came as one piece. */
  whole: boolean;
  /** After its end its head came again, so that what follows may be a second call. */
  headAgain: boolean;
  shownName: string | undefined;
  backlog: string;
  /** Its wire id belongs to another call already. */
  readonly idTaken: boolean;
}

/** One fragment, with what the wire left empty taken as absent. */
export interface Fragment {
  readonly index: number | null;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly whole: boolean;
}

/** Nothing but white space. */
export const isBlank = (text: string): boolean => !/\S/.test(text);
const opensObject = (text: string): boolean => /^\s*\{/.test(text);

/** The fragment looks like the beginning of arguments, and not like the inside of a string of `call`. */
const opensArguments = (call: OpenCall, fragment: Fragment): boolean => opensObject(fragment.text) && !call.arguments.nesting().inString;

/** How names are read, given the declared ones. */
export interface NameRules {
  /** `piece` continues the name `known` (B11). `addressed`: an id or index says that it is the same call. */
  readonly joins: (known: string, piece: string, addressed: boolean) => boolean;
  /** The name as it should be called: without `functions.` and without leaked control tokens, where that makes it a declared one (B28, A21). */
  readonly settle: (name: string) => string;
  /** A declared name begins with it and is longer. */
  readonly mayGrow: (name: string) => boolean;
}

/** The rules for these tools. */
export function nameRules(declared: ReadonlySet<string>): NameRules {
  const beginsDeclared = (start: string): boolean => [...declared].some((name) => name.startsWith(start));
  const settle = (name: string): string => {
    if (declared.has(name)) return name;
    const plain = (name.split('<|')[0] ?? name).trim().replace(/^functions\./, '');
    return declared.has(plain) ? plain : name;
  };
  return {
    settle,
    mayGrow: (name) => name !== '' && !declared.has(name) && beginsDeclared(name),
    joins(known, piece, addressed) {
      if (known === piece) return !declared.has(known) && beginsDeclared(known + piece);
      if (beginsDeclared(known + piece)) return true;
      if (declared.has(piece) || declared.has(known)) return false;
      return addressed;
    },
  };
}

/** The calls so far. */
export interface Known {
  readonly byIndex: ReadonlyMap<number, OpenCall>;
  readonly byId: ReadonlyMap<string, OpenCall>;
  readonly current: OpenCall | undefined;
  readonly joins: NameRules['joins'];
}

/** Where a fragment belongs. */
export interface Located {
  /** Absent: the fragment opens a call. */
  readonly call?: OpenCall | undefined;
  readonly anomaly?: ToolCallAnomalyKind;
  /** The name under which a call opens whose own fragment has none. */
  readonly inheritedName?: string;
}

/** The call that a fragment belongs to. A known id wins; see `createToolCallAssembler`. */
export function locate(fragment: Fragment, known: Known): Located {
  const atIndex = fragment.index === null ? undefined : known.byIndex.get(fragment.index);
  const withId = fragment.id === undefined ? undefined : known.byId.get(fragment.id);
  if (fragment.id !== undefined && withId === undefined) return locateFreshId(fragment, atIndex, known);
  if (withId !== undefined) return locateKnownId(fragment, atIndex, withId, known);
  if (atIndex !== undefined) return orNew(atIndex, fragment, known);
  if (known.current === undefined) return {};
  if (fragment.index === null) return orNew(known.current, fragment, known);
  // An index never seen, and no id: a head, or the tail of a call whose head stood at another index.
  if (fragment.name !== undefined) return {};
  const text = known.current.arguments.text();
  const ended = isClosed(known.current.arguments.nesting());
  if (text === '' || (!ended && !opensArguments(known.current, fragment)) || isBlank(fragment.text))
    return { call: known.current, anomaly: 'index-changed' };
  return {};
}

function locateFreshId(fragment: Fragment, atIndex: OpenCall | undefined, known: Known): Located {
  if (atIndex === undefined) {
    const nameless = fragment.index === null && known.current?.name === '' && known.current.wireIds.size === 0;
    return nameless && isBlank(fragment.text) ? { call: known.current } : {};
  }
  if (atIndex.wireIds.size === 0) return orNew(atIndex, fragment, known);
  const ended = isClosed(atIndex.arguments.nesting());
  const continues =
    !atIndex.arguments.blank() && !isBlank(fragment.text) && !opensArguments(atIndex, fragment) && fragment.name === atIndex.name;
  // An id that changes with each fragment is none; a new head or new arguments are a new call.
  const same = ended ? fragment.name === undefined && isBlank(fragment.text) : fragment.name === undefined || continues;
  return { ...(same && !atIndex.whole ? { call: atIndex } : {}), anomaly: 'conflicting-id' };
}

function locateKnownId(fragment: Fragment, atIndex: OpenCall | undefined, withId: OpenCall, known: Known): Located {
  if (atIndex === withId || fragment.index === null) return orNew(withId, fragment, known);
  const id = fragment.id ?? '';
  // The id of two calls: the index says which.
  if (atIndex?.wireIds.has(id) === true) return orNew(atIndex, fragment, known);
  if (fragment.name === undefined) return { call: atIndex?.wireIds.size === 0 ? atIndex : withId, anomaly: 'index-changed' };
  const continues =
    !withId.arguments.blank() && !isClosed(withId.arguments.nesting()) && !isBlank(fragment.text) && !opensArguments(withId, fragment);
  return continues && fragment.name === withId.name ? { call: withId, anomaly: 'index-changed' } : {};
}

function orNew(call: OpenCall, fragment: Fragment, known: Known): Located {
  const inheritedName = call.headAgain && fragment.name === undefined ? call.name : undefined;
  if (!startsOver(call, fragment, known)) return { call };
  return {
    ...(fragment.index === null ? {} : { anomaly: 'index-reused' as const }),
    ...(inheritedName === undefined ? {} : { inheritedName }),
  };
}

/** A fragment that is addressed to `call`, or to none, is the head of another call. */
function startsOver(call: OpenCall, fragment: Fragment, known: Known): boolean {
  const blank = call.arguments.blank();
  const ended = isClosed(call.arguments.nesting());
  const sameId = fragment.id !== undefined && call.wireIds.has(fragment.id);
  if (fragment.name === undefined) {
    if (fragment.whole) return !blank && !sameId;
    return ended && call.headAgain && opensObject(fragment.text);
  }
  if (call.name === '') return ended && !isBlank(fragment.text);
  const addressed = sameId || fragment.index !== null;
  if (blank && !call.whole && known.joins(call.name, fragment.name, addressed)) return false;
  if (fragment.name !== call.name) return true;
  if (blank) return !sameId && (call.whole || (fragment.index === null && isBlank(fragment.text)));
  if (isBlank(fragment.text)) return ended && !addressed;
  // A call that has not ended goes on: servers do not leave one open to begin another on its place.
  if (!ended) return fragment.whole && !call.arguments.repeatedBy(fragment.text);
  if (sameId && sameJson(fragment.text, call.arguments.text())) return false;
  return opensObject(fragment.text) || fragment.whole;
}

/** The ended call came once more, under its own id: the same bytes, or the same JSON spaced otherwise (B25). */
export function sameCallAgain(call: OpenCall, fragment: Fragment, known: string): boolean {
  if (fragment.text === known) return true;
  return fragment.id !== undefined && call.wireIds.has(fragment.id) && sameJson(fragment.text, known);
}

/** The texts differ in white space at most. Bounded: a short fragment is not held against a long text. */
function sameJson(fragment: string, known: string): boolean {
  return fragment.length * 8 >= known.length && withoutWhitespace(fragment) === withoutWhitespace(known);
}

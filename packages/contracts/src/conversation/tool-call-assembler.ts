import type { FunctionCallDelta } from './part.ts';
import { type ArgumentsBuffer, createArgumentsBuffer, isClosed, isOpen, withoutWhitespace } from './tool-call-arguments.ts';

/** What a provider's tool-call stream did that the wire's rules forbid. */
export type ToolCallAnomalyKind =
  | 'missing-index'
  | 'index-changed'
  | 'index-reused'
  | 'conflicting-id'
  | 'duplicate-id'
  | 'missing-id'
  | 'missing-name'
  | 'name-in-pieces'
  | 'name-rewritten'
  | 'cumulative-arguments'
  | 'repeated-call';

/** One such thing, and at which call. */
export interface ToolCallAnomaly {
  readonly kind: ToolCallAnomalyKind;
  /** Position of the call, from 0. */
  readonly index: number;
}

/** A broken rule of the wire, under `identity: 'strict'` (AC-098). */
export class ToolCallProtocolError extends Error {
  override readonly name = 'ToolCallProtocolError';
  readonly code = 'E_TOOL_CALL_PROTOCOL' as const;
  readonly anomaly: ToolCallAnomaly;

  constructor(anomaly: ToolCallAnomaly) {
    super(`Tool call ${anomaly.index} breaks the wire protocol: ${anomaly.kind}.`);
    this.anomaly = anomaly;
  }
}

/** One fragment with its identity settled. */
export interface ToolCallFragment {
  /** Position of the call, from 0, without gaps. */
  readonly index: number;
  readonly id: string;
  /** Present when the name became known or changed; replaces an earlier one. */
  readonly name?: string;
  /** May be `''`. */
  readonly argumentsDelta: string;
}

/** One whole call. */
export interface AssembledCall {
  readonly id: string;
  /** `''` where none ever came. */
  readonly name: string;
  /** As the model wrote them; `''` for none. Never parsed here. */
  readonly argsText: string;
  /** False when the text ends inside a structure or string. */
  readonly complete: boolean;
}

/** The assembler's settings. */
export interface ToolCallAssemblerOptions {
  /** `tolerant`: anomalies are listed. `strict`: the first throws `ToolCallProtocolError`. */
  readonly identity: 'tolerant' | 'strict';
  /** Ids for calls that came without one, or with one that is taken. */
  readonly newCallId: () => string;
  /** The tools of the request: with them a name in pieces and a decorated name are recognised. */
  readonly declaredNames?: Iterable<string>;
}

/** The one assembler of tool-call streams (SG-034). */
export interface ToolCallAssembler {
  /** Takes a fragment; undefined when it adds nothing yet (an empty one, arguments before their name, a repetition). */
  accept(delta: FunctionCallDelta): ToolCallFragment | undefined;
  /** Every call, in the order in which they began. */
  complete(): { readonly calls: readonly AssembledCall[]; readonly anomalies: readonly ToolCallAnomaly[] };
}

interface OpenCall {
  readonly position: number;
  readonly wireIds: Set<string>;
  readonly indices: Set<number>;
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

interface Fragment {
  readonly index: number | null;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly whole: boolean;
}

const textOr = (value: string | undefined | null): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : value;
const isBlank = (text: string): boolean => !/\S/.test(text);
const opensObject = (text: string): boolean => /^\s*\{/.test(text);

/**
 * Gives tool-call fragments an identity (SG-034). Nothing that the wire says is a key by itself: a known id wins; a fresh id, or a name that starts
 * over, on a used index opens a call; what has neither continues the call before it. Two calls are never merged, one is never split.
 */
export function createToolCallAssembler(options: ToolCallAssemblerOptions): ToolCallAssembler {
  const declared = new Set(options.declaredNames ?? []);
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();
  const anomalies: ToolCallAnomaly[] = [];
  const names = nameRules(declared);

  const note = (kind: ToolCallAnomalyKind, index: number): void => {
    const anomaly = { kind, index };
    if (options.identity === 'strict') throw new ToolCallProtocolError(anomaly);
    if (!anomalies.some((known) => known.kind === kind && known.index === index) && anomalies.length < 256) anomalies.push(anomaly);
  };

  const open = (fragment: Fragment, name: string): OpenCall => {
    const idTaken = fragment.id !== undefined && byId.has(fragment.id);
    const call: OpenCall = {
      position: calls.length,
      wireIds: new Set(),
      indices: new Set(),
      arguments: createArgumentsBuffer(),
      id: undefined,
      name,
      whole: false,
      headAgain: false,
      shownName: undefined,
      backlog: '',
      idTaken,
    };
    if (idTaken) note('duplicate-id', call.position);
    calls.push(call);
    return call;
  };

  const learn = (call: OpenCall, fragment: Fragment): void => {
    if (fragment.index === null) note('missing-index', call.position);
    else {
      byIndex.set(fragment.index, call);
      call.indices.add(fragment.index);
    }
    if (fragment.id !== undefined) {
      if (call.wireIds.size === 0 && !call.idTaken) call.id = fragment.id;
      call.wireIds.add(fragment.id);
      if (!call.idTaken) byId.set(fragment.id, call);
    }
    if (fragment.name === undefined) return;
    if (call.name === '') call.name = fragment.name;
    else if (isBlank(call.arguments.text()) && names.joins(call.name, fragment.name, fragment.name !== call.name)) {
      note('name-in-pieces', call.position);
      call.name += fragment.name;
    }
  };

  const add = (call: OpenCall, fragment: Fragment): string => {
    const known = call.arguments.text();
    const ended = isClosed(call.arguments.nesting());
    if (fragment.whole) call.whole = true;
    if (ended && fragment.name !== undefined && isBlank(fragment.text)) call.headAgain = true;
    if (ended && fragment.text.length > 1 && sameCallAgain(call, fragment, known)) {
      note('repeated-call', call.position);
      return '';
    }
    const added = call.arguments.append(fragment.text);
    if (call.arguments.cumulative()) note('cumulative-arguments', call.position);
    return added;
  };

  const show = (call: OpenCall, added: string): ToolCallFragment | undefined => {
    call.backlog += added;
    const waiting = call.arguments.text() === '' && !call.whole && names.mayGrow(call.name);
    if (call.name === '' || waiting) return undefined;
    const name = names.settle(call.name);
    const changed = name !== call.shownName;
    if (!changed && call.backlog === '') return undefined;
    call.id ??= options.newCallId();
    const shown = { index: call.position, id: call.id, ...(changed ? { name } : {}), argumentsDelta: call.backlog };
    call.shownName = name;
    call.backlog = '';
    return shown;
  };

  let current: OpenCall | undefined;
  return {
    accept(delta) {
      const fragment: Fragment = {
        index: delta.index,
        id: textOr(delta.id),
        name: textOr(delta.name),
        text: delta.arguments ?? '',
        whole: delta.whole === true,
      };
      if (fragment.id === undefined && fragment.name === undefined && fragment.text === '') return undefined;
      const found = locate(fragment, { byIndex, byId, current, joins: names.joins });
      if (found.anomaly !== undefined) note(found.anomaly, found.call?.position ?? calls.length);
      const call = found.call ?? open(fragment, found.inheritedName ?? '');
      learn(call, fragment);
      current = call;
      return show(call, add(call, fragment));
    },
    complete() {
      const whole: AssembledCall[] = [];
      for (const call of calls) {
        call.arguments.finish();
        const argsText = call.arguments.text();
        if (call.name === '' && isBlank(argsText)) continue;
        if (call.arguments.cumulative()) note('cumulative-arguments', call.position);
        if (call.name === '') note('missing-name', call.position);
        if (call.wireIds.size === 0) note('missing-id', call.position);
        call.id ??= options.newCallId();
        const name = names.settle(call.name);
        if (name !== call.name) note('name-rewritten', call.position);
        whole.push({ id: call.id, name, argsText, complete: !isOpen(call.arguments.nesting()) });
      }
      return { calls: whole, anomalies: [...anomalies] };
    },
  };
}

/** The ended call came once more, under its own id: the same bytes, or the same JSON spaced otherwise (B25). */
function sameCallAgain(call: OpenCall, fragment: Fragment, known: string): boolean {
  if (fragment.text === known) return true;
  return fragment.id !== undefined && call.wireIds.has(fragment.id) && withoutWhitespace(fragment.text) === withoutWhitespace(known);
}

interface NameRules {
  /** `piece` continues the name `known` (B11). `addressed`: an id or index says that it is the same call. */
  readonly joins: (known: string, piece: string, addressed: boolean) => boolean;
  /** The name as it should be called: without `functions.` and without leaked control tokens, where that makes it a declared one (B28, A21). */
  readonly settle: (name: string) => string;
  /** A declared name begins with it and is longer. */
  readonly mayGrow: (name: string) => boolean;
}

function nameRules(declared: ReadonlySet<string>): NameRules {
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

interface Known {
  readonly byIndex: ReadonlyMap<number, OpenCall>;
  readonly byId: ReadonlyMap<string, OpenCall>;
  readonly current: OpenCall | undefined;
  readonly joins: NameRules['joins'];
}

interface Located {
  /** Absent: the fragment opens a call. */
  readonly call?: OpenCall | undefined;
  readonly anomaly?: ToolCallAnomalyKind;
  /** The name under which a call opens whose own fragment has none. */
  readonly inheritedName?: string;
}

function locate(fragment: Fragment, known: Known): Located {
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
  if (text === '' || (!ended && !opensObject(fragment.text)) || isBlank(fragment.text))
    return { call: known.current, anomaly: 'index-changed' };
  return {};
}

function locateFreshId(fragment: Fragment, atIndex: OpenCall | undefined, known: Known): Located {
  if (atIndex === undefined) {
    const nameless = fragment.index === null && known.current?.name === '' && known.current.wireIds.size === 0;
    return nameless && isBlank(fragment.text) ? { call: known.current } : {};
  }
  if (atIndex.wireIds.size === 0) return orNew(atIndex, fragment, known);
  const text = atIndex.arguments.text();
  const ended = isClosed(atIndex.arguments.nesting());
  const continues = !isBlank(text) && !isBlank(fragment.text) && !opensObject(fragment.text) && fragment.name === atIndex.name;
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
  const text = withId.arguments.text();
  const continues = !isBlank(text) && !isClosed(withId.arguments.nesting()) && !isBlank(fragment.text) && !opensObject(fragment.text);
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
  const text = call.arguments.text();
  const ended = isClosed(call.arguments.nesting());
  const sameId = fragment.id !== undefined && call.wireIds.has(fragment.id);
  if (fragment.name === undefined) {
    if (fragment.whole) return !isBlank(text) && !sameId;
    return ended && call.headAgain && opensObject(fragment.text);
  }
  if (call.name === '') return ended && !isBlank(fragment.text);
  const addressed = sameId || fragment.index !== null;
  if (isBlank(text) && !call.whole && known.joins(call.name, fragment.name, addressed)) return false;
  if (fragment.name !== call.name) return true;
  if (isBlank(text)) return !sameId && (call.whole || (fragment.index === null && isBlank(fragment.text)));
  if (isBlank(fragment.text)) return ended && !addressed;
  if (!ended) return (opensObject(fragment.text) || fragment.whole) && !fragment.text.startsWith(text);
  if (sameId && withoutWhitespace(fragment.text) === withoutWhitespace(text)) return false;
  return opensObject(fragment.text) || fragment.whole;
}

import type { FunctionCallDelta } from './part.ts';
import { createArgumentsBuffer, isClosed, isOpen } from './tool-call-arguments.ts';
import { type Fragment, isBlank, locate, type NameRules, nameRules, type OpenCall, sameCallAgain } from './tool-call-identity.ts';

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

interface Assembly {
  readonly calls: OpenCall[];
  readonly byIndex: Map<number, OpenCall>;
  readonly byId: Map<string, OpenCall>;
  readonly names: NameRules;
  readonly newCallId: () => string;
  readonly note: (kind: ToolCallAnomalyKind, index: number) => void;
}

const textOr = (value: string | undefined | null): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : value;

/** Bounds the list of a hostile stream. */
const maxAnomalies = 256;

/**
 * Gives tool-call fragments an identity (SG-034). Nothing that the wire says is a key by itself: a known id wins; a fresh id, or a name that starts
 * over, on a used index opens a call; what has neither continues the call before it. Two calls are never merged, one is never split.
 */
export function createToolCallAssembler(options: ToolCallAssemblerOptions): ToolCallAssembler {
  const anomalies: ToolCallAnomaly[] = [];
  const note = (kind: ToolCallAnomalyKind, index: number): void => {
    const anomaly = { kind, index };
    if (options.identity === 'strict') throw new ToolCallProtocolError(anomaly);
    if (!anomalies.some((known) => known.kind === kind && known.index === index) && anomalies.length < maxAnomalies)
      anomalies.push(anomaly);
  };
  const names = nameRules(new Set(options.declaredNames ?? []));
  const assembly: Assembly = { calls: [], byIndex: new Map(), byId: new Map(), names, newCallId: options.newCallId, note };
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
      const found = locate(fragment, { byIndex: assembly.byIndex, byId: assembly.byId, current, joins: names.joins });
      if (found.anomaly !== undefined) note(found.anomaly, found.call?.position ?? assembly.calls.length);
      const call = found.call ?? open(assembly, fragment, found.inheritedName ?? '');
      learn(assembly, call, fragment);
      current = call;
      return show(assembly, call, add(assembly, call, fragment));
    },
    complete() {
      const calls = assembly.calls.flatMap((call) => settled(assembly, call) ?? []);
      return { calls, anomalies: [...anomalies] };
    },
  };
}

function open(assembly: Assembly, fragment: Fragment, name: string): OpenCall {
  const idTaken = fragment.id !== undefined && assembly.byId.has(fragment.id);
  const call: OpenCall = {
    position: assembly.calls.length,
    wireIds: new Set(),
    arguments: createArgumentsBuffer(),
    id: undefined,
    name,
    whole: false,
    headAgain: false,
    shownName: undefined,
    backlog: '',
    idTaken,
  };
  if (idTaken) assembly.note('duplicate-id', call.position);
  assembly.calls.push(call);
  return call;
}

/** Remembers under what the call goes by now. */
function learn(assembly: Assembly, call: OpenCall, fragment: Fragment): void {
  if (fragment.index === null) assembly.note('missing-index', call.position);
  else assembly.byIndex.set(fragment.index, call);
  if (fragment.id !== undefined) {
    if (call.wireIds.size === 0 && !call.idTaken) call.id = fragment.id;
    call.wireIds.add(fragment.id);
    if (!call.idTaken) assembly.byId.set(fragment.id, call);
  }
  if (fragment.name === undefined) return;
  if (call.name === '') call.name = fragment.name;
  else if (call.arguments.blank() && assembly.names.joins(call.name, fragment.name, fragment.name !== call.name)) {
    assembly.note('name-in-pieces', call.position);
    call.name += fragment.name;
  }
}

/** Adds the fragment's arguments, and gives what they add. */
function add(assembly: Assembly, call: OpenCall, fragment: Fragment): string {
  const known = call.arguments.text();
  const ended = isClosed(call.arguments.nesting());
  if (fragment.whole) call.whole = true;
  if (ended && fragment.name !== undefined && isBlank(fragment.text)) call.headAgain = true;
  if (ended && fragment.text.length > 1 && sameCallAgain(call, fragment, known)) {
    assembly.note('repeated-call', call.position);
    return '';
  }
  const added = call.arguments.append(fragment.text);
  if (call.arguments.cumulative()) assembly.note('cumulative-arguments', call.position);
  return added;
}

/** The fragment as it is shown, once its name is known. */
function show(assembly: Assembly, call: OpenCall, added: string): ToolCallFragment | undefined {
  call.backlog += added;
  const waiting = call.arguments.text() === '' && !call.whole && assembly.names.mayGrow(call.name);
  if (call.name === '' || waiting) return undefined;
  const name = assembly.names.settle(call.name);
  const changed = name !== call.shownName;
  if (!changed && call.backlog === '') return undefined;
  call.id ??= assembly.newCallId();
  const shown = { index: call.position, id: call.id, ...(changed ? { name } : {}), argumentsDelta: call.backlog };
  call.shownName = name;
  call.backlog = '';
  return shown;
}

/** The call as it is at the end; undefined when nothing of it ever came. */
function settled(assembly: Assembly, call: OpenCall): AssembledCall | undefined {
  call.arguments.finish();
  const argsText = call.arguments.text();
  if (call.name === '' && isBlank(argsText)) return undefined;
  if (call.arguments.cumulative()) assembly.note('cumulative-arguments', call.position);
  if (call.name === '') assembly.note('missing-name', call.position);
  if (call.wireIds.size === 0) assembly.note('missing-id', call.position);
  call.id ??= assembly.newCallId();
  const name = assembly.names.settle(call.name);
  if (name !== call.name) assembly.note('name-rewritten', call.position);
  return { id: call.id, name, argsText, complete: !isOpen(call.arguments.nesting()) };
}

import type { JsonValue } from '@vouch/contracts';

type OpenContainer = JsonValue[] | { [key: string]: JsonValue };

// An object of many members is kept as a hash table, and copying one of those costs some 30 times a plain slot.
const smallObject = 128;
const slotsOfLargeMember = 32;

interface Frame {
  live: OpenContainer;
  /** Members written, counted for `openSlots`. */
  members: number;
  /** What a copy costs, in slots. */
  size: number;
  /** The member being written, in an object. */
  key: string;
}

/**
 * A value under construction: copy-on-write along the open path, so that snapshots never change and share what is closed. All open containers are
 * in the last snapshot, or none is.
 */
export interface Tree {
  readonly slotsPerChar: number;
  readonly absentAsNull: ReadonlySet<string>;
  readonly frames: Frame[];
  root: JsonValue | undefined;
  shownRoot: JsonValue | undefined;
  /** The open containers stand in a snapshot that was given out: they are copied before the next change. */
  shown: boolean;
  /** What changed since the last snapshot is not in it yet. */
  changed: boolean;
  /** Slots that may be copied for the characters read so far. */
  credit: number;
  openSlots: number;
  /** The string in progress. Its last unit is kept apart: looking into `text` would flatten it each time. */
  open: { text: string; lastUnit: number; written: boolean } | undefined;
}

/** Makes an empty tree. */
export function createTree(options?: { readonly slotsPerChar?: number; readonly absentAsNull?: readonly string[] }): Tree {
  return {
    slotsPerChar: options?.slotsPerChar ?? 8,
    absentAsNull: new Set(options?.absentAsNull),
    frames: [],
    root: undefined,
    shownRoot: undefined,
    shown: false,
    changed: false,
    credit: 0,
    openSlots: 0,
    open: undefined,
  };
}

const topOf = (tree: Tree): Frame | undefined => tree.frames[tree.frames.length - 1];

/** The innermost open container is an object. */
export function inObject(tree: Tree): boolean {
  const frame = topOf(tree);
  return frame !== undefined && !Array.isArray(frame.live);
}

function place(tree: Tree, frame: Frame | undefined, value: JsonValue): void {
  if (frame === undefined) tree.root = value;
  else if (Array.isArray(frame.live)) frame.live[frame.live.length - 1] = value;
  else frame.live[frame.key] = value;
}

function own(tree: Tree): void {
  if (!tree.shown) return;
  tree.shown = false;
  for (const [index, frame] of tree.frames.entries()) {
    frame.live = Array.isArray(frame.live) ? frame.live.slice() : { ...frame.live };
    place(tree, tree.frames[index - 1], frame.live);
  }
}

function write(tree: Tree, value: JsonValue, position: 'new' | 'same'): void {
  tree.changed = true;
  own(tree);
  const frame = topOf(tree);
  if (frame !== undefined && position === 'new') {
    if (Array.isArray(frame.live)) frame.live.push(value);
    frame.members += 1;
    const slots = !Array.isArray(frame.live) && frame.members > smallObject ? slotsOfLargeMember : 1;
    frame.size += slots;
    tree.openSlots += slots;
  }
  place(tree, frame, value);
}

/** Begins a container where a value is due. */
export function openContainer(tree: Tree, kind: 'object' | 'array'): void {
  const live: OpenContainer = kind === 'object' ? {} : [];
  write(tree, live, 'new');
  tree.frames.push({ live, members: 0, size: 0, key: '' });
}

/** Ends the innermost container. */
export function closeContainer(tree: Tree): void {
  tree.openSlots -= tree.frames.pop()?.size ?? 0;
}

/** Names the next member; false when the key would retract or endanger something. */
export function openKey(tree: Tree, key: string): boolean {
  const frame = topOf(tree);
  if (frame === undefined || key === '__proto__' || Object.hasOwn(frame.live, key)) return false;
  frame.key = key;
  return true;
}

/** Begins a string value. */
export function openString(tree: Tree): void {
  tree.open = { text: '', lastUnit: 0, written: false };
  tree.changed = true;
}

/** Adds to the string in progress. */
export function appendString(tree: Tree, text: string): void {
  if (tree.open === undefined || text === '') return;
  tree.open.text += text;
  tree.open.lastUnit = text.charCodeAt(text.length - 1);
  tree.changed = true;
}

function flush(tree: Tree, position: 'open' | 'closed'): void {
  const open = tree.open;
  if (open === undefined) return;
  // Half of a surrogate pair waits for the other half.
  const half = position === 'open' && open.lastUnit >= 0xd800 && open.lastUnit <= 0xdbff;
  write(tree, half ? open.text.slice(0, -1) : open.text, open.written ? 'same' : 'new');
  open.written = true;
}

/** Ends the string in progress. */
export function closeString(tree: Tree): void {
  flush(tree, 'closed');
  tree.open = undefined;
}

/** A null where the next value is due would mean that the member is absent. */
export function readsAsAbsent(tree: Tree): boolean {
  return inObject(tree) && tree.absentAsNull.has(topOf(tree)?.key ?? '');
}

/** Puts a complete scalar where a value is due. */
export function putScalar(tree: Tree, value: number | boolean | null): void {
  if (value === null && readsAsAbsent(tree)) return;
  write(tree, value, 'new');
}

/** The value as of now; the last snapshot again where nothing changed or where the characters read do not pay for copying. */
export function snapshot(tree: Tree, charsRead: number): JsonValue | undefined {
  tree.credit = Math.min(Number.MAX_SAFE_INTEGER, tree.credit + charsRead * tree.slotsPerChar);
  if (!tree.changed || tree.credit < tree.openSlots) return tree.shownRoot;
  tree.credit -= tree.openSlots;
  flush(tree, 'open');
  tree.shown = true;
  tree.changed = false;
  tree.shownRoot = tree.root;
  return tree.shownRoot;
}

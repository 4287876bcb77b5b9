import type { LabMessage } from '../chat-request.ts';
import { authority } from './items.ts';
import { longestSentence } from './sentences.ts';
import { termsOf } from './terms.ts';

/** What one sentence orders, before it is known who says it. */
export type Order =
  /** One value at a time per slot: the highest authority wins, then the latest. */
  | { readonly kind: 'slot'; readonly slot: Slot; readonly value: string }
  | { readonly kind: 'forbid'; readonly words: string }
  | { readonly kind: 'ignore'; readonly terms: ReadonlySet<string> }
  | { readonly kind: 'ignore instructions'; readonly of: 'tools' | 'earlier' }
  | { readonly kind: 'prefer'; readonly over: ReadonlySet<string>; readonly terms: ReadonlySet<string> }
  | { readonly kind: 'use tool' | 'avoid tool'; readonly tool: string; readonly terms: ReadonlySet<string> }
  | { readonly kind: 'if'; readonly condition: string; readonly then: string; readonly otherwise?: string };

/** A property of the answer that instructions set. */
export type Slot = 'answer' | 'form' | 'language' | 'case' | 'length' | 'decimals' | 'begin' | 'end';

/** An order with its place. */
export type Instruction = Order & { readonly text: string; readonly role: LabMessage['role']; readonly order: number };

const quoted = `["“'‘]([^"”’]{1,200})["”'’]`;
const say = '(?:answer|reply|respond|say|write|output)';
const slot =
  (name: Slot, value?: string) =>
  (found: RegExpExecArray): Order => ({ kind: 'slot', slot: name, value: value ?? found[1] ?? '' });

/** The forms of an order, first match wins. Everything else a sentence may ask is not obeyed. */
const forms: readonly (readonly [RegExp, (found: RegExpExecArray) => Order])[] = [
  [/^(?:if|when|whenever) (.{1,160}?), (?:then )?(.{1,160}?)(?:[;,] (?:otherwise|else),? (.{1,160}))?$/i, conditionOf],
  [/^(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|earlier|above|other) (?:instructions?|rules?|orders?)\b/i, () => ({ kind: 'ignore instructions', of: 'earlier' })],
  [/^(?:never|do not|don't) (?:follow|obey) (?:any |the )?(?:instructions?|orders?) (?:in|from|of|inside) (?:the |any )?tools?/i, () => ({ kind: 'ignore instructions', of: 'tools' })],
  [/^(?:ignore|disregard|forget|(?:never|do not|don't) (?:trust|believe)) (?:all |any |the |what )*(.{1,80})$/i, (found) => ({ kind: 'ignore', terms: termsOf(found[1] ?? '') })],
  [/^(?:prefer|trust|use|believe) (?:the )?(.{1,60}?) (?:over|rather than|instead of|before) (?:the )?(.{1,60})$/i, (found) => ({ kind: 'prefer', terms: termsOf(found[1] ?? ''), over: termsOf(found[2] ?? '') })],
  [/^(?:the )?(.{1,60}?) (?:outranks|overrides|beats) (?:the )?(.{1,60})$/i, (found) => ({ kind: 'prefer', terms: termsOf(found[1] ?? ''), over: termsOf(found[2] ?? '') })],
  [/^(?:never|do not|don't) (?:use|call) (?:the )?(?:tool |function )?`?([\w-]{1,64})`?(?: tool| function)?$/i, (found) => ({ kind: 'avoid tool', tool: found[1] ?? '', terms: new Set() })],
  [/^(?:use|call) (?:the )?(?:tool |function )`?([\w-]{1,64})`? (?:for|to|when|with|on|about) (.{1,160})$/i, toolOf],
  [/^(?:use|call) (?:the )?`?([\w-]{1,64})`? (?:tool |function )(?:for|to|when|with|on|about) (.{1,160})$/i, toolOf],
  [new RegExp(`^(?:begin|start) (?:every |each |the |your |all )*(?:answers? |repl(?:y|ies) )?with ${quoted}$`, 'i'), slot('begin')],
  [new RegExp(`^end (?:every |each |the |your |all )*(?:answers? |repl(?:y|ies) )?with ${quoted}$`, 'i'), slot('end')],
  [new RegExp(`^(?:never|do not|don't) (?:mention|reveal|say|disclose|name|write|answer|reply) (?:with )?(?:${quoted}|(?:the )?(.{1,80}))$`, 'i'), (found) => ({ kind: 'forbid', words: found[1] ?? found[2] ?? '' })],
  [/^round .{0,60}?\b(?:to|on) (?:the nearest )?(?:whole|integer|full)/i, slot('decimals', '0')],
  [/^round .{0,60}?\bto (\d) (?:decimals?|decimal places?|digits|places)/i, slot('decimals')],
  [new RegExp(`^${say} (?:only |always )?in json\\b`, 'i'), slot('form', 'json')],
  [new RegExp(`^${say} (?:only |always )?in plain text\\b`, 'i'), slot('form', 'text')],
  [new RegExp(`^${say} (?:only |always )?(?:in|auf) (german|deutsch|english|englisch)\\b`, 'i'), (found) => ({ kind: 'slot', slot: 'language', value: /^[gd]/i.test(found[1] ?? '') ? 'german' : 'english' })],
  [new RegExp(`^${say} (?:only |always )?in (?:all )?(?:capitals|capital letters|upper ?case)\\b`, 'i'), slot('case', 'upper')],
  [new RegExp(`^${say} (?:only |always )?in lower ?case\\b`, 'i'), slot('case', 'lower')],
  [new RegExp(`^${say} (?:only |always )?in (?:full|whole|complete) sentences\\b`, 'i'), slot('length', 'sentence')],
  [new RegExp(`^${say} (?:only |always |just )*(?:in|with) (?:one word|the value|the number|the name|the date|a single word|only the \\w+|just the \\w+)(?: only| alone)?$`, 'i'), slot('length', 'value')],
  [new RegExp(`^(?:always |only |just )*${say} (?:always |only |just )*(?:that |with |: ?)?${quoted}$`, 'i'), slot('answer')],
  [new RegExp(`^(?:always |only |just )*${say} (?:always |only |just )*(?:that |with |: ?)?([A-Z][A-Z_-]{1,30})$`), slot('answer')],
]; // biome-ignore format: one row per form

function toolOf(found: RegExpExecArray): Order {
  return { kind: 'use tool', tool: found[1] ?? '', terms: termsOf(found[2] ?? '') };
}

function conditionOf(found: RegExpExecArray): Order {
  const [, condition = '', then = '', otherwise] = found;
  return { kind: 'if', condition, then, ...(otherwise === undefined ? {} : { otherwise }) };
}

/** Reads one sentence; undefined when it orders nothing in one of the forms. */
export function orderOf(sentence: string): Order | undefined {
  if (sentence.length > longestSentence) return undefined;
  const plain = sentence
    .replace(/^(?:please|always|you must|you should|important:|note:|system:|now|and|then)\s+/i, '')
    .replace(/^you (?:must|should) (?:always )?/i, '')
    .replace(/[.!]+$/, '')
    .trim();
  for (const [pattern, read] of forms) {
    const found = pattern.exec(plain);
    if (found !== null) return read(found);
  }
  return undefined;
}

/**
 * The instructions that are obeyed, in their order. Assistant messages never instruct. Those of tool results do unless `obeysTools` is false or a
 * higher role forbids it. "Ignore previous instructions" takes away the earlier ones whose role has no more authority than the one that says so.
 */
export function obeyed(instructions: readonly Instruction[], obeysTools: boolean): readonly Instruction[] {
  const forbidsTools = (one: Instruction): boolean =>
    one.kind === 'ignore instructions' && one.of === 'tools' && authority[one.role] > authority.tool;
  const trustsTools = obeysTools && !instructions.some(forbidsTools);
  // By authority, so that each instruction is taken up and let go once, however many say to ignore what came before.
  const kept = new Map<number, Instruction[]>();
  for (const one of instructions) {
    const own = authority[one.role];
    if (own === 0 || (one.role === 'tool' && !trustsTools)) continue;
    if (one.kind === 'ignore instructions' && one.of === 'earlier') {
      for (const level of [...kept.keys()]) if (level <= own) kept.delete(level);
    } else {
      const level = kept.get(own) ?? [];
      level.push(one);
      kept.set(own, level);
    }
  }
  return [...kept.values()].flat().sort((left, right) => left.order - right.order);
}

/** What the obeyed instructions set a slot to: the highest authority wins, then the latest. */
export function settingOf(instructions: readonly Instruction[], name: Slot): (Instruction & { readonly kind: 'slot' }) | undefined {
  let winner: (Instruction & { readonly kind: 'slot' }) | undefined;
  for (const one of instructions) {
    if (one.kind !== 'slot' || one.slot !== name) continue;
    if (winner === undefined || authority[one.role] >= authority[winner.role]) winner = one;
  }
  return winner;
}

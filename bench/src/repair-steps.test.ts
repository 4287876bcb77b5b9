// Linear growth without a clock: the steps of our code are counted, and four times the text may take a tenth more of them for each character.
import { createPartialReader } from '@vouch/signal/partial';
import { routeResponse } from '@vouch/signal/repair';
import { afterAll, describe, expect, it } from 'vitest';
import { answerOf, compiledGate, damages } from './harness/answers.mjs';
import { deltasOfText } from './harness/chat-wire.mjs';
import { hostileTexts } from './harness/hostile-texts.mjs';
import { createStepCounter } from './harness/steps.mjs';

const isSource = (url: string): boolean => /\/packages\/(?:signal|contracts)\/src\//.test(url);
const counter = await createStepCounter((url) => isSource(url) || url.includes('repair-steps.test'));
afterAll(() => counter.stop());

const plain = { gate: compiledGate, declared: [], newCallId: () => 'call' };
const tool = { name: 'find', description: '', jsonSchema: compiledGate.jsonSchema, validate: compiledGate.validate };
const withTool = { ...plain, declared: [tool] };

const route = (content: string, contract: typeof plain | typeof withTool) => () =>
  routeResponse({ content, calls: [], finish: 'stop', terminated: true }, contract);

/** Steps for each character of the longer text, to those for each of the shorter. */
async function growthOf(work: (text: string) => () => unknown, short: string, long: string): Promise<{ blocks: number; chars: number }> {
  const [few, many] = [await counter.count(work(short)), await counter.count(work(long))];
  // Nothing was counted: the scripts have other names than the ones looked for.
  expect(few.blocks).toBeGreaterThan(10);
  const perChar = long.length / short.length;
  return { blocks: many.blocks / few.blocks / perChar, chars: many.chars / Math.max(1, few.chars) / perChar };
}

const limit = 1.1;

describe('the steps of a repair', () => {
  it.each(damages)('[SG-070] are linear in the text, damage: $name', async ({ write }) => {
    const growth = await growthOf((text) => route(text, plain), write(answerOf(25)), write(answerOf(100)));
    expect(growth.blocks).toBeLessThan(limit);
    expect(growth.chars).toBeLessThan(limit);
  });

  it.each(hostileTexts)('[SG-070] are linear in the text, hostile: $name', async ({ write }) => {
    const growth = await growthOf((text) => route(text, withTool), write(32 * 1_024), write(128 * 1_024));
    expect(growth.blocks).toBeLessThan(limit);
    expect(growth.chars).toBeLessThan(limit);
  });
});

const repeated =
  (open: string, unit: (index: number) => string, close: string) =>
  (length: number): string => {
    const parts: string[] = [];
    for (let size = 0, index = 0; size < length; index += 1) size += parts[parts.push(unit(index)) - 1]?.length ?? 0;
    return open + parts.join(',') + close;
  };

const growing: readonly (readonly [string, (length: number) => string])[] = [
  ['rows', repeated('[', (index) => `{"id":${index},"name":"row","tags":["new","\\"heavy\\""]}`, ']')],
  ['one list of numbers', repeated('[', () => '1', ']')],
  ['one object of many keys', repeated('{', (index) => `"k${index}":1`, '}')],
  ['one long string', (length) => `{"a":"${'x'.repeat(length)}"}`],
  ['one long string of escapes', (length) => `{"a":"${'\\n'.repeat(length / 2)}"}`],
  ['lists that stay open', (length) => `${'[1,'.repeat(400)}${'1,'.repeat(length / 2)}`],
  ['white space', (length) => `{"a":${'\n '.repeat(length / 2)}1}`],
];

/** Slots of the containers along the open path that the snapshot does not share with the one before: what was copied for it. */
function copiedSlots(before: unknown, after: unknown): number {
  let [old, here] = [before, after];
  let slots = 0;
  while (typeof here === 'object' && here !== null && here !== old) {
    const last: string | undefined = Array.isArray(here) ? String(here.length - 1) : Object.keys(here).at(-1);
    slots += Array.isArray(here) ? here.length : Object.keys(here).length;
    if (last === undefined) break;
    old = typeof old === 'object' && old !== null ? Reflect.get(old, last) : undefined;
    here = Reflect.get(here, last);
  }
  return slots;
}

describe('the steps of partial values', () => {
  it.each(growing)('[SG-083] are linear in the text: %s', async (_name, write) => {
    for (const charsOfDelta of [1, 20]) {
      const read = (text: string) => () => {
        const reader = createPartialReader();
        for (const delta of deltasOfText(text, Math.round(text.length / charsOfDelta))) reader.push(delta);
        reader.finish();
      };
      const growth = await growthOf(read, write(64 * 1_024), write(256 * 1_024));
      expect(growth.blocks).toBeLessThan(limit);
      expect(growth.chars).toBeLessThan(limit);
    }
  });

  it.each(growing)('[SG-083] copy at most a number of slots for each character: %s', (_name, write) => {
    for (const length of [16 * 1_024, 64 * 1_024]) {
      const reader = createPartialReader();
      const text = write(length);
      let shown: unknown;
      let copied = 0;
      for (const delta of deltasOfText(text, Math.round(text.length / 20))) {
        const value = reader.push(delta);
        copied += copiedSlots(shown, value);
        shown = value;
      }
      expect(copied).toBeLessThan(9 * text.length);
    }
  });
});

it('a reader that starts again at each character is found out', async () => {
  const again = (text: string) => () => {
    let found = 0;
    for (let at = 0; at < text.length; at += 64) for (let to = at; to < text.length; to += 64) found += text.charCodeAt(to);
    return found;
  };
  const slices = (text: string) => () => {
    let found = 0;
    for (let at = 0; at < text.length; at += 64) found += text.slice(at).length;
    return found;
  };
  const [short, long] = ['x'.repeat(16 * 1_024), 'x'.repeat(64 * 1_024)];
  expect((await growthOf(again, short, long)).blocks).toBeGreaterThan(3);
  expect((await growthOf(slices, short, long)).chars).toBeGreaterThan(3);
});

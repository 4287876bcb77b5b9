import { sameValue } from '../draw/equality.ts';
import type { Random } from '../draw/random.ts';
import type { Json } from '../draw/shape.ts';
import type { Mangler, MangleState } from '../mangle.ts';
import { standsForAnother } from '../spelling/readings.ts';
import { joinTokens, printValue } from '../spelling/tokens.ts';
import { has, isContainer, marked } from './support.ts';

/** Another value of the schema, of a kind that is a candidate wherever it stands. */
function drawRival(random: Random, state: MangleState): Json | undefined {
  for (let tries = 0; tries < 6; tries += 1) {
    const rival = state.schema.draw(random, { refused: false });
    if (!isContainer(rival) || sameValue(rival, state.value)) continue;
    // Two documents could be the lines of one list.
    if (
      [
        [rival, state.value],
        [state.value, rival],
      ].some((list) => standsForAnother(list, state.value, state))
    )
      continue;
    return rival;
  }
  return undefined;
}

/** A second candidate. Only beside a document that surely reads, or the rival might rightly be the only answer. */
const canHaveRival = (state: MangleState): boolean =>
  state.channel === 'content' &&
  isContainer(state.value) &&
  isContainer(state.shown) &&
  !has(state, 'lossy', 'tolerated', 'fragile', 'needs-end');

const joints = ['\n', ' ', '\n\n', '\n\nCorrection: ', '\nFinal: ', '\nor\n', '\n---\n'];

function lossyText(id: string, rewrite: (random: Random, state: MangleState) => Partial<MangleState> | undefined): Mangler {
  return {
    id: `rival:${id}`,
    phase: 'text',
    loss: 'lossy',
    apply(random, state) {
      const part = rewrite(random, state);
      return part === undefined ? undefined : { ...state, ...part, marks: marked(state, 'lossy', 'repeated', 'needs-end') };
    },
  };
}

export const rivalManglers: readonly Mangler[] = [
  lossyText('after', (random, state) => {
    const rival = canHaveRival(state) ? drawRival(random, state) : undefined;
    return rival === undefined ? undefined : { text: state.text + random.pick(joints) + printValue(rival, random) };
  }),
  lossyText('before', (random, state) => {
    const rival = canHaveRival(state) ? drawRival(random, state) : undefined;
    return rival === undefined ? undefined : { text: printValue(rival, random) + random.pick(joints) + state.text };
  }),
  lossyText('in-fences', (random, state) => {
    const rival = canHaveRival(state) ? drawRival(random, state) : undefined;
    if (rival === undefined) return undefined;
    const fenced = `\`\`\`json\n${printValue(rival, random)}\n\`\`\``;
    return { text: random.chance(0.5) ? `${fenced}\n${state.text}` : `${state.text}\n${fenced}` };
  }),
  lossyText('then-cut', (random, state) => {
    // A whole rival, and then the value itself, cut: the last candidate is cut, so nothing stands.
    if (!canHaveRival(state) || state.text !== joinTokens(state.tokens) || state.text.length < 4) return undefined;
    const rival = drawRival(random, state);
    if (rival === undefined) return undefined;
    const kept = state.text.slice(0, 2 + random.below(state.text.length - 2));
    return { text: printValue(rival, random) + random.pick(joints) + kept, finish: random.pick(['length', 'stop', 'unknown'] as const) };
  }),
  lossyText('schema-only', (random, state) => {
    // Of a schema that takes everything an echo is an answer like any other.
    if (has(state, 'lossy') || state.channel === 'arguments' || state.schema.root.kind === 'anything') return undefined;
    const schema = JSON.stringify(state.schema.gate.jsonSchema);
    return { text: random.pick([schema, `\`\`\`json\n${schema}\n\`\`\``, `The schema is ${schema}`]) };
  }),
  lossyText('bomb-before', (random, state) =>
    has(state, 'lossy', 'needs-end') || !isContainer(state.value)
      ? undefined
      : {
          text: random.pick(['[', '{"a":', '{ ', '[[', '"\\', '{"a":[']).repeat(20 + random.below(400)) + state.text,
        },
  ),
  lossyText('bomb-after', (random, state) =>
    isContainer(state.value) && !has(state, 'lossy')
      ? { text: state.text + random.pick(['[', '{"a":', '}', ']]', '{ ', '\\']).repeat(20 + random.below(400)) }
      : undefined,
  ),
  lossyText('deep-list', (random, state) => {
    if (state.schema.passes([[[[state.value]]]])) return undefined;
    const depth = 500 + random.below(2_000);
    return { text: '['.repeat(depth) + state.text + ']'.repeat(depth) };
  }),
  lossyText('prose-only', (random, state) =>
    has(state, 'lossy')
      ? undefined
      : {
          text: random.pick([
            'I cannot help with that.',
            'The planet is Jupiter and it has 95 known moons.',
            'Lo siento, no puedo ayudar con eso.',
            'answer: no\ncountry: NO',
            'item=nut&qty=43',
            '| a | b |\n|---|---|\n| 1 | 2 |',
          ]),
        },
  ),
];

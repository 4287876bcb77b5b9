// Partial values while a text grows: linear in its length, and what parsing the whole prefix again at each delta would cost.
import { createPartialReader } from '@vouch/signal/partial';
import { deltasOfText } from './harness/chat-wire.mjs';
import { prepareGrowth } from './harness/growth.mjs';

const charsOfDelta = 20;

/** @param {number} bytes */
function textOf(bytes) {
  const rows = [];
  for (let size = 0, at = 0; size < bytes; at += 1) {
    const row = { id: at, name: `row number ${at}`, tags: ['new', 'heavy'], note: 'as was said before, "twice"\n', paid: at % 2 === 0 };
    size += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  return JSON.stringify({ rows });
}

/** @param {readonly string[]} deltas */
function readAll(deltas) {
  const reader = createPartialReader();
  let shown = 0;
  let last;
  for (const delta of deltas) {
    const value = reader.push(delta);
    if (value !== last) shown += 1;
    last = value;
  }
  const whole = reader.finish();
  if (whole === undefined) throw new Error('the value must be there at the end');
  return shown;
}

/** What parsing each prefix costs at least: one character a time step less, and without closing what is open. @param {string} text @param {number} deltas */
function parsePrefixes(text, deltas) {
  for (let at = 1; at <= deltas; at += 1) {
    const prefix = text.slice(0, Math.round((text.length * at) / deltas));
    const end = prefix.lastIndexOf('},{');
    if (end > 0) JSON.parse(`${prefix.slice(0, end)}}]}`);
  }
}

/** @param {number} kilobytes */
function inputOf(kilobytes) {
  const text = textOf(kilobytes * 1_000);
  return { text, deltas: deltasOfText(text, Math.round(text.length / charsOfDelta)) };
}

function prepareReparse() {
  const { text, deltas } = inputOf(50);
  return {
    name: 'partial-reparse',
    title: 'all partial values of 50 KB, against parsing the prefix again at each delta',
    subjects: [
      { name: 'createPartialReader', run: () => readAll(deltas) },
      { name: 'JSON.parse of each prefix', run: () => parsePrefixes(text, deltas.length) },
    ],
    ratios: [{ of: 'createPartialReader', to: 'JSON.parse of each prefix' }],
  };
}

/** @type {import('./harness/growth.mjs').Growth} */
const growth = {
  name: 'partial-growth',
  title: `all partial values of a text in deltas of ${charsOfDelta} characters: twice the text`,
  kilobytes: [50, 100, 200, 400, 800],
  prepareWork: (kilobytes) => {
    const { deltas } = inputOf(kilobytes);
    return () => readAll(deltas);
  },
  requirement: 'SG-083',
};

export const benches = [
  { name: growth.name, prepare: () => prepareGrowth(growth) },
  { name: 'partial-reparse', prepare: prepareReparse },
];

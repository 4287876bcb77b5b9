// Answers of a size, the gate they meet, and the ways in which models damage them.
import { z } from 'zod';

const orderBook = z.strictObject({
  orders: z.array(
    z.strictObject({
      id: z.int(),
      customer: z.string(),
      paid: z.boolean(),
      discount: z.number().nullable(),
      note: z.string(),
      address: z.strictObject({ street: z.string(), city: z.string() }),
      lines: z.array(z.strictObject({ sku: z.string(), quantity: z.int(), price: z.number() })),
    }),
  ),
});

/** @typedef {z.infer<typeof orderBook>} OrderBook */
/** @typedef {import('@vouch/contracts').Gate} Gate */

const jsonSchema = /** @type {import('@vouch/contracts').JsonSchema} */ (z.toJSONSchema(orderBook));

/** The schema checked by zod, whose object parsers are compiled when they are first used. @type {Gate} */
export const zodGate = {
  jsonSchema,
  validate: (value) => {
    const result = orderBook.safeParse(value);
    if (result.success) return { ok: true };
    const issues = result.error.issues.map(({ path, code, message }) => ({
      path: path.map((key) => `/${String(key)}`).join(''),
      code,
      expected: message,
      received: '',
    }));
    return { ok: false, issues };
  },
};

/** The schema as code, as a validator that was compiled ahead would check it: the cheapest gate that is one. @type {Gate} */
export const compiledGate = {
  jsonSchema,
  validate: (value) => (isOrderBook(value) ? { ok: true } : { ok: false, issues: [] }),
};

const isRecord = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param {unknown} value
 * @param {number} size
 * @returns {value is Record<string, unknown>}
 */
function isClosed(value, size) {
  if (!isRecord(value)) return false;
  let count = 0;
  for (const _ in /** @type {object} */ (value)) count += 1;
  return count === size;
}

const isOrderBook = (/** @type {unknown} */ value) => isClosed(value, 1) && Array.isArray(value.orders) && value.orders.every(isOrder);

function isOrder(/** @type {unknown} */ value) {
  if (!isClosed(value, 7)) return false;
  const { id, customer, paid, discount, note, address, lines } = value;
  return (
    Number.isSafeInteger(id) &&
    typeof customer === 'string' &&
    typeof paid === 'boolean' &&
    (discount === null || Number.isFinite(discount)) &&
    typeof note === 'string' &&
    isClosed(address, 2) &&
    typeof address.street === 'string' &&
    typeof address.city === 'string' &&
    Array.isArray(lines) &&
    lines.every(
      (line) => isClosed(line, 3) && typeof line.sku === 'string' && Number.isSafeInteger(line.quantity) && Number.isFinite(line.price),
    )
  );
}

const cities = ['Köln', 'Lyon', 'Porto', 'Gdańsk', 'Turku'];

/**
 * @param {number} index
 * @returns {OrderBook['orders'][number]}
 */
function orderAt(index) {
  const sentence = "Leave the parcel at the neighbour's door on the ground floor, please. ";
  return {
    id: 100_000 + index,
    customer: `Customer ${index}`,
    paid: index % 3 === 0,
    discount: index % 4 === 0 ? null : index / 8,
    note: `${sentence.repeat(1 + (index % 3))}\nRing twice (number ${index}).`,
    address: { street: `Long Street ${index}`, city: cities[index % cities.length] ?? '' },
    lines: [0, 1, 2].map((line) => ({ sku: `SKU-${index}-${line}`, quantity: 1 + line, price: 10.25 + line })),
  };
}

/**
 * An answer whose indented text has about the size that is asked for.
 *
 * @param {number} kilobytes
 * @returns {OrderBook}
 */
export function answerOf(kilobytes) {
  const orders = [];
  for (let characters = 0; characters < kilobytes * 1_024; ) {
    const order = orderAt(orders.length);
    orders.push(order);
    // Four spaces more on each of its lines than alone.
    const text = JSON.stringify(order, null, 2);
    characters += text.length + 4 * text.split('\n').length;
  }
  return { orders };
}

/** An answer as models write it. @param {unknown} value @returns {string} */
export const cleanText = (value) => JSON.stringify(value, null, 2);

const quoteWith = (/** @type {string} */ text, /** @type {string} */ open, /** @type {string} */ close) =>
  text.replace(/"((?:[^"\\]|\\.)*)"/g, (_, /** @type {string} */ inner) => `${open}${inner}${close}`);

/**
 * @typedef {object} Damage
 * @property {string} name
 * @property {(value: OrderBook) => string} write
 * @property {boolean} [fails] there is no value to give back: the outcome is a typed failure
 */

/** @type {readonly Damage[]} */
export const damages = [
  { name: 'none', write: cleanText },
  {
    name: 'fence and prose',
    write: (value) =>
      `Here is the order book you asked for:\n\n\`\`\`json\n${cleanText(value)}\n\`\`\`\n\nLet me know if anything is missing!`,
  },
  { name: 'fence', write: (value) => `\`\`\`json\n${cleanText(value)}\n\`\`\`` },
  {
    name: 'reasoning before',
    write: (value) =>
      `<think>\n${'The user wants {"orders": []}, I think. '.repeat(value.orders.length * 4)}\n</think>\n${cleanText(value)}`,
  },
  { name: 'trailing commas', write: (value) => cleanText(value).replace(/([^\s{[,])(\n\s*[}\]])/g, '$1,$2') },
  { name: 'single quotes', write: (value) => quoteWith(cleanText(value).replaceAll("'", "\\'"), "'", "'") },
  { name: 'typographic quotes', write: (value) => quoteWith(cleanText(value), '“', '”') },
  { name: 'bare keys', write: (value) => cleanText(value).replace(/"(\w+)":/g, '$1:') },
  { name: 'raw line breaks', write: (value) => cleanText(value).replaceAll('\\n', '\n') },
  {
    name: 'other literals',
    write: (value) =>
      cleanText(value).replace(/: (true|false|null)\b/g, (_, /** @type {string} */ word) =>
        word === 'null' ? ': None' : word === 'true' ? ': True' : ': False',
      ),
  },
  { name: 'comments', write: (value) => cleanText(value).replace(/("paid": \w+,)/g, '$1 // as of today') },
  { name: 'missing commas', write: (value) => cleanText(value).replace(/,\n/g, '\n') },
  { name: 'stringified', write: (value) => JSON.stringify(cleanText(value)) },
  {
    name: 'stringified parts',
    write: (value) => cleanText({ orders: value.orders.map((order) => ({ ...order, lines: JSON.stringify(order.lines) })) }),
  },
  { name: 'doubled escapes', write: (value) => JSON.stringify(cleanText(value)).slice(1, -1) },
  { name: 'entities', write: (value) => cleanText(value).replaceAll('"', '&quot;') },
  { name: 'needless escapes', write: (value) => cleanText(value).replaceAll("'", "\\'") },
  { name: 'quoted block', write: (value) => cleanText(value).replace(/^/gm, '> ') },
  { name: 'envelope', write: (value) => cleanText({ result: value }) },
  { name: 'drafts before', write: (value) => `First {"orders": 1}, then ${'{"orders": 2} '.repeat(20)}and finally\n${cleanText(value)}` },
  { name: 'cut', fails: true, write: (value) => cleanText(value).slice(0, -200) },
  { name: 'last brace missing', write: (value) => cleanText(value).trimEnd().slice(0, -2) },
];

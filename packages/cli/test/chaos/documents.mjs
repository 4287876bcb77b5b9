// Documents that the lab's reader can fill a schema from, and the seeded draws of the whole script.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A source of numbers from 0 up to 1, the same for the same seed.
 * @param {number} seed
 * @returns {() => number}
 */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ships = ['Aurora', 'Möwe', 'Kestrel', 'Ångström', 'Santa Inês', '海燕'];
const cargoes = ['timber', 'grain', 'oranges, "fresh"', 'glass\\ware', 'salt 🧂'];

export const schema = {
  type: 'object',
  properties: {
    ship: { type: 'string' },
    pier: { type: 'integer' },
    cargo: { type: 'string' },
    fee: { type: 'number' },
  },
  required: ['ship', 'pier', 'cargo', 'fee'],
  additionalProperties: false,
};

/**
 * Writes the schema and `count` documents, and gives the documents' names.
 * @param {string} directory
 * @param {number} count
 * @param {() => number} random
 */
export async function writeDocuments(directory, count, random) {
  await mkdir(join(directory, 'docs'), { recursive: true });
  await writeFile(join(directory, 'schema.json'), JSON.stringify(schema));
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
  /** @type {string[]} */
  const names = [];
  for (let index = 0; index < count; index += 1) {
    const name = `docs/${String(index).padStart(5, '0')}.txt`;
    const text = [
      `Ship: ${ships[below(ships.length)]} ${index}`,
      `Pier: ${below(90) + 1}`,
      `Cargo: ${cargoes[below(cargoes.length)]}`,
      `Fee: ${(below(100_000) / 100).toFixed(2)}`,
    ];
    await writeFile(join(directory, name), `${text.join('\n')}\n`);
    names.push(name);
  }
  return names;
}

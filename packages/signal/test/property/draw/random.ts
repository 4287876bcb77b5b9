/** A seeded stream of random numbers that can be split: a part of a case draws from its own stream, so leaving one part out changes no other. */
export interface Random {
  /** 32 random bits. */
  bits(): number;
  /** An integer from 0 to `bound` - 1; 0 for a bound under 1. */
  below(bound: number): number;
  /** True with the given probability, 0 to 1. */
  chance(probability: number): boolean;
  /** One element of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item;
  /** An independent stream; depends on this stream's seed and `label` alone, never on what was drawn before. */
  split(label: number): Random;
}

function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ 0x9e3779b9, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 15), 0x165667b1);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The stream of a seed (sfc32). Same seed, same numbers, on every platform. */
export function createRandom(seed: number, salt = 0): Random {
  let a = mix(seed, salt);
  let b = mix(salt, seed ^ 0x5bd1e995);
  let c = mix(a, b);
  let counter = 1;
  const bits = (): number => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    return result >>> 0;
  };
  for (let warmUp = 0; warmUp < 4; warmUp += 1) bits();
  const below = (bound: number): number => (bound < 1 ? 0 : bits() % bound);
  return {
    bits,
    below,
    chance: (probability) => bits() < probability * 4_294_967_296,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    split: (label) => createRandom(mix(seed, label), mix(salt ^ 0x2545f491, label)),
  };
}

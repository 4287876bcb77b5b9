/** Makes an id that no other process makes: `prefix` and 16 random base-36 digits by default. Handed in, so that tests decide ids. */
export type IdSource = (prefix: string) => string;

const digits = '0123456789abcdefghijklmnopqrstuvwxyz';

const idBytes = 16;
// Asked for many ids at a time: one question costs as much as the rest of some ten ids.
const pool: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(idBytes * 64);
let poolText: string = '';
let used: number = 0;

/** Ids from the platform's random source, such as `call_k3v0…`. */
export const randomIds: IdSource = (prefix) => {
  if (used === poolText.length) {
    globalThis.crypto.getRandomValues(pool);
    for (let at = 0; at < pool.length; at += 1) pool[at] = digits.charCodeAt((pool[at] ?? 0) % digits.length);
    poolText = String.fromCharCode.apply(null, pool as unknown as number[]);
    used = 0;
  }
  used += idBytes;
  return `${prefix}_${poolText.slice(used - idBytes, used)}`;
};

/** Ids `prefix_1`, `prefix_2`, … in call order; for tests and recordings. */
export function sequentialIds(): IdSource {
  let next = 0;
  return (prefix) => {
    next += 1;
    return `${prefix}_${next}`;
  };
}

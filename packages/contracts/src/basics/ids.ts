/** Makes an id that no other process makes: `prefix` and 16 random base-36 digits by default. Handed in, so that tests decide ids. */
export type IdSource = (prefix: string) => string;

const digits = '0123456789abcdefghijklmnopqrstuvwxyz';

const idBytes = 16;
// Asked for many ids at a time: one question costs as much as the rest of some ten ids.
const pool: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(idBytes * 64);
let unused: number = 0;

/** Ids from the platform's random source, such as `call_k3v0…`. */
export const randomIds: IdSource = (prefix) => {
  if (unused === 0) unused = globalThis.crypto.getRandomValues(pool).length;
  let id = '';
  for (let left = idBytes; left > 0; left -= 1) {
    unused -= 1;
    id += digits[(pool[unused] ?? 0) % 36];
  }
  return `${prefix}_${id}`;
};

/** Ids `prefix_1`, `prefix_2`, … in call order; for tests and recordings. */
export function sequentialIds(): IdSource {
  let next = 0;
  return (prefix) => {
    next += 1;
    return `${prefix}_${next}`;
  };
}

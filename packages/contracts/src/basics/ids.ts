/** Makes an id that no other process makes: `prefix` and 16 random base-36 digits by default. Handed in, so that tests decide ids. */
export type IdSource = (prefix: string) => string;

const digits = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Ids from the platform's random source, such as `call_k3v0…`. */
export const randomIds: IdSource = (prefix) => {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  let id = '';
  for (const byte of bytes) id += digits[byte % 36];
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

/** A map that forgets its oldest entry past `most` entries, so that a long-lived lab keeps bounded memory. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** Writing a key again makes it the newest. With `bytes`, the oldest are also forgotten while all together hold more than `most` bytes. */
export function boundedMap<Value>(
  most: number,
  bytes: { readonly most: number; readonly of: (value: Value) => number } = { most: Number.POSITIVE_INFINITY, of: () => 0 },
): BoundedMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly size: number }>();
  let held = 0;
  const remove = (key: string): void => {
    held -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key)?.value,
    delete: remove,
    set(key, value) {
      remove(key);
      const size = bytes.of(value);
      entries.set(key, { value, size });
      held += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= most && held <= bytes.most) break;
        remove(oldest);
      }
    },
  };
}

/** A map that forgets its oldest entry past `most` entries, so that a long-lived lab keeps bounded memory. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** Writing a key again makes it the newest. */
export function boundedMap<Value>(most: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    delete(key) {
      entries.delete(key);
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
}

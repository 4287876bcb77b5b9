import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** An exception that reached the process instead of a caller. */
export interface Escape {
  readonly name: string;
  readonly message: string;
}

interface Box {
  readonly escapes: Escape[];
}

/** Catches what escapes while `use` runs, and tells whose it was: cases run side by side in one process. */
export async function watchingEscapes<T>(
  use: (watch: <R>(work: () => Promise<R>) => Promise<readonly [R, readonly Escape[]]>) => Promise<T>,
): Promise<T> {
  const storage = new AsyncLocalStorage<Box>();
  // A rejected promise is reported long after its context is gone, so each promise remembers the case in which it was made.
  const boxOf = new WeakMap<object, Box>();
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      const box = storage.getStore();
      if (type === 'PROMISE' && box !== undefined) boxOf.set(resource, box);
    },
  }).enable();
  const note = (box: Box | undefined, error: unknown): void => {
    const seen = {
      name: error instanceof Error ? error.constructor.name : typeof error,
      message: String(error instanceof Error ? error.message : error),
    };
    if (box === undefined) throw new Error(`an exception of no case: ${seen.name}: ${seen.message}`, { cause: error });
    box.escapes.push(seen);
  };
  const onRejection = (error: unknown, promise: Promise<unknown>): void => note(boxOf.get(promise) ?? storage.getStore(), error);
  const onException = (error: unknown): void => note(storage.getStore(), error);
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  try {
    return await use((work) => {
      const box: Box = { escapes: [] };
      return storage.run(box, async () => {
        const result = await work();
        // Rejections are reported once the microtasks are done.
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [result, box.escapes] as const;
      });
    });
  } finally {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
    hook.disable();
  }
}

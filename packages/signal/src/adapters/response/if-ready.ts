/** Turns of the microtask queue: enough for what has arrived to be read, and over in a few milliseconds when nothing has. */
const readyTurns = 20_000;

/** The outcome, if it needs no waiting for the network. */
export async function ifReady<T>(promise: Promise<T>): Promise<T | undefined> {
  let settled = false;
  const outcome = promise.then(
    (value) => {
      settled = true;
      return value;
    },
    () => {
      settled = true;
      return undefined;
    },
  );
  for (let turn = 0; turn < readyTurns && !settled; turn += 1) await undefined;
  return settled ? outcome : undefined;
}

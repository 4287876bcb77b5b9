/** One case of a suite for a port: any implementation must pass it. Imports no test runner: `run` throws, or rejects, on failure. */
export interface PortCase<Port> {
  /** A sentence of behaviour, for the test's title. */
  readonly title: string;
  run(port: Port): void | Promise<void>;
}

/** Throws an `Error` with `message` unless `condition` holds. */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Throws unless both are the same JSON. */
export function ensureSame(actual: unknown, expected: unknown, what: string): void {
  const [came, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  ensure(came === wanted, `${what}: expected ${wanted}, got ${came}`);
}

/** What `call` throws or rejects with; throws when it does neither. */
export async function thrownBy(call: () => unknown, what: string): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: expected an error, and none came`);
}

import type { IncomingHttpHeaders } from 'node:http';
import type { JsonValue } from '@vouch/contracts';

/** One request that the lab received, as it stands now. */
export interface LabRequest {
  /** The `x-request-id` of its response. */
  readonly id: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The wire that took it, such as `openai-chat`; undefined when none did. */
  readonly wire: string | undefined;
  /** The model that it named; undefined when it was refused before it was read. */
  readonly model: string | undefined;
  /** Lower-case names; keys are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON, or the text when it is none; undefined without a body, when it was not read, or when the log no longer keeps it. */
  readonly body: JsonValue | undefined;
  /** Ids of the pathologies that its reply showed. */
  readonly applied: readonly string[];
  /** Id of the fault that its reply had. */
  readonly fault: string | undefined;
  /** Why the model gave no reply, such as a script that is over; undefined when it gave one, or was not asked. */
  readonly modelError: string | undefined;
  /** Status of the response; 0 until one began, and when none was sent. */
  readonly status: number;
  /** The client closed the connection before the lab had ended its response. */
  readonly clientClosedEarly: boolean;
  /** Milliseconds from its head to the end of its exchange; undefined while that goes on. */
  readonly durationMs: number | undefined;
}

/** An entry of the log, written while its exchange goes on. */
export type LabRequestEntry = { -readonly [Key in keyof LabRequest]: LabRequest[Key] };

/** Which requests are meant: those that fit all that is given. */
export interface LabRequestMatch {
  readonly method?: string;
  /** The whole of path and query, or a pattern that is found in it. */
  readonly path?: string | RegExp;
  readonly wire?: string;
  readonly model?: string;
  /** One of the applied pathologies; `null`: none was. */
  readonly applied?: string | null;
  /** `null`: it had none. */
  readonly fault?: string | null;
  readonly status?: number;
}

/** The last requests, oldest first. */
export interface RequestLog {
  add(entry: LabRequestEntry): void;
  /** Says how many bytes the entry holds by now; older ones are forgotten for it. */
  weigh(entry: LabRequestEntry, bytes: number): void;
  snapshot(match?: LabRequestMatch): readonly LabRequest[];
}

/** Bounds of the log. */
export interface RequestLogLimits {
  readonly entries: number;
  /** Of the bodies that are kept, as they came. */
  readonly bodyBytes: number;
}

/** Keeps the last entries. Past the bytes the oldest entries lose their bodies; the newest always keeps its own. */
export function requestLog(limits: RequestLogLimits): RequestLog {
  const entries = new Set<LabRequestEntry>();
  const weights = new Map<LabRequestEntry, number>();
  let held = 0;
  const forgetBody = (entry: LabRequestEntry): void => {
    held -= weights.get(entry) ?? 0;
    weights.delete(entry);
  };
  return {
    add(entry) {
      entries.add(entry);
      const [oldest] = entries;
      if (entries.size <= limits.entries || oldest === undefined) return;
      entries.delete(oldest);
      forgetBody(oldest);
    },
    weigh(entry, bytes) {
      if (!entries.has(entry)) return;
      weights.set(entry, bytes);
      held += bytes;
      for (const other of weights.keys()) {
        if (held <= limits.bodyBytes || other === entry) break;
        other.body = undefined;
        forgetBody(other);
      }
    },
    snapshot: (match = {}) => [...entries].filter((entry) => fitsMatch(entry, match)).map((entry) => ({ ...entry })),
  };
}

function fitsMatch(entry: LabRequest, match: LabRequestMatch): boolean {
  const { method, path, wire, model, applied, fault, status } = match;
  const same = <T>(wanted: T | undefined, got: T | undefined): boolean => wanted === undefined || wanted === got;
  if (!same(method, entry.method) || !same(wire, entry.wire) || !same(model, entry.model) || !same(status, entry.status)) return false;
  // `search` and not `test`: a pattern with the flag `g` would go on from where it stood.
  if (path !== undefined && (typeof path === 'string' ? path !== entry.path : entry.path.search(path) < 0)) return false;
  if (applied !== undefined && (applied === null ? entry.applied.length > 0 : !entry.applied.includes(applied))) return false;
  return fault === undefined || (fault ?? undefined) === entry.fault;
}

/** Any name that says so: services have their own, such as `x-auth-token`. */
const keyHeader = /key|token|secret|auth|cookie|passw|credential|signature/;

/** Header values as text, without keys; a scheme such as `Bearer` stays. */
export function maskedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    masked[name] = keyHeader.test(name) ? text.replace(/\S+$/, '***') : text;
  }
  return masked;
}

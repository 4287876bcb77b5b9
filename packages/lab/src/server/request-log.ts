import type { IncomingHttpHeaders } from 'node:http';
import type { JsonValue } from '@vouch/contracts';

/** One request that the lab received, as it stands now. */
export interface LabRequest {
  /** The `x-request-id` of its response. */
  readonly id: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Lower-case names; keys are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON, or the text when it is none; undefined without a body, or when the body was not read. */
  readonly body: JsonValue | undefined;
  /** Ids of the pathologies that its reply showed. */
  readonly applied: readonly string[];
  /** Status of the response; 0 until one began. */
  readonly status: number;
  /** The client closed the connection before the lab had ended its response. */
  readonly clientClosedEarly: boolean;
}

/** An entry of the log, written while its exchange goes on. */
export type LabRequestEntry = { -readonly [Key in keyof LabRequest]: LabRequest[Key] };

/** The last requests, oldest first. */
export interface RequestLog {
  add(entry: LabRequestEntry): void;
  snapshot(): readonly LabRequest[];
}

/** Keeps the last `most` entries. */
export function requestLog(most: number): RequestLog {
  const entries: LabRequestEntry[] = [];
  return {
    add(entry) {
      entries.push(entry);
      if (entries.length > most) entries.shift();
    },
    snapshot: () => entries.map((entry) => ({ ...entry })),
  };
}

const keyHeaders = new Set(['authorization', 'proxy-authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'cookie']);

/** Header values as text, without keys; a scheme such as `Bearer` stays. */
export function maskedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    masked[name] = keyHeaders.has(name) ? text.replace(/\S+$/, '***') : text;
  }
  return masked;
}

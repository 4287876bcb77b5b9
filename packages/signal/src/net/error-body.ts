import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { durationMs } from './retry-after.ts';

/** What an error body says, whatever its shape. */
export interface ErrorBody {
  readonly message?: string;
  /** The provider's own code or, where it has none, its type or status word. */
  readonly code?: string;
  /** Every code, type, status and reason word of the body, lower case: the ground of the classification. */
  readonly words: readonly string[];
  /** An HTTP status that stands inside the body. */
  readonly status?: number;
  readonly parameter?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
}

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

const codeOf = (value: unknown): string | undefined => (typeof value === 'number' ? String(value) : stringOf(value));

const statusOf = (value: unknown): number | undefined => {
  const number = typeof value === 'number' ? value : typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : Number.NaN;
  return number >= 400 && number <= 599 ? number : undefined;
};

/** The text of a list of complaints, as validation frameworks write them: `[{ loc, msg }]`. */
function complaints(list: readonly unknown[]): string | undefined {
  const texts: string[] = [];
  for (const item of list.slice(0, 5)) {
    if (typeof item === 'string') texts.push(item);
    if (!isJsonObject(item)) continue;
    const text = stringOf(item.msg) ?? stringOf(item.message);
    const place = Array.isArray(item.loc) ? item.loc.join('.') : undefined;
    if (text !== undefined) texts.push(place === undefined ? text : `${place}: ${text}`);
  }
  return texts.length === 0 ? undefined : texts.join('; ');
}

const messageOf = (value: unknown): string | undefined =>
  stringOf(value) ?? (Array.isArray(value) ? complaints(value) : isJsonObject(value) ? stringOf(value.message) : undefined);

/** The objects of an error body from the outside in: an array's first item, `error` inside `error`, `innererror`, details. */
function layers(value: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  const queue: unknown[] = [value];
  while (queue.length > 0 && found.length < 12) {
    const here = queue.shift();
    if (Array.isArray(here)) queue.push(...here.slice(0, 4));
    if (!isJsonObject(here)) continue;
    found.push(here as JsonObject);
    queue.push(here.error, here.errors, here.innererror, here.metadata, here.violations);
    if (Array.isArray(here.details) || isJsonObject(here.details)) queue.push(here.details);
  }
  return found;
}

/**
 * Reads an error body: `{ error: { … } }`, `{ error: "text" }`, `{ detail }`, `{ message }`, top-level fields, arrays of any of these, and a bare
 * string. Undefined when nothing in it looks like an error.
 */
export function readErrorBody(body: JsonValue | undefined): ErrorBody | undefined {
  if (typeof body === 'string') return body.trim() === '' ? undefined : { message: body, words: [] };
  const objects = layers(body);
  // The inner objects say more than the envelope, so they are asked first.
  const inward = [...objects.slice(1), ...objects.slice(0, 1)];
  const first = <T>(read: (object: JsonObject) => T | undefined): T | undefined => {
    for (const object of inward) {
      const value = read(object);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const message = first((o) => messageOf(o.message) ?? stringOf(o.error)) ?? first((o) => messageOf(o.detail) ?? messageOf(o.errors));
  const code = first((o) => codeOf(o.code)) ?? first((o) => stringOf(o.status) ?? typeWord(o.type));
  if (message === undefined && code === undefined) return undefined;
  const words = objects.flatMap((o) => [
    codeOf(o.code),
    stringOf(o.type),
    stringOf(o.status),
    stringOf(o.reason),
    stringOf(o.quotaId),
    stringOf(o.error_type),
    stringOf(o.error_code),
    stringOf(o.errorType),
  ]);
  const status = first((o) => statusOf(o.status_code) ?? statusOf(o.code) ?? statusOf(o.status));
  const parameter = first((o) => stringOf(o.param));
  const requestId = first((o) => stringOf(o.request_id));
  const delay = first((o) => (typeof o.retryDelay === 'string' ? durationMs(o.retryDelay) : undefined));
  return {
    message: message ?? code ?? '',
    ...(code === undefined ? {} : { code }),
    words: words.filter((word) => word !== undefined).map((word) => word.toLowerCase()),
    ...(status === undefined ? {} : { status }),
    ...(parameter === undefined ? {} : { parameter }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(delay === undefined ? {} : { retryAfterMs: delay }),
  };
}

const typeWord = (value: unknown): string | undefined => (value === 'error' ? undefined : stringOf(value));

/** `text` is an HTML or XML page and no JSON. */
export function looksLikeHtml(text: string): boolean {
  return /^\uFEFF?\s*<(?:!|\?xml|html|head|body|title|h1|center)/i.test(text.slice(0, 200));
}

/** The title of a page, else its first 200 characters without tags. */
export function htmlSummary(page: string): string {
  const head = page.slice(0, 20_000);
  const title = /<title[^>]*>([^<]{1,300})/i.exec(head)?.[1]?.trim();
  if (title !== undefined && title !== '') return title;
  return head
    .replace(/<(?:script|style)[^>]*>[^<]*/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

import { childPointer, isJsonObject, type JsonObject, type JsonValue, previewValue } from '@vouch/contracts';
import {
  type Cassette,
  CassetteError,
  cassetteFormat,
  cassetteVersion,
  deepestJson,
  isShallow,
  type RecordedBytes,
  type RecordedChunk,
  type RecordedEnding,
  type RecordedError,
  type RecordedRequest,
  type RecordedResponse,
} from './cassette.ts';

/** Says what is wrong at a place of the file. */
type Fault = (pointer: string, expected: string, came: unknown) => CassetteError;

/** Reads the text of a cassette. Throws `CassetteError` for anything that this version would not have written; nothing is guessed or repaired. */
export function readCassette(text: string, file: string): Cassette {
  const value = decode(text, file);
  const fault: Fault = (pointer, expected, came) =>
    new CassetteError(file, `at ${pointer}, expected ${expected}, came ${previewValue(came)}; record it again`);
  if (!isJsonObject(value) || value.format !== cassetteFormat) {
    throw new CassetteError(file, `is JSON but no cassette (no "format": "${cassetteFormat}"); move it out of the directory`);
  }
  if (value.version !== cassetteVersion) {
    const came = previewValue(value.version);
    throw new CassetteError(
      file,
      `has version ${came}; this version of Vouch reads ${cassetteVersion}; record it again, or use a newer Vouch`,
    );
  }
  return {
    format: cassetteFormat,
    version: cassetteVersion,
    request: readRequest(objectAt(value, '', 'request', fault), fault),
    response: readResponse(objectAt(value, '', 'response', fault), fault),
  };
}

function decode(text: string, file: string): unknown {
  if (!isShallow(text))
    throw new CassetteError(file, `nests deeper than ${deepestJson} levels, as no cassette does; move it out of the directory`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = text.trim() === '' ? 'is empty' : 'is not whole JSON';
    throw new CassetteError(file, `${what}: the cassette is damaged; record it again`, { cause });
  }
}

function readRequest(request: JsonObject, fault: Fault): RecordedRequest {
  const at = '/request';
  const url = textAt(request, at, 'url', fault);
  if (!URL.canParse(url)) throw fault(`${at}/url`, 'an absolute address', url);
  const body = request.body === undefined ? undefined : objectAt(request, at, 'body', fault);
  return {
    method: textAt(request, at, 'method', fault),
    url,
    headers: headersAt(request, at, fault),
    ...(body === undefined ? {} : { body: body.json === undefined ? readBytes(body, `${at}/body`, fault) : { json: body.json } }),
  };
}

function readResponse(response: JsonObject, fault: Fault): Cassette['response'] {
  const at = '/response';
  const afterMs = millisecondsAt(response, at, fault);
  if (response.error !== undefined) return { afterMs, error: readError(objectAt(response, at, 'error', fault), `${at}/error`, fault) };
  const { status, chunks } = response;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    throw fault(`${at}/status`, 'a status from 200 to 599', status);
  const bodiless = status === 204 || status === 205 || status === 304;
  if (chunks !== undefined && (!Array.isArray(chunks) || bodiless)) throw fault(`${at}/chunks`, bodiless ? 'nothing' : 'a list', chunks);
  const read: RecordedResponse = {
    afterMs,
    status,
    headers: headersAt(response, at, fault),
    ...(chunks === undefined
      ? {}
      : { chunks: (chunks as readonly JsonValue[]).map((chunk, index) => readChunk(chunk, `${at}/chunks/${index}`, fault)) }),
    ending: readEnding(objectAt(response, at, 'ending', fault), fault),
  };
  try {
    new Headers(read.headers);
  } catch {
    throw fault(`${at}/headers`, 'names and values that HTTP allows', read.headers);
  }
  return read;
}

function readChunk(chunk: JsonValue, at: string, fault: Fault): RecordedChunk {
  if (!isJsonObject(chunk)) throw fault(at, 'an object', chunk);
  return { afterMs: millisecondsAt(chunk, at, fault), ...readBytes(chunk, at, fault) };
}

function readEnding(ending: JsonObject, fault: Fault): RecordedEnding {
  const at = '/response/ending';
  switch (ending.kind) {
    case 'complete':
    case 'left':
      return { kind: ending.kind };
    case 'broken':
      return {
        kind: 'broken',
        afterMs: millisecondsAt(ending, at, fault),
        error: readError(objectAt(ending, at, 'error', fault), `${at}/error`, fault),
      };
    default:
      throw fault(`${at}/kind`, '"complete", "broken" or "left"', ending.kind);
  }
}

function readError(error: JsonObject, at: string, fault: Fault): RecordedError {
  return { message: textAt(error, at, 'message', fault), ...(error.code === undefined ? {} : { code: textAt(error, at, 'code', fault) }) };
}

function readBytes(holder: JsonObject, at: string, fault: Fault): RecordedBytes {
  if (typeof holder.text === 'string' && holder.base64 === undefined) return { text: holder.text };
  const { base64 } = holder;
  if (typeof base64 !== 'string' || holder.text !== undefined) throw fault(at, 'a member "text" or "base64"', holder);
  if (Buffer.from(base64, 'base64').toString('base64') !== base64) throw fault(`${at}/base64`, 'base64', base64);
  return { base64 };
}

function objectAt(holder: JsonObject, at: string, name: string, fault: Fault): JsonObject {
  const value = holder[name];
  if (!isJsonObject(value)) throw fault(childPointer(at, name), 'an object', value);
  return value;
}

function textAt(holder: JsonObject, at: string, name: string, fault: Fault): string {
  const value = holder[name];
  if (typeof value !== 'string') throw fault(childPointer(at, name), 'a text', value);
  return value;
}

function millisecondsAt(holder: JsonObject, at: string, fault: Fault): number {
  const { afterMs } = holder;
  if (typeof afterMs !== 'number' || afterMs < 0) throw fault(childPointer(at, 'afterMs'), 'milliseconds from 0', afterMs);
  return afterMs;
}

function headersAt(holder: JsonObject, at: string, fault: Fault): Readonly<Record<string, string>> {
  const headers = objectAt(holder, at, 'headers', fault);
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw fault(childPointer(`${at}/headers`, name), 'a text', value);
  }
  return headers as Readonly<Record<string, string>>;
}

import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type JsonSchema } from '@vouch/contracts';
import type { SchemaInput } from '@vouch/signal';
import { oneLine } from '../terminal/one-line.ts';
import { UsageError } from '../usage-error.ts';
import type { GateMaker } from './json-schema-gate.ts';

const typescriptEndings = new Set(['.ts', '.mts', '.cts']);
/** Endings of modules, in lower case. */
export const scriptEndings: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', ...typescriptEndings]);
const hint = 'give a .json file with a JSON Schema, or a .mjs, .js, .mts or .ts module that exports a schema as default or `schema`';

/**
 * Reads a schema: a JSON file holds a JSON Schema; a module exports a zod, Standard Schema or plain JSON Schema object as `default` or `schema`
 * (TypeScript is stripped by jiti). The module is run: it is the caller's own code. Throws `UsageError`.
 */
export async function loadSchema(path: string, cwd: string, makeGate: GateMaker): Promise<SchemaInput> {
  if (/^https?:\/\//i.test(path)) throw new UsageError(`the schema ${path} is an address, and only files are read`, 'download it first');
  const file = resolve(cwd, path);
  const ending = extname(file).toLowerCase();
  try {
    if (scriptEndings.has(ending)) return fromExports(await importModule(file, ending), path, makeGate);
    return fromJson(await readFile(file, 'utf8'), path, makeGate);
  } catch (error) {
    if (error instanceof UsageError)
      throw new UsageError(error.message.includes(path) ? error.message : `${path}: ${error.message}`, error.hint);
    throw new UsageError(`cannot read the schema ${path}: ${reasonOf(error)}`, hintFor(error, ending));
  }
}

function hintFor(error: unknown, ending: string): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (!scriptEndings.has(ending) || code === 'ENOENT') return hint;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return 'install what the module imports where it stands, or mend the import';
  return 'the module is run to get its schema: mend it; nothing was sent';
}

function fromJson(text: string, path: string, makeGate: GateMaker): SchemaInput {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`the schema ${path} is not JSON: ${reasonOf(error)}`, hint);
  }
  return fromValue(parsed, `the schema ${path}`, makeGate);
}

/** Runs a module; TypeScript is stripped by jiti. */
export async function importModule(file: string, ending: string): Promise<Readonly<Record<string, unknown>>> {
  if (!typescriptEndings.has(ending)) return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const { createJiti } = await import('jiti');
  return createJiti(pathToFileURL(file).href, { interopDefault: false, fsCache: false }).import(file);
}

function fromExports(exports: Readonly<Record<string, unknown>>, path: string, makeGate: GateMaker): SchemaInput {
  const value = exports.default ?? exports.schema;
  if (value === undefined) {
    const names = Object.keys(exports).slice(0, 8).join(', ') || 'nothing';
    throw new UsageError(`the module ${path} exports no schema: it has neither \`default\` nor \`schema\`, but ${names}`, hint);
  }
  return fromValue(value, `the export of ${path}`, makeGate);
}

function fromValue(value: unknown, subject: string, makeGate: GateMaker): SchemaInput {
  if (isLibrarySchema(value)) return value;
  if (isPlainObject(value)) {
    const keys = Object.keys(value);
    // An unknown keyword is no error, so a schema of unknown keywords alone would let everything pass.
    if (keys.length > 0 && !keys.some((key) => keywords.has(key))) {
      throw new UsageError(`${subject} is no JSON Schema: it holds no keyword of one, only ${keys.slice(0, 5).join(', ')}`, hint);
    }
    return makeGate(value as JsonSchema);
  }
  if (value instanceof Promise) throw new UsageError(`${subject} is a promise`, 'export the schema itself: await it in the module');
  const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  throw new UsageError(`${subject} is no schema: it is ${what}`, hint);
}

/** Keywords of which a JSON Schema says at least one, unless it is `{}`. */
const keywords: ReadonlySet<string> = new Set(
  `$ref $dynamicRef $recursiveRef $schema $id $defs definitions type enum const properties patternProperties additionalProperties
  propertyNames unevaluatedProperties required dependentRequired dependentSchemas dependencies minProperties maxProperties items
  prefixItems additionalItems unevaluatedItems contains minContains maxContains minItems maxItems uniqueItems anyOf oneOf allOf not if
  then else minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format contentEncoding
  contentMediaType contentSchema title description default examples $comment $async nullable`.split(/\s+/),
);

function isPlainObject(value: unknown): value is object {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What `.schema()` takes as it is; the client checks it further. Some libraries' schemas are callable. */
function isLibrarySchema(value: unknown): value is SchemaInput {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return '~standard' in value || ('jsonSchema' in value && ('validate' in value || 'parse' in value || 'standard' in value));
}

/** Why a file or its content could not be used, in one line. */
export function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES') return 'it may not be read';
  // Only the first line: module errors go on with a stack and a list of paths.
  return oneLine((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '', 300);
}

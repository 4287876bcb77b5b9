import { childPointer, type Gate, type Issue, isJsonObject } from '@vouch/contracts';
import { type Property, resolveShape, rootSchema, type Shape, type ShapeSet } from './shape.ts';

interface Miss {
  readonly path: string;
  readonly code: string;
  readonly expected: string;
  readonly received: unknown;
}

/** Undefined when the value passes. Takes any value, missing included. */
type Check = (value: unknown) => Miss | undefined;

const miss = (code: string, expected: string, received: unknown): Miss => ({ path: '', code, expected, received });
const below = (key: string | number, inner: Miss): Miss => ({ ...inner, path: childPointer('', key) + inner.path });

/** Length in code points, as JSON Schema counts it. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i + 1 < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    length -= 1;
    i += 1;
  }
  return length;
}

const uuid = /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function isDate(text: string): boolean {
  const parts = /^(\d\d\d\d)-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return month >= 1 && month <= 12 && day >= 1 && day <= (days[month - 1] ?? 0);
}

function stringCheck(shape: Extract<Shape, { kind: 'string' }>): Check {
  const { min = 0, max = Number.POSITIVE_INFINITY, format } = shape;
  const pattern = shape.pattern === undefined ? undefined : new RegExp(shape.pattern.source, 'u');
  return (value) => {
    if (typeof value !== 'string') return miss('type', 'a string', value);
    const length = lengthOf(value);
    if (length < min || length > max) return miss('length', `${min} to ${max} characters`, value);
    if (pattern !== undefined && !pattern.test(value)) return miss('pattern', `text like ${pattern.source}`, value);
    if (format === 'date' && !isDate(value)) return miss('format', 'a date', value);
    if (format === 'uuid' && !uuid.test(value)) return miss('format', 'a uuid', value);
    return undefined;
  };
}

function numberCheck(shape: Extract<Shape, { kind: 'number' }>): Check {
  const { integer, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, above = Number.NEGATIVE_INFINITY } = shape;
  const expected = integer ? 'an integer in bounds' : 'a number in bounds';
  return (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || (integer && !Number.isInteger(value))) return miss('type', expected, value);
    return value < min || value > max || value <= above ? miss('range', expected, value) : undefined;
  };
}

function arrayCheck(item: Check, min: number, max: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return miss('type', 'an array', value);
    if (value.length < min || value.length > max) return miss('items', `${min} to ${max} items`, value.length);
    for (let i = 0; i < value.length; i += 1) {
      const found = item(value[i]);
      if (found !== undefined) return below(i, found);
    }
    return undefined;
  };
}

function tupleCheck(items: readonly Check[]): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length !== items.length) return miss('type', `an array of ${items.length}`, value);
    for (const [i, item] of items.entries()) {
      const found = item(value[i]);
      if (found !== undefined) return below(i, found);
    }
    return undefined;
  };
}

function objectCheck(properties: readonly Property[], checks: readonly Check[], extra: 'closed' | 'open' | 'patterned'): Check {
  const known = new Set(properties.map((property) => property.key));
  return (value) => {
    if (!isJsonObject(value)) return miss('type', 'an object', value);
    for (const [i, property] of properties.entries()) {
      if (!Object.hasOwn(value, property.key)) {
        if (property.required) return below(property.key, miss('required', 'a value', undefined));
        continue;
      }
      const found = (checks[i] as Check)(value[property.key]);
      if (found !== undefined) return below(property.key, found);
    }
    if (extra === 'open') return undefined;
    for (const key of Object.keys(value)) {
      if (known.has(key) && (extra === 'closed' || !key.startsWith('x_'))) continue;
      const allowed = extra === 'patterned' && key.startsWith('x_') && typeof value[key] === 'string';
      if (!allowed) return below(key, miss('additional', 'no such member', value[key]));
    }
    return undefined;
  };
}

function recordCheck(values: Check): Check {
  return (value) => {
    if (!isJsonObject(value)) return miss('type', 'an object', value);
    for (const key of Object.keys(value)) {
      const found = values(value[key]);
      if (found !== undefined) return below(key, found);
    }
    return undefined;
  };
}

function unionCheck(branches: readonly Check[], exactlyOne: boolean): Check {
  return (value) => {
    let passed = 0;
    let first: Miss | undefined;
    for (const branch of branches) {
      const found = branch(value);
      if (found === undefined) passed += 1;
      else first ??= found;
      if (passed > 0 && !exactlyOne) return undefined;
    }
    if (passed === 1) return undefined;
    return passed === 0 && first !== undefined ? first : miss('union', 'exactly one branch', value);
  };
}

/** Compiles a shape of a set to closures; references are bound when they are first met. */
export function compileCheck(shape: Shape, set: ShapeSet, named: Map<string, Check> = new Map()): Check {
  const compile = (inner: Shape): Check => compileCheck(inner, set, named);
  switch (shape.kind) {
    case 'string':
      return stringCheck(shape);
    case 'number':
      return numberCheck(shape);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : miss('type', 'true or false', value));
    case 'null':
      return (value) => (value === null ? undefined : miss('type', 'null', value));
    case 'literal':
      return (value) => (shape.values.some((one) => one === value) ? undefined : miss('enum', JSON.stringify(shape.values), value));
    case 'anything':
      return (value) => (value === undefined ? miss('required', 'a value', value) : undefined);
    case 'array':
      return arrayCheck(compile(shape.items), shape.min ?? 0, shape.max ?? Number.POSITIVE_INFINITY);
    case 'tuple':
      return tupleCheck(shape.items.map(compile));
    case 'object':
      return objectCheck(
        shape.properties,
        shape.properties.map((property) => compile(property.shape)),
        shape.extra,
      );
    case 'record':
      return recordCheck(compile(shape.values));
    case 'union':
      return unionCheck(shape.branches.map(compile), shape.keyword === 'oneOf');
    case 'reference': {
      const known = named.get(shape.name);
      if (known !== undefined) return known;
      let body: Check | undefined;
      const check: Check = (value) => {
        body ??= compile(resolveShape(shape, set));
        return body(value);
      };
      named.set(shape.name, check);
      return check;
    }
  }
}

const preview = (value: unknown): string => (value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value).slice(0, 100));

/** The gate of a set: this suite's own validator, with the schema that it stands for. */
export function compileGate(set: ShapeSet): Gate & { readonly passes: (value: unknown) => boolean } {
  const check = compileCheck(set.root, set);
  return {
    jsonSchema: rootSchema(set),
    passes: (value) => check(value) === undefined,
    validate(value) {
      const found = check(value);
      if (found === undefined) return { ok: true };
      const issue: Issue = { path: found.path, code: found.code, expected: found.expected, received: preview(found.received) };
      return { ok: false, issues: [issue] };
    },
  };
}

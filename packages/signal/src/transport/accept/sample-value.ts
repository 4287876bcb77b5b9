import { isJsonObject, type JsonSchema, type JsonValue, namedTypes, resolveReference } from '@vouch/contracts';

const bounds = { depth: 8, parts: 2_000, stringChars: 64, items: 4, branches: 16 } as const;

/** What one sample is drawn from. */
interface Drawing {
  readonly root: JsonSchema;
  readonly branch: number;
  /** Parts that may still be drawn: a schema that refers to itself several times doubles at each level. */
  partsLeft: number;
}

const formats: { readonly [format: string]: string } = {
  'date-time': '2020-01-01T00:00:00Z',
  date: '2020-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'a@example.com',
  hostname: 'example.com',
  uri: 'https://example.com/',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * A value that comes near to what the schema wants, `branch` choosing among alternatives. A probe, not a generator: patterns and combined
 * constraints are not met. Bounded to eight levels and 2 000 parts; what is beyond is null.
 */
export function sampleValue(root: JsonSchema, branch: number): JsonValue {
  return sample({ root, branch, partsLeft: bounds.parts }, root, 0);
}

function sample(drawing: Drawing, schema: unknown, depth: number): JsonValue {
  const { root, branch } = drawing;
  drawing.partsLeft -= 1;
  if (!isJsonObject(schema) || depth > bounds.depth || drawing.partsLeft < 0) return null;
  const resolved = resolveReference(root, schema, '')?.schema ?? {};
  if (Object.hasOwn(resolved, 'const')) return resolved.const as JsonValue;
  if (Array.isArray(resolved.enum) && resolved.enum.length > 0)
    return resolved.enum[Math.min(branch, resolved.enum.length - 1)] as JsonValue;
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (Array.isArray(choices) && choices.length > 0) return sample(drawing, choices[Math.min(branch, choices.length - 1)], depth + 1);
  if (Array.isArray(resolved.allOf)) {
    const parts = resolved.allOf.slice(0, bounds.branches).map((part) => sample(drawing, part, depth + 1));
    return parts.every(isJsonObject) ? Object.assign({}, ...parts) : (parts[0] ?? null);
  }
  return sampleOfType(drawing, resolved, depth);
}

function sampleOfType(drawing: Drawing, schema: JsonSchema, depth: number): JsonValue {
  const types = namedTypes(schema);
  switch (types[Math.min(drawing.branch, types.length - 1)]) {
    case 'object':
      return sampleObject(drawing, schema, depth);
    case 'array': {
      const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
      const count = Math.min(bounds.items, Math.max(1, numberOr(schema.minItems, 1)));
      const rest = prefix.length > 0 ? [] : Array.from({ length: count }, () => schema.items);
      return [...prefix.slice(0, bounds.branches), ...rest].map((item) => sample(drawing, item, depth + 1));
    }
    case 'string':
      return sampleString(schema);
    case 'integer':
    case 'number': {
      const least = numberOr(schema.minimum, numberOr(schema.exclusiveMinimum, -1) + 1);
      return least < -1e15 ? 0 : least;
    }
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function sampleObject(drawing: Drawing, schema: JsonSchema, depth: number): JsonValue {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties).slice(0, bounds.parts) : [];
  return Object.fromEntries(properties.map(([key, property]) => [key, sample(drawing, property, depth + 1)]));
}

function sampleString(schema: JsonSchema): string {
  const { format } = schema;
  if (typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format] ?? '';
  return 'a'.repeat(Math.min(bounds.stringChars, Math.max(1, numberOr(schema.minLength, 1))));
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

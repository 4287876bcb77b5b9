import type { Issue, JsonSchema } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import {
  ambiguousCorrection,
  type CorrectionSpec,
  cancelledToolResult,
  cutToolCallCorrection,
  exitToolDescription,
  failedToolResult,
  finishProtocol,
  invalidArgumentsResult,
  invalidOutputCorrection,
  schemaPrompt,
  schemaPromptMarker,
  shapeLine,
  terminationCorrection,
  truncatedCorrection,
} from './protocol.ts';

const jsonSchema: JsonSchema = {
  type: 'object',
  properties: { reasoning: { type: 'string' }, total: { type: 'number' }, rows: { $ref: '#/$defs/rows' }, any: {} },
  required: ['total', 'rows'],
  $defs: { rows: { type: ['array', 'null'] } },
};
const issues: readonly Issue[] = [
  { path: '/total', code: 'invalid_type', expected: 'number', received: '"12"' },
  { path: '', code: 'custom', expected: 'rows that add up', received: '{"total":"12"}' },
];
const specs: { readonly [name: string]: CorrectionSpec } = {
  emit: { transport: 'emit', hasTools: false },
  'emit with tools': { transport: 'emit', hasTools: true },
  native: { transport: 'native', hasTools: false },
  'native with tools': { transport: 'native', hasTools: true },
  respond: { transport: 'respond', hasTools: false, exitTool: 'respond' },
  'respond with tools': { transport: 'respond', hasTools: true, exitTool: 'respond' },
};

/** Every text that can reach a model under one transport. */
function proseOf(spec: CorrectionSpec): readonly string[] {
  return [
    finishProtocol({ ...spec, schemaInPrompt: true, jsonSchema }),
    finishProtocol({ ...spec, schemaInPrompt: false, jsonSchema }),
    schemaPrompt(jsonSchema),
    terminationCorrection(spec),
    invalidOutputCorrection(spec, { text: '{"total":"12"}', issues, problem: 'A sentence.' }),
    truncatedCorrection(spec, { text: '{"total":' }),
    ambiguousCorrection(spec, { text: '{} {"a":1}' }),
  ];
}

describe('protocol', () => {
  it('[SG-052] every prompt is pinned', () => {
    const all = Object.entries(specs).map(([name, spec]) => [`=== ${name}`, ...proseOf(spec).map((text) => `${text}\n---`)].join('\n'));
    expect(all.join('\n')).toMatchSnapshot('transports');
    expect(
      [
        exitToolDescription(),
        cutToolCallCorrection([]),
        cutToolCallCorrection(['delete_rows', 'insert_rows']),
        invalidArgumentsResult('find', issues),
        failedToolResult('find', 'no such table'),
        cancelledToolResult('find'),
      ].join('\n---\n'),
    ).toMatchSnapshot('tools');
  });

  it('[SG-052] the schema prompt has its marker alone on a line, then the minified schema on one line, and nothing after', () => {
    const lines = schemaPrompt({ ...jsonSchema, description: 'two\nlines' }).split('\n');
    const marker = lines.indexOf(schemaPromptMarker);
    expect(marker).toBeGreaterThan(0);
    expect(lines).toHaveLength(marker + 2);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ ...jsonSchema, description: 'two\nlines' });
  });

  it('[SG-052] two schema prompts share their words as one prefix, so that a provider can cache it', () => {
    const [one, two] = [schemaPrompt({ type: 'string' }), schemaPrompt({ type: 'number' })];
    const words = one.slice(0, one.indexOf('{"'));
    expect(words).toContain(schemaPromptMarker);
    expect(two.startsWith(words)).toBe(true);
  });

  it('[SG-052] [sig-T10] [sig-T12] emit never speaks of the exit tool, and without tools of no tool at all', () => {
    for (const spec of [specs.emit, specs['emit with tools'], specs.native, specs['native with tools']]) {
      if (spec === undefined) throw new Error('no such case');
      for (const text of proseOf(spec)) expect(text).not.toMatch(/respond|exit/i);
      if (!spec.hasTools) for (const text of proseOf(spec)) expect(text).not.toMatch(/tool/i);
    }
  });

  it('[SG-052] [sig-T11] respond names the tool and the way by content, also in corrections', () => {
    for (const spec of [specs.respond, specs['respond with tools']]) {
      if (spec === undefined) throw new Error('no such case');
      const [finish = '', , , termination = '', invalid = ''] = proseOf(spec);
      expect(finish).toContain('`respond`');
      expect(finish).toMatch(/reply with only the JSON answer instead/);
      for (const text of [termination, invalid]) expect(text).toMatch(/`respond`.*or reply with only the corrected JSON/);
    }
  });

  it('[SG-052] every prompt that json_object mode may ride with has the word JSON', () => {
    expect(schemaPrompt({ type: 'object' })).toContain('JSON');
    expect(finishProtocol({ transport: 'emit', hasTools: false, schemaInPrompt: true, jsonSchema })).toContain('JSON');
  });

  it('[SG-055] a correction shows the attempt, and each issue with path, received value and expectation', () => {
    const text = invalidOutputCorrection({ transport: 'emit', hasTools: false }, { text: '{"total":"12"}', issues });
    expect(text).toContain('{"total":"12"}');
    expect(text).toContain('- at /total: expected number, received "12" (invalid_type)');
    expect(text).toContain('- at the root: expected rows that add up');
  });

  it('[SG-055] [SG-086] the attempt is shown cut, with how much more there was', () => {
    const text = invalidOutputCorrection(
      { transport: 'emit', hasTools: false },
      { text: 'x'.repeat(50_000), issues: [], problem: 'p'.repeat(9_000) },
    );
    expect(text.length).toBeLessThan(5_500);
    expect(text).toMatch(/46000 more characters, sha256 [0-9a-f]{64}/);
    expect(failedToolResult('t', 'm'.repeat(9_000)).length).toBeLessThan(800);
  });

  it('[SG-052] the shape line has the keys in the schema’s order, types followed through references, and is bounded', () => {
    expect(shapeLine(jsonSchema)).toBe(
      'Shape of the answer: { "reasoning"?: string, "total": number, "rows": array | null, "any"?: JSON } (? = may be left out)',
    );
    expect(shapeLine({ type: 'array' })).toBe('Shape of the answer: array');
    expect(shapeLine({ type: 'string' })).toBe('Shape of the answer: string (a JSON string, in double quotes)');
    expect(shapeLine({})).toBe('Shape of the answer: JSON');
    const wide = { type: 'object', properties: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, {}])) };
    expect(shapeLine(wide).length).toBeLessThan(1_000);
    expect(shapeLine(wide)).toContain('and 460 more keys');
    expect(shapeLine({ type: 'object', properties: { ['k'.repeat(9_000)]: {} } }).length).toBeLessThan(1_000);
  });
});

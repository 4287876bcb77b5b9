import type { Capabilities, Fact, JsonSchema, ResolvedTransport } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toOutputSchema } from './output-schema.ts';
import { finishProtocol } from './protocol.ts';
import { RESPOND_TOOL_NAME, resolveTransport, type TransportSpec } from './resolve.ts';

const limited: Capabilities = {
  nativeTools: 'yes',
  nativeJsonMode: 'yes',
  validatesToolArgs: 'no',
  supportsEmbedding: 'no',
  nativeJsonSchema: 'no',
  toolsWithStructuredOutput: 'no',
  manglesNestedToolArgs: 'no',
  multimodal: 'no',
};
const validating: Capabilities = { ...limited, validatesToolArgs: 'yes' };
const mangling: Capabilities = { ...limited, manglesNestedToolArgs: 'yes' };
const able: Capabilities = { ...limited, nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'yes' };
const unmeasured: Capabilities = {
  nativeTools: 'unmeasured',
  nativeJsonMode: 'unmeasured',
  validatesToolArgs: 'unmeasured',
  supportsEmbedding: 'unmeasured',
  nativeJsonSchema: 'unmeasured',
  toolsWithStructuredOutput: 'unmeasured',
  manglesNestedToolArgs: 'unmeasured',
  multimodal: 'unmeasured',
};

const envelope = (data?: z.ZodType): JsonSchema =>
  toOutputSchema(z.object({ response: z.string(), ...(data === undefined ? {} : { data }), reasoning: z.string().optional() }) as z.ZodType)
    .jsonSchema;

const tree = z.object({
  label: z.string(),
  get children() {
    return z.array(tree);
  },
});

const smallData: TransportSpec = {
  jsonSchema: envelope(z.object({ total: z.number(), rows: z.array(z.string()) })),
  hasTools: true,
  hasData: true,
};
const recursiveData: TransportSpec = { ...smallData, jsonSchema: envelope(tree) };
const words: TransportSpec = { jsonSchema: envelope(), hasTools: false, hasData: false };

const refused = (pattern: RegExp) => expect.objectContaining({ code: 'E_UNSUPPORTED_TRANSPORT', message: expect.stringMatching(pattern) });

function protocolOf(spec: TransportSpec, resolved: ResolvedTransport): string {
  const { transport, outputTool, injectSchemaDoc } = resolved;
  const exit = outputTool === undefined ? {} : { exitTool: outputTool };
  return finishProtocol({ transport, hasTools: spec.hasTools, ...exit, schemaInPrompt: injectSchemaDoc, jsonSchema: spec.jsonSchema });
}

describe('resolveTransport, scenario rows', () => {
  it('[SG-050] [sig-T1] small data with tools on an endpoint without grammar: the exit tool with the full schema', () => {
    const resolved = resolveTransport(smallData, limited);
    expect(resolved).toMatchObject({ transport: 'respond', respondDetail: 'full', injectSchemaDoc: false, outputTool: 'respond' });
    expect(resolved.respondTool?.name).toBe('respond');
    expect(resolved.respondTool?.jsonSchema).toMatchObject({ type: 'object', properties: { data: { type: 'object' } } });
    expect(resolved.respondTool?.jsonSchema).not.toHaveProperty('$schema');
  });

  it('[SG-050] [sig-T2] the same where a usable grammar goes with tools: native', () => {
    const resolved = resolveTransport(smallData, able);
    expect(resolved).toMatchObject({ transport: 'native', injectSchemaDoc: false, responseFormat: { type: 'json_schema', strict: false } });
    expect(resolved.respondTool).toBeUndefined();
    const strict = resolveTransport(smallData, able, { subset: 'openai-strict' });
    expect(strict).toMatchObject({
      responseFormat: { type: 'json_schema', strict: true, schema: { required: ['response', 'data', 'reasoning'] } },
      envelope: { madeNullable: ['/properties/reasoning'] },
    });
  });

  it('[SG-050] [def-B15] [sig-T3] recursive data: emit, the schema in the prompt, on every verb’s resolver', () => {
    const resolved = resolveTransport(recursiveData, able);
    expect(resolved).toMatchObject({ transport: 'emit', injectSchemaDoc: true });
    expect(resolved.respondTool).toBeUndefined();
    expect(resolved.responseFormat).toBeUndefined();
    expect(resolved.why.join(' ')).toMatch(/recursive/);
  });

  it('[SG-050] [sig-T4] small data on an endpoint that validates arguments: emit, the schema in the prompt', () => {
    const resolved = resolveTransport(smallData, validating);
    expect(resolved).toMatchObject({ transport: 'emit', injectSchemaDoc: true });
    expect(resolved.respondTool).toBeUndefined();
    expect(resolved.responseFormat).toBeUndefined();
  });

  it('[SG-050] [sig-T5] words only, no tools, on such an endpoint: emit without a schema prompt', () => {
    expect(resolveTransport(words, validating)).toMatchObject({ transport: 'emit', injectSchemaDoc: false });
  });

  it('[SG-050] [sig-T6] a model that mangles nested arguments: emit, with data or words', () => {
    expect(resolveTransport(smallData, mangling).transport).toBe('emit');
    expect(resolveTransport(words, mangling).transport).toBe('emit');
  });

  it('[SG-050] [sig-T7] recursive data through the exit tool by choice: loose parameters without a reference, the schema in the prompt', () => {
    const resolved = resolveTransport({ ...recursiveData, choice: 'respond' }, able);
    expect(resolved).toMatchObject({ transport: 'respond', respondDetail: 'loose', injectSchemaDoc: true });
    expect(JSON.stringify(resolved.respondTool?.jsonSchema)).not.toContain('$ref');
    expect(resolved.respondTool?.jsonSchema).toMatchObject({ properties: { response: { type: 'string' }, data: { type: 'object' } } });
    const looseJsonSchema = { type: 'object', properties: { response: { type: 'string' }, data: {} } };
    const given = resolveTransport({ ...recursiveData, looseJsonSchema, choice: 'respond' }, able);
    expect(given.respondTool?.jsonSchema).toEqual(looseJsonSchema);
  });

  it('[SG-051] [sig-T8] the exit tool by choice on an endpoint that validates: fields without schemas, none required', () => {
    const resolved = resolveTransport({ ...smallData, choice: 'respond' }, validating);
    expect(resolved).toMatchObject({ transport: 'respond', respondDetail: 'permissive', injectSchemaDoc: true });
    expect(resolved.respondTool?.jsonSchema).toEqual({ type: 'object', properties: { response: {}, data: {}, reasoning: {} } });
  });

  it('[SG-051] [sig-T9] the same for words only: no field that the contract lacks, whatever the caller lists', () => {
    const resolved = resolveTransport({ ...words, choice: 'respond' }, validating);
    expect(resolved).toMatchObject({ respondDetail: 'permissive', injectSchemaDoc: false });
    expect(Object.keys(resolved.respondTool?.jsonSchema.properties ?? {})).toEqual(['response', 'reasoning']);
    const listed = resolveTransport({ ...words, choice: 'respond', permissiveFields: ['response', 'data'] }, validating);
    expect(listed.respondTool?.jsonSchema.properties).toEqual({ response: {} });
    const list = { jsonSchema: { type: 'array', items: { type: 'string' } }, hasTools: false, hasData: true, permissiveFields: ['data'] };
    const wrapped = resolveTransport({ ...list, choice: 'respond' }, validating);
    expect(wrapped.respondTool?.jsonSchema.properties).toEqual({ value: {} });
    expect(wrapped.envelope).toEqual({ rootKey: 'value', madeNullable: [] });
  });

  it('[SG-052] [sig-T10] emit’s finish protocol never mentions the exit tool', () => {
    const prose = protocolOf(smallData, resolveTransport(smallData, validating));
    expect(prose).toContain('only the JSON answer');
    expect(prose).not.toMatch(/respond/i);
  });

  it('[SG-052] [sig-T11] respond’s finish protocol names the tool and the way by content', () => {
    const prose = protocolOf(smallData, resolveTransport(smallData, limited));
    expect(prose).toContain('`respond`');
    expect(prose).toContain('reply with only the JSON answer instead');
  });

  it('[SG-052] [sig-T12] emit without tools never says "tool"', () => {
    expect(protocolOf(words, resolveTransport(words, validating))).not.toMatch(/tool/i);
  });

  it('[SG-050] [sig-T13] native by choice where there is no grammar is refused, with the reason', () => {
    expect(() => resolveTransport({ ...smallData, choice: 'native' }, limited)).toThrowError(refused(/native.*nativeJsonSchema: no/));
    const both = { ...able, toolsWithStructuredOutput: 'no' } as const;
    expect(() => resolveTransport({ ...smallData, choice: 'native' }, both)).toThrowError(refused(/native.*cannot be combined/));
    expect(resolveTransport({ ...smallData, hasTools: false, choice: 'native' }, both).transport).toBe('native');
    expect(() => resolveTransport({ ...recursiveData, choice: 'native' }, able)).toThrowError(refused(/native.*recursive/));
  });

  it('[SG-050] [sig-T14] forceTool with a content-only choice is refused', () => {
    expect(() => resolveTransport({ ...smallData, forceTool: true, choice: 'emit' }, able)).toThrowError(refused(/forceTool/));
    expect(() => resolveTransport({ ...smallData, forceTool: true, choice: 'native' }, able)).toThrowError(refused(/forceTool/));
  });

  it('[SG-050] [SG-051] [sig-T15] forceTool on an endpoint that validates: the exit tool, permissive, a call required', () => {
    expect(resolveTransport({ ...smallData, forceTool: true }, validating)).toMatchObject({
      transport: 'respond',
      respondDetail: 'permissive',
      toolChoice: 'required',
    });
  });

  it('[SG-050] [sig-T16] forceTool elsewhere requires a call too', () => {
    expect(resolveTransport({ ...smallData, forceTool: true }, limited)).toMatchObject({ transport: 'respond', toolChoice: 'required' });
    expect(resolveTransport(smallData, limited).toolChoice).toBeUndefined();
  });
});

describe('resolveTransport, three-valued facts', () => {
  it('[SG-020] [SG-050] [def-B14] an endpoint of which nothing is known answers in its message, and says why', () => {
    const resolved = resolveTransport(smallData, unmeasured);
    expect(resolved).toMatchObject({ transport: 'emit', injectSchemaDoc: true });
    expect(resolved.why.join(' ')).toMatch(/unmeasured/);
    expect(resolveTransport(words, unmeasured).transport).toBe('emit');
  });

  it('[SG-050] [def-B14] no exit tool on an endpoint without tools, by choice or by force either', () => {
    for (const nativeTools of ['no', 'unmeasured'] as const) {
      const without = { ...limited, nativeTools };
      expect(resolveTransport(smallData, without).transport).toBe('emit');
      expect(() => resolveTransport({ ...smallData, choice: 'respond' }, without)).toThrowError(refused(/respond.*nativeTools/));
      expect(() => resolveTransport({ ...smallData, forceTool: true }, without)).toThrowError(refused(/forceTool.*nativeTools/));
    }
  });

  it('[SG-050] a schema up to 8 192 characters is sent, one more is not', () => {
    const sized = (chars: number): JsonSchema => {
      const bare = { type: 'object', properties: { a: { type: 'string', description: '' } }, required: ['a'], additionalProperties: false };
      const missing = chars - JSON.stringify(bare).length;
      return { ...bare, properties: { a: { type: 'string', description: 'd'.repeat(missing) } } };
    };
    const spec = (chars: number): TransportSpec => ({ jsonSchema: sized(chars), hasTools: false, hasData: true });
    expect(resolveTransport(spec(8_192), able).transport).toBe('native');
    expect(resolveTransport(spec(8_192), limited)).toMatchObject({ transport: 'respond', respondDetail: 'full' });
    expect(resolveTransport(spec(8_193), able)).toMatchObject({ transport: 'emit' });
    expect(resolveTransport(spec(8_193), able).why.join(' ')).toMatch(/8193 characters/);
    expect(resolveTransport({ ...spec(8_193), choice: 'respond' }, limited)).toMatchObject({ respondDetail: 'loose' });
    expect(resolveTransport({ ...spec(8_192), jsonSchema: { $schema: 'x', ...sized(8_192) } }, able).transport).toBe('native');
  });

  it('[SG-050] shared definitions that are not recursive are sent: kept in a grammar, written out in parameters', () => {
    const row = z.object({ x: z.number() }).meta({ id: 'Row' });
    const jsonSchema = toOutputSchema(z.object({ from: row, to: row })).jsonSchema;
    expect(JSON.stringify(jsonSchema)).toContain('$ref');
    const spec: TransportSpec = { jsonSchema, hasTools: false, hasData: true };
    expect(resolveTransport(spec, able).transport).toBe('native');
    const resolved = resolveTransport(spec, limited);
    expect(resolved.respondDetail).toBe('full');
    expect(JSON.stringify(resolved.respondTool?.jsonSchema)).not.toContain('$');
    expect(resolved.respondTool?.jsonSchema).toMatchObject({
      properties: { from: { properties: { x: {} } }, to: { properties: { x: {} } } },
    });
  });

  it('[SG-050] a definition that two others share is no recursion', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ $ref: `#/$defs/${name}` }));
    const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties, additionalProperties: false });
    const jsonSchema = { ...object({ a, b, c }), $defs: { a: object({ c }), b: object({ c }), c: { type: 'string' } } };
    expect(resolveTransport({ jsonSchema, hasTools: false, hasData: true }, able).transport).toBe('native');
    const circle = { ...jsonSchema, $defs: { ...jsonSchema.$defs, c: object({ a }) } };
    expect(resolveTransport({ jsonSchema: circle, hasTools: false, hasData: true }, able).why.join(' ')).toMatch(/recursive/);
  });

  it('[SG-050] definitions that grow beyond bounds when written out are stated loosely, in bounded time', () => {
    const $defs: { [name: string]: JsonSchema } = { d40: { type: 'string' } };
    for (let level = 39; level >= 0; level -= 1) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { type: 'object', properties: { a: next, b: next } };
    }
    const jsonSchema = { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs };
    const resolved = resolveTransport({ jsonSchema, hasTools: false, hasData: true, choice: 'respond' }, limited);
    expect(resolved.respondDetail).toBe('loose');
    expect(resolved.respondTool?.jsonSchema).toEqual({ type: 'object', properties: { a: { type: 'object' } } });
  });

  it('[SG-050] a schema beyond the strict subset’s limits is not native there, and is where the grammar is open', () => {
    let jsonSchema: JsonSchema = { type: 'string' };
    for (let level = 0; level < 12; level += 1) {
      jsonSchema = { type: 'object', properties: { a: jsonSchema }, required: ['a'], additionalProperties: false };
    }
    const spec: TransportSpec = { jsonSchema, hasTools: false, hasData: true };
    expect(resolveTransport(spec, { ...able, nativeTools: 'no' }, { subset: 'openai-strict' })).toMatchObject({ transport: 'emit' });
    expect(resolveTransport(spec, able, { subset: 'open' })).toMatchObject({ transport: 'native' });
  });
});

// The whole cross product, held against a table written from the requirement's sentences and not from the code.
const facts: readonly Fact[] = ['yes', 'no', 'unmeasured'];
const huge = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(9_000) } } };
const schemas = {
  small: smallData.jsonSchema,
  recursive: recursiveData.jsonSchema,
  huge,
  list: { type: 'array', items: { type: 'number' } },
};

interface Cell {
  readonly tools: Fact;
  readonly checks: Fact;
  readonly grammar: Fact;
  readonly both: Fact;
  readonly mangles: Fact;
  readonly schema: keyof typeof schemas;
  readonly hasTools: boolean;
  readonly hasData: boolean;
  readonly choice: 'auto' | 'respond' | 'native' | 'emit';
  readonly force: boolean;
}

/** Who may answer, in the order of the requirement: the first of `ranked` that is open; nothing = refused. */
function oracle(cell: Cell): 'respond' | 'native' | 'emit' | 'refused' {
  const sendable = cell.schema === 'small' || cell.schema === 'list';
  const open = {
    native: cell.grammar === 'yes' && sendable && (cell.both === 'yes' || !cell.hasTools) && !cell.force,
    respond: cell.tools === 'yes',
    emit: !cell.force,
  };
  if (cell.choice !== 'auto') return open[cell.choice] ? cell.choice : 'refused';
  const enforcing = cell.checks === 'no' && cell.mangles === 'no' && (sendable || !cell.hasData);
  const ranked = [
    ...(cell.hasData ? (['native'] as const) : []),
    ...(enforcing || cell.force ? (['respond'] as const) : []),
    'emit' as const,
  ];
  return ranked.find((name) => open[name]) ?? 'refused';
}

function* cells(): Generator<Cell> {
  for (const tools of facts)
    for (const checks of facts)
      for (const grammar of facts)
        for (const both of facts)
          for (const mangles of facts)
            for (const schema of Object.keys(schemas) as (keyof typeof schemas)[])
              for (const hasTools of [true, false])
                for (const hasData of [true, false])
                  for (const choice of ['auto', 'respond', 'native', 'emit'] as const)
                    for (const force of [true, false])
                      yield { tools, checks, grammar, both, mangles, schema, hasTools, hasData, choice, force };
}

describe('resolveTransport, the whole cross product', () => {
  it('[SG-050] [SG-051] every cell is what the requirement allows, says why, and is the same again', () => {
    const seen = new Map<string, number>();
    for (const cell of cells()) {
      const capabilities: Capabilities = {
        ...limited,
        nativeTools: cell.tools,
        validatesToolArgs: cell.checks,
        nativeJsonSchema: cell.grammar,
        toolsWithStructuredOutput: cell.both,
        manglesNestedToolArgs: cell.mangles,
      };
      const { hasTools, hasData, choice } = cell;
      const spec: TransportSpec = { jsonSchema: schemas[cell.schema], hasTools, hasData, choice, forceTool: cell.force };
      const expected = oracle(cell);
      seen.set(expected, (seen.get(expected) ?? 0) + 1);
      let resolved: ResolvedTransport | undefined;
      let reason = '';
      try {
        resolved = resolveTransport(spec, capabilities);
      } catch (error) {
        reason = error instanceof Error ? error.message : '';
      }
      const label = JSON.stringify(cell);
      if (resolved === undefined) {
        if (expected !== 'refused' || reason.length < 20) throw new Error(`${label}: refused (${reason}), not ${expected}`);
        continue;
      }
      if (resolved.transport !== expected) throw new Error(`${label}: ${resolved.transport}, not ${expected}`);
      checkCell(cell, resolved, label);
      if (JSON.stringify(resolveTransport(spec, capabilities)) !== JSON.stringify(resolved)) throw new Error(`${label}: not pure`);
    }
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(3 ** 5 * 4 * 2 * 2 * 4 * 2);
    expect([...seen.keys()].sort()).toEqual(['emit', 'native', 'refused', 'respond']);
  });
});

function checkCell(cell: Cell, resolved: ResolvedTransport, label: string): void {
  const demand = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(`${label}: ${what}`);
  };
  demand(resolved.why.length > 0 && resolved.why.every((sentence) => sentence.length > 10), 'no reason');
  const isExit = resolved.transport === 'respond';
  demand((resolved.respondTool !== undefined) === isExit && (resolved.outputTool === RESPOND_TOOL_NAME) === isExit, 'exit tool');
  demand((resolved.responseFormat !== undefined) === (resolved.transport === 'native'), 'response format');
  demand((resolved.toolChoice === 'required') === cell.force, 'tool choice');
  const stated = resolved.transport === 'native' || resolved.respondDetail === 'full';
  demand(resolved.injectSchemaDoc === (cell.hasData && !stated), 'schema prompt');
  if (!isExit) return;
  const sendable = cell.schema === 'small' || cell.schema === 'list';
  const detail = cell.checks !== 'no' ? 'permissive' : sendable ? 'full' : 'loose';
  demand(resolved.respondDetail === detail, `detail ${resolved.respondDetail}, not ${detail}`);
  const contract = cell.schema === 'list' ? ['value'] : Object.keys(schemas[cell.schema].properties ?? {});
  const named = Object.keys(resolved.respondTool?.jsonSchema.properties ?? {});
  demand(
    named.every((field) => contract.includes(field)),
    `advertises ${named}`,
  );
  demand(!JSON.stringify(resolved.respondTool?.jsonSchema).includes('$ref'), 'a reference in the parameters');
}

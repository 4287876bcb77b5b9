import { type Capabilities, type Message, sequentialIds, type ToolDescriptor, textOf } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toOutputSchema } from './output-schema.ts';
import { type PrepareInput, prepareRequest } from './prepare-request.ts';
import { schemaPromptMarker } from './protocol.ts';

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
const able: Capabilities = { ...limited, nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'yes' };

const tool: ToolDescriptor = { name: 'look', description: 'Looks.', jsonSchema: { type: 'object' } };
const output = toOutputSchema(z.object({ total: z.number(), note: z.string().optional() }));
const list = toOutputSchema(z.array(z.string()));

const prepare = (parts: Partial<PrepareInput>) =>
  prepareRequest({ output, tools: [], capabilities: limited, ids: sequentialIds(), ...parts });
const texts = (messages: readonly Message[]): readonly string[] => messages.map(textOf);
const refused = (code: string) => expect.objectContaining({ code });

describe('prepareRequest', () => {
  it('[SG-050] free text needs nothing but the caller’s tools', () => {
    const { ids, capabilities } = { ids: sequentialIds(), capabilities: limited };
    expect(prepareRequest({ tools: [tool], capabilities, ids })).toEqual({ systemMessages: [], tools: [tool] });
  });

  it('[SG-053] a tool is sent without $schema, and otherwise as it is', () => {
    const described: ToolDescriptor = { ...tool, jsonSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } };
    expect(prepare({ tools: [described], capabilities: able }).tools).toEqual([tool]);
  });

  it('[SG-050] native: the format, the undo of its fit, and no prompt beside it', () => {
    const prepared = prepare({ capabilities: able, subset: 'openai-strict' });
    expect(prepared).toMatchObject({
      resolved: { transport: 'native' },
      systemMessages: [],
      responseFormat: { type: 'json_schema', strict: true, schema: { required: ['total', 'note'] } },
      tools: [],
      stepOutput: { envelope: { madeNullable: ['/properties/note'] } },
    });
    expect(prepared.stepOutput?.accept.validate({ total: 1 })).toEqual({ ok: true });
    const withTools = prepare({ capabilities: able, tools: [tool] });
    expect(texts(withTools.systemMessages)).toEqual([expect.stringContaining('reply without tool calls')]);
  });

  it('[SG-050] respond: the exit tool after the caller’s tools, its arguments gated', () => {
    const prepared = prepare({ tools: [tool] });
    expect(prepared.tools.map(({ name }) => name)).toEqual(['look', 'respond']);
    expect(prepared.stepOutput).toMatchObject({ outputTool: 'respond', envelope: { madeNullable: [] } });
    expect(prepared.responseFormat).toBeUndefined();
    expect(texts(prepared.systemMessages)).toEqual([expect.stringContaining('`respond`')]);
    expect(prepare({ tools: [tool], forceTool: true }).toolChoice).toBe('required');
  });

  it('[SG-050] [SG-051] respond with permissive parameters: the schema rides the prompt, as it is sent', () => {
    const prepared = prepare({ output: list, capabilities: validating, tools: [tool], choice: 'respond' });
    expect(prepared.tools.at(-1)?.jsonSchema).toEqual({ type: 'object', properties: { value: {} } });
    const [schema = '', finish = ''] = texts(prepared.systemMessages);
    expect(schema.split('\n').at(-1)).toBe(
      '{"type":"object","properties":{"value":{"type":"array","items":{"type":"string"}}},"required":["value"],"additionalProperties":false}',
    );
    expect(finish).toContain('"value": array');
  });

  it('[SG-050] [def-B13] emit without tools asks for any-object mode where the endpoint has it and the answer is an object', () => {
    expect(prepare({ capabilities: validating })).toMatchObject({
      resolved: { transport: 'emit' },
      responseFormat: { type: 'json_object' },
    });
    const others: Partial<PrepareInput>[] = [
      { output: list },
      { output: toOutputSchema(z.string()) },
      { output: toOutputSchema(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])) },
      { tools: [tool] },
      { capabilities: { ...validating, nativeJsonMode: 'no' } },
      { capabilities: { ...validating, nativeJsonMode: 'unmeasured' } },
    ];
    for (const parts of others) {
      const prepared = prepare({ capabilities: validating, ...parts });
      expect(prepared.resolved?.transport).toBe('emit');
      expect(prepared.responseFormat).toBeUndefined();
    }
  });

  it('[SG-053] [def-B13] a list through a grammar is wrapped, with the undo; by emit it is asked for bare', () => {
    const native = prepare({ output: list, capabilities: able });
    expect(native.responseFormat).toMatchObject({ schema: { type: 'object', properties: { value: { type: 'array' } } } });
    expect(native.stepOutput?.envelope).toEqual({ rootKey: 'value', madeNullable: [] });
    const emit = prepare({ output: list, capabilities: validating });
    expect(emit.stepOutput).not.toHaveProperty('envelope');
    expect(texts(emit.systemMessages).join('\n')).toContain('Shape of the answer: array');
  });

  it('[SG-055] prompts are internal system messages with origin schema-prompt, the schema first', () => {
    const { systemMessages } = prepare({ capabilities: validating });
    expect(systemMessages).toHaveLength(2);
    for (const message of systemMessages) {
      expect(message).toMatchObject({
        role: 'system',
        internal: true,
        parts: [{ type: 'text', origin: { kind: 'schema-prompt' }, trust: 'system' }],
      });
    }
    expect(texts(systemMessages)[0]).toContain(`\n${schemaPromptMarker}\n{"type":"object"`);
    expect(texts(systemMessages)[0]).not.toContain('$schema');
    expect(texts(systemMessages)[1]).toContain(`${schemaPromptMarker} above`);
  });

  it('[SG-007] [SG-052] two preparations of one run’s input are equal but for ids, so prompts keep their prefix', () => {
    const withoutIds = (value: unknown): string => JSON.stringify(value, (key, inner) => (key === 'id' ? undefined : inner));
    expect(withoutIds(prepare({ tools: [tool] }))).toBe(withoutIds(prepare({ tools: [tool] })));
  });

  it('[SG-050] [def-B15] a recursive schema is not sent as a grammar by complete() either', () => {
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    expect(prepare({ output: toOutputSchema(tree), capabilities: able })).toMatchObject({ resolved: { transport: 'emit' } });
  });

  it('[SG-053] [def-B8] what the schema could not say is among the reasons', () => {
    const dated = toOutputSchema(z.object({ at: z.date(), name: z.string() }));
    expect(prepare({ output: dated }).resolved?.why.join(' ')).toContain('/properties/at (date) cannot be expressed');
  });

  it('refuses tools on an endpoint that takes none, a tool with the exit tool’s name, and a choice that cannot be honoured', () => {
    const toolless = { ...limited, nativeTools: 'no' } as const;
    expect(() => prepare({ tools: [tool], capabilities: toolless })).toThrowError(refused('E_UNSUPPORTED_TOOLS'));
    expect(() => prepareRequest({ tools: [tool], capabilities: toolless, ids: sequentialIds() })).toThrowError(
      refused('E_UNSUPPORTED_TOOLS'),
    );
    expect(() => prepare({ tools: [{ ...tool, name: 'respond' }] })).toThrowError(refused('E_CONFIGURATION'));
    expect(() => prepare({ choice: 'native' })).toThrowError(refused('E_UNSUPPORTED_TRANSPORT'));
  });
});

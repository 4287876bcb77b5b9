import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, describeTool } from './define-tool.ts';

const config = { name: 'clock', description: 'Tells the time.', input: z.object({ zone: z.string() }) };
const context = { signal: new AbortController().signal };

describe('defineTool', () => {
  it('[sig-D1] keeps name, description and the input schema', () => {
    const tool = defineTool({ ...config, execute: () => 'noon' });
    expect(tool).toMatchObject({ name: 'clock', description: 'Tells the time.' });
    expect(describeTool(tool).jsonSchema).toMatchObject({ type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] });
  });

  it('[sig-D2] the input schema takes what conforms and refuses what does not', () => {
    const { inputSchema } = defineTool({ ...config, execute: () => 'noon' });
    expect(inputSchema.validate({ zone: 'UTC' }).ok).toBe(true);
    expect(inputSchema.validate({ zone: 5 })).toMatchObject({ ok: false, issues: [{ path: '/zone' }] });
  });

  it('[sig-D3] execute may answer at once or later', async () => {
    expect(defineTool({ ...config, execute: ({ zone }) => `noon in ${zone}` }).execute({ zone: 'UTC' }, context)).toBe('noon in UTC');
    const later = defineTool({ ...config, execute: async ({ zone }) => `noon in ${zone}` }).execute({ zone: 'UTC' }, context);
    expect(await later).toBe('noon in UTC');
  });

  it.each(['', 'two words', 'x'.repeat(65), 'é'])('a name that wires refuse is a mistake of the caller: %j', (name) => {
    expect(() => defineTool({ ...config, name, execute: () => '' })).toThrow('no name for a tool');
  });
});

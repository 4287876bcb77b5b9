import type { StepRequest, StepResult } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toOutputSchema } from '../src/index.ts';
import { longestWhiteSpace } from '../src/step/white-space.ts';
import { bench, drain } from './support/clients.ts';
import type { Turn } from './support/stub-server.ts';

const berth = toOutputSchema(z.strictObject({ pier: z.number(), note: z.string().optional() }));
const asked: StepRequest = { messages: [{ role: 'user', content: 'Where?' }], output: { accept: berth } };
const loop = '\n '.repeat(4_000);

async function streamed(turn: Turn, request: StepRequest = asked): Promise<{ result: StepResult; chars: number; open: number }> {
  const { client, server } = bench([{ pieceChars: 16, ...turn }]);
  const events = await drain(client.stepStream(request));
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error(`the last event is ${last?.type}`);
  const texts = events.map((event) => (event.type === 'text' ? event.text : event.type === 'tool_call_delta' ? event.argsText : ''));
  return { result: last.result, chars: texts.join('').length, open: server.openBodies() };
}

describe('an answer that goes on in white space', () => {
  it('[path-C9] is ended early, its body released, and its failure says so', async () => {
    // The provider would never end it.
    const { result, chars, open } = await streamed({ content: `{"pier":7${loop}`, end: 'open' });
    expect(result).toMatchObject({
      finishReason: 'length',
      outcome: {
        kind: 'failed',
        truncated: true,
        failure: { kind: 'truncated', evidence: { note: 'whitespace_loop', salvaged: { pier: 7 } } },
      },
    });
    expect(chars).toBeLessThan(longestWhiteSpace + 64);
    expect(open).toBe(0);
  });

  it('[path-C9] is truncated too where it came whole, up to the provider’s limit', async () => {
    const { client } = bench([{ content: `{"pier":7${loop}`, finish: 'length' }]);
    const { outcome } = await client.step(asked);
    expect(outcome).toMatchObject({ kind: 'failed', truncated: true, failure: { kind: 'truncated', evidence: { salvaged: { pier: 7 } } } });
  });

  it.each(['stop', 'length'])('[path-C9] is the value where that is complete, streamed and whole, finish %s', async (finish) => {
    const turn = { content: `{"pier":7}${loop}`, finish };
    const { result, chars } = await streamed(turn);
    expect(result.outcome).toMatchObject({ kind: 'output', value: { pier: 7 } });
    expect(chars).toBeLessThan(longestWhiteSpace + 64);
    expect((await bench([turn]).client.step(asked)).outcome).toMatchObject({ kind: 'output', value: { pier: 7 } });
  });

  it('[path-C9] ends a call’s arguments, and the call is cut', async () => {
    const tool = { name: 'dock', description: 'Docks.', jsonSchema: { type: 'object' } };
    const { result, open } = await streamed(
      { calls: [{ id: 'c1', name: 'dock', args: `{"pier":${loop}` }], end: 'open' },
      { messages: asked.messages, tools: [tool] },
    );
    expect(result.outcome).toMatchObject({ kind: 'failed', truncated: true, failure: { evidence: { note: 'whitespace_loop' } } });
    expect(open).toBe(0);
  });

  it('[path-C9] leaves white space in a string, in free text, and up to the bound alone', async () => {
    const note = ' '.repeat(2_000);
    const inString = await streamed({ content: JSON.stringify({ pier: 7, note }) });
    expect(inString.result.outcome).toMatchObject({ kind: 'output', value: { pier: 7, note } });
    const free = await streamed({ content: `one${loop}two` }, { messages: asked.messages });
    expect(free.result).toMatchObject({ finishReason: 'stop', content: `one${loop}two` });
    const indented = await streamed({ content: `{"pier":${' '.repeat(longestWhiteSpace)}7}`, pieceChars: 1 });
    expect(indented.result.outcome).toMatchObject({ kind: 'output', value: { pier: 7 } });
    const longer = await streamed({ content: `{"pier":${' '.repeat(longestWhiteSpace + 1)}7}`, pieceChars: 1 });
    expect(longer.result.outcome).toMatchObject({ kind: 'failed' });
  });
});

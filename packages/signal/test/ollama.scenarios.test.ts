import type { ThinkingBlock } from '@vouch/contracts';
import { type LabContent, scripted, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSignal } from '../src/index.ts';
import { OllamaThinkingHandler } from '../src/reasoning/ollama.ts';
import { drain } from './support/clients.ts';

const messages = [{ role: 'user', content: 'Where?' }] as const;
const thought = 'Low tide. é 🚀\n';
const block = (content: string): ThinkingBlock => ({ type: 'thinking', content });

/** A client of a server that gives this, and the bodies of its answers. */
async function open(said: LabContent) {
  const lab = await startLab({ model: scripted(() => said) });
  onTestFinished(() => lab.close());
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (...args) => {
    const response = await globalThis.fetch(...args);
    const body = await response.text();
    bodies.push(body);
    return new Response(body, response);
  };
  const client = createSignal({ baseUrl: lab.origin, adapter: 'ollama', model: 'q', fetch }).options({ thinking: { mode: 'adaptive' } });
  return { client, bodies };
}

/** A whole answer: what the client gives, and what the handler makes of the provider's own data. */
async function whole(said: LabContent) {
  const { client, bodies } = await open(said);
  const result = await client.step({ messages });
  const provided = JSON.parse(bodies[0] ?? '') as { readonly message: { readonly content: string } };
  return { result, provided, handled: OllamaThinkingHandler.normalize(provided) };
}

/** A streamed answer: its pieces in order, what the handler makes of each chunk, and the end. */
async function streamed(said: LabContent) {
  const { client } = await open(said);
  const events = await drain(client.stepStream({ messages, providerChunks: true }));
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error('no done');
  const deltas = events.flatMap((event) =>
    event.type === 'provider_chunk' ? (OllamaThinkingHandler.parseChunk?.(event.chunk)?.thinkingDelta ?? []) : [],
  );
  const pieces = (type: 'text' | 'reasoning'): readonly string[] => events.flatMap((event) => (event.type === type ? event.text : []));
  return { result: last.result, deltas, reasoning: pieces('reasoning'), text: pieces('text') };
}

describe('thinking of the /api/chat wire, from the server to the history', () => {
  it('[fp-D9] a reply with its own field of thinking: one block', async () => {
    const { result, handled } = await whole({ thinking: [{ text: thought }], text: 'Pier 7.' });
    expect(result.thinking).toEqual([block(thought)]);
    expect(handled).toEqual([block(thought)]);
    expect(result.content).toBe('Pier 7.');
  });

  it('[fp-D10] tags in the content: the provider’s data is as it came, the answer and the thinking are told apart', async () => {
    const { result, handled, provided } = await whole({ text: '<think>Low tide.</think>\n\nPier 7.' });
    expect(provided.message.content).toBe('<think>Low tide.</think>\n\nPier 7.');
    expect(handled).toEqual([block('Low tide.')]);
    expect(result.thinking).toEqual([block('Low tide.')]);
    expect(result.content).toBe('Pier 7.');
  });

  it('[fp-D11] both: the field wins for a handler, and no tag stays in the answer', async () => {
    const { result, handled } = await whole({ thinking: [{ text: 'Low.' }], text: '<think>High.</think>Pier 7.' });
    expect(handled).toEqual([block('Low.')]);
    expect(result.thinking[0]?.content).toMatch(/^Low\./);
    expect(result.content).toBe('Pier 7.');
  });

  it('[fp-D12] a plain answer: no thinking, and nothing to send back', async () => {
    const { result, handled } = await whole({ text: 'Pier 7.' });
    expect([result.thinking, handled]).toEqual([[], []]);
    expect(result.parts.filter(({ type }) => type === 'carry' || type === 'thinking-delta')).toEqual([]);
  });

  it('[fp-D13] [TH-010] streamed thinking comes as it grows, the same as the handler reads, and is whole in the end', async () => {
    const { result, deltas, reasoning } = await streamed({ thinking: [{ text: thought }], text: 'Pier 7.' });
    expect(reasoning.length).toBeGreaterThan(1);
    expect(deltas).toEqual(reasoning);
    expect(reasoning.join('')).toBe(thought);
    expect(result.thinking).toEqual([block(thought)]);
    expect(result.content).toBe('Pier 7.');
  });

  it.each([{ thinking: [{ text: thought }], text: 'Pier 7.' }, { text: `<think>${thought}</think>Pier 7.` }])(
    '[fp-D14] reasoning is never in the text of the answer: %j',
    async (said) => {
      const { result, text, reasoning } = await streamed(said);
      expect(text.join('')).toBe('Pier 7.');
      expect(result.content).toBe('Pier 7.');
      expect(reasoning.join('').trim()).toBe(thought.trim());
    },
  );
});

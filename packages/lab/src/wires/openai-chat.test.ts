import type { JsonObject } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { completeAnswer, type LabContent } from '../answer.ts';
import type { LabChatRequest } from '../chat-request.ts';
import { seededRandom } from '../random.ts';
import { completion, completionChunks, openaiChat } from './openai-chat.ts';
import { readChatRequest } from './openai-chat-request.ts';
import type { Frame } from './wire.ts';

function requestOf(body: object = {}): LabChatRequest {
  const result = readChatRequest(
    JSON.parse(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Where?' }], ...body })) as JsonObject,
  );
  if ('refusal' in result) throw new Error(result.refusal.message);
  return result.request;
}

const frameOf = (seed: string): Frame => ({
  requestId: 'req_1',
  id: 'c1',
  created: 1,
  model: 'm',
  fingerprint: 'fp',
  random: seededRandom(seed),
});
const streamed = { stream: true, stream_options: { include_usage: true } };

interface Chunk {
  readonly choices: readonly {
    readonly delta: Record<string, unknown>;
    readonly finish_reason: string | null;
    readonly logprobs: unknown;
  }[];
  readonly usage?: Record<string, unknown> | null;
}

function chunksOf(content: LabContent, body: object = streamed, seed = '1'): readonly Chunk[] {
  const frame = frameOf(seed);
  const request = requestOf(body);
  return completionChunks(completeAnswer(content, request, frame.random), request, frame) as unknown as readonly Chunk[];
}

function bodyOf(content: LabContent, body: object = {}): JsonObject {
  const frame = frameOf('1');
  const request = requestOf(body);
  return completion(completeAnswer(content, request, frame.random), request, frame);
}

const call = { name: 'f', arguments: '{"a":"é🚀\\u00e9"}', id: 'call_b7' };

describe('an answer that is not streamed', () => {
  it('[SG-100] has the shape of the wire', () => {
    expect(bodyOf({ text: 'Pier 7.', usage: { inputTokens: 21, outputTokens: 9, reasoningTokens: 4 } })).toEqual({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Pier 7.', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 21,
        completion_tokens: 9,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
      },
      service_tier: 'default',
      system_fingerprint: 'fp',
    });
  });

  it('carries calls, reasoning and refusals, and no usage when it has none', () => {
    expect(bodyOf({ toolCalls: [call], reasoning: 'so', usage: null })).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            reasoning_content: 'so',
            tool_calls: [{ id: 'call_b7', type: 'function', function: { name: 'f', arguments: call.arguments } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
    expect(bodyOf({ usage: null })).not.toHaveProperty('usage');
    expect(bodyOf({ refusal: 'No.' })).toMatchObject({ choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] });
  });

  it('ends a forced call with stop, as the service does', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(bodyOf({ toolCalls: [call] }, { tools, tool_choice: { type: 'function', function: { name: 'f' } } })).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
    });
  });

  it('counts four characters as a token, and cuts at the limit with finish length', () => {
    expect(bodyOf({ text: 'abcdefghi' })).toMatchObject({ usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } });
    expect(bodyOf({ text: 'abcdefghi' }, { max_completion_tokens: 2 })).toMatchObject({
      choices: [{ message: { content: 'abcdefgh' }, finish_reason: 'length' }],
    });
    expect(bodyOf({ text: 'abcdefgh' }, { max_tokens: 2 })).toMatchObject({
      choices: [{ message: { content: 'abcdefgh' }, finish_reason: 'stop' }],
    });
    expect(bodyOf({ toolCalls: [{ ...call, arguments: '{"a":12345}' }] }, { max_tokens: 1 })).toMatchObject({
      choices: [{ finish_reason: 'length' }],
    });
  });

  it('gives log probabilities only when asked', () => {
    const logprobs = [{ token: 'é', logprob: -0.1, top: [{ token: 'é', logprob: -0.1 }] }];
    expect(bodyOf({ text: 'é', logprobs }, { logprobs: true, top_logprobs: 1 })).toMatchObject({
      choices: [
        {
          logprobs: {
            content: [
              { token: 'é', logprob: -0.1, bytes: [0xc3, 0xa9], top_logprobs: [{ token: 'é', logprob: -0.1, bytes: [0xc3, 0xa9] }] },
            ],
            refusal: null,
          },
        },
      ],
    });
    expect(bodyOf({ text: 'é', logprobs })).toMatchObject({ choices: [{ logprobs: null }] });
  });
});

describe('an answer in parts', () => {
  it('[SG-100] says role, content, finish, usage, in this order', () => {
    const chunks = chunksOf({ text: 'Pier 7 is free.' });
    expect(chunks[0]?.choices[0]).toEqual({
      index: 0,
      delta: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: null,
    });
    expect(
      chunks
        .slice(1, -2)
        .map((chunk) => chunk.choices[0]?.delta.content)
        .join(''),
    ).toBe('Pier 7 is free.');
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 2 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it('has no usage field at all when the request did not ask', () => {
    const chunks = chunksOf({ text: 'x' }, { stream: true });
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('[SG-100] says a call as a head and fragments', () => {
    const chunks = chunksOf({ toolCalls: [call, { ...call, id: 'call_c8' }] });
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: null, refusal: null });
    const deltas = chunks.flatMap((chunk) => (chunk.choices[0]?.delta.tool_calls as Record<string, unknown>[] | undefined) ?? []);
    expect(deltas[0]).toEqual({ index: 0, id: 'call_b7', type: 'function', function: { name: 'f', arguments: '' } });
    for (const index of [0, 1]) {
      const own = deltas.filter((delta) => delta.index === index);
      expect(own.filter((delta) => 'id' in delta).length).toBe(1);
      expect(own.map((delta) => (delta.function as { arguments: string }).arguments).join('')).toBe(call.arguments);
    }
  });

  it('[SG-100] cuts at drawn places, also inside an escape and inside a surrogate pair', () => {
    const cuts = new Set<string>();
    for (let seed = 0; seed < 200; seed += 1) {
      const chunks = chunksOf({ toolCalls: [call] }, streamed, String(seed));
      const pieces = chunks
        .flatMap((chunk) => (chunk.choices[0]?.delta.tool_calls as { function: { arguments: string } }[] | undefined) ?? [])
        .map((delta) => delta.function.arguments);
      expect(pieces.join('')).toBe(call.arguments);
      let at = 0;
      for (const piece of pieces.slice(0, -1)) {
        at += piece.length;
        cuts.add(String(at));
      }
    }
    const everyPlace = Array.from({ length: call.arguments.length - 1 }, (_, index) => String(index + 1));
    expect([...cuts].filter((cut) => cut !== '0').sort((left, right) => Number(left) - Number(right))).toEqual(everyPlace);
  });

  it('says a whole stream with [DONE] last', () => {
    const frame = frameOf('1');
    const request = requestOf(streamed);
    const raw = openaiChat.parts(completeAnswer({ text: 'x' }, request, frame.random), request, frame);
    expect(raw.chunks.at(-1)).toBe('data: [DONE]\n\n');
    expect(
      raw.chunks.slice(0, -1).every((chunk) => typeof chunk === 'string' && chunk.startsWith('data: {') && chunk.endsWith('}\n\n')),
    ).toBe(true);
    expect(raw.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  });
});

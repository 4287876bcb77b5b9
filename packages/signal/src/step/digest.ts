import { type Message, type MessagePart, sha256 } from '@vouch/contracts';
import type { ProviderRequest } from '../adapters/adapter.ts';
import { stableJson } from './stable-json.ts';

/**
 * SHA-256 of a request's neutral form (SG-081): what the model is asked, by whom it is answered, and nothing of ids, origins or delivery. So a
 * request has the same digest for `complete` and `stream`, in every process. Made when it is first asked for: it costs more than all else of a call.
 */
export function requestDigest(provider: string, request: ProviderRequest): () => string {
  let digest: string | undefined;
  return () => {
    digest ??= digestOf(provider, request);
    return digest;
  };
}

function digestOf(provider: string, request: ProviderRequest): string {
  const { model, messages, tools, toolChoice, responseFormat, options } = request;
  return sha256(
    stableJson({
      provider,
      model,
      messages: messages.map(neutralMessage),
      tools: tools?.map(({ name, description, jsonSchema }) => ({ name, description, jsonSchema })),
      toolChoice,
      responseFormat,
      options,
    }),
  );
}

function neutralMessage(message: Message): unknown {
  return { role: message.role, parts: message.parts.map(neutralPart) };
}

function neutralPart({ id: _id, origin: _origin, trust: _trust, carry, ...part }: MessagePart): unknown {
  return { ...part, carry: carry?.map(({ shape, data }) => ({ shape, data })) };
}

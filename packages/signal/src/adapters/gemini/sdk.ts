import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { type FetchClient, readClient } from '../response/sdk.ts';
import type { WireClient } from '../wire-adapter.ts';

type Generate = (parameters: unknown) => Promise<unknown>;

/**
 * What a caller's `client` is: an official SDK's instance with `models.generateContent` and `models.generateContentStream`, or `{ fetch }`. Throws a
 * configuration failure when it is neither.
 */
export function readGenerateClient(client: unknown): WireClient {
  const models: unknown = typeof client === 'object' && client !== null ? Reflect.get(client, 'models') : undefined;
  const method = (name: string): unknown => (typeof models === 'object' && models !== null ? Reflect.get(models, name) : undefined);
  const whole = method('generateContent');
  const parts = method('generateContentStream');
  if (typeof whole !== 'function' || typeof parts !== 'function') return readClient(client, ['models']) as FetchClient;
  return {
    async create(body, { signal }, { model, delivery }) {
      const streamed = delivery === 'parts';
      const generate = (streamed ? parts : whole) as Generate;
      const answer = await generate.call(models, sdkParameters(model, body as JsonObject, signal));
      return streamed ? answer : plain(answer);
    },
  };
}

/** The body in the SDK's spelling, in which most of it is one flat `config`. What it does not name goes into the body as it is. A single try. */
function sdkParameters(model: string, body: JsonObject, signal: AbortSignal): object {
  const { contents, generationConfig, systemInstruction, tools, toolConfig, safetySettings, cachedContent, ...extra } = body;
  const named: { [field: string]: JsonValue | undefined } = { systemInstruction, tools, toolConfig, safetySettings, cachedContent };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const config = isJsonObject(generationConfig) ? generationConfig : {};
  const httpOptions = { retryOptions: { attempts: 1 }, ...(Object.keys(extra).length === 0 ? {} : { extraBody: extra }) };
  return { model, contents, config: { ...config, ...given, httpOptions, abortSignal: signal } };
}

/** The SDK's response without the HTTP answer that it hangs onto it. */
function plain(answer: unknown): unknown {
  if (!isJsonObject(answer)) return answer;
  const { sdkHttpResponse: _http, ...rest } = answer as JsonObject;
  return rest;
}

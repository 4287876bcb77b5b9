import type { Capabilities, IdSource } from '@vouch/contracts';
import { sequentialIds } from '@vouch/contracts';
import { manualClock } from '@vouch/contracts/testing';
import { type ClientOptions, type CustomProviderConfig, createSignal, type Signal } from '../../src/index.ts';
import { type Answer, type StubServer, stubServer } from './stub-server.ts';

/** An endpoint with tools and JSON mode, whose arguments are to be trusted: a schema goes by the exit tool. */
export const withTools: Partial<Capabilities> = {
  nativeTools: 'yes',
  nativeJsonMode: 'yes',
  validatesToolArgs: 'no',
  manglesNestedToolArgs: 'no',
};
/** An endpoint with a grammar that goes with tools: a schema goes by the response format. */
export const withGrammar: Partial<Capabilities> = { ...withTools, nativeJsonSchema: 'yes', toolsWithStructuredOutput: 'yes' };
/** An endpoint of which nothing is known but that it takes tools: a schema goes by the prompt. */
export const plain: Partial<Capabilities> = { nativeTools: 'yes' };

export interface Bench {
  readonly server: StubServer;
  readonly client: Signal<string>;
}

/** A client of a scripted endpoint, on a clock that stands still and ids that count. */
export function bench(answers: readonly Answer[], provider: Partial<CustomProviderConfig> = {}, options: ClientOptions = {}): Bench {
  const server = stubServer(...answers);
  const ids: IdSource = sequentialIds();
  const client = createSignal(
    {
      baseUrl: 'https://models.example/v1',
      model: 'model-1',
      apiKey: 'sk-canary-0123456789',
      capabilities: plain,
      fetch: server.fetch,
      ...provider,
    },
    { clock: manualClock(), ids, random: () => 0, ...options },
  );
  return { server, client };
}

/** Everything that an iteration gives. */
export async function drain<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ChatDialect, EndpointDialect } from '@vouch/contracts';
import type { ProviderRequest } from '../adapter.ts';

/** What a fixture expects of the adapter. */
export interface Expectation {
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
  readonly calls: readonly { readonly id?: string; readonly name: string; readonly args: string; readonly complete?: boolean }[];
  readonly finish: string | null;
  readonly providerFinish?: string;
  readonly terminated: boolean;
  readonly usage: object | null;
  readonly logprobs?: readonly unknown[];
  readonly carries?: readonly unknown[];
  readonly fault?: { readonly [field: string]: unknown };
}

/** One recorded exchange. */
export interface Fixture<Dialect extends EndpointDialect = ChatDialect> {
  readonly name: string;
  readonly request: ProviderRequest;
  readonly body: Uint8Array;
  readonly streamed: boolean;
  readonly meta: {
    readonly title: string;
    readonly ids: readonly string[];
    readonly origin: 'documented' | 'constructed';
    readonly date: string;
    readonly source: string;
    readonly status: number;
    readonly headers: { readonly [name: string]: string };
    readonly dialect?: Partial<Dialect>;
  };
  readonly expect: Expectation;
}

/** Every fixture of the chat wire. */
export const readFixtures = (): readonly Fixture[] => readFixturesOf<ChatDialect>('openai-chat');

/** Every fixture of a wire. */
export function readFixturesOf<Dialect extends EndpointDialect>(wire: Dialect['wire']): readonly Fixture<Dialect>[] {
  const root = new URL(`../../../fixtures/${wire}/`, import.meta.url);
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const file = (path: string): URL => new URL(`${name}/${path}`, root);
      const json = (path: string): unknown => JSON.parse(readFileSync(file(path), 'utf8'));
      const bodyFile = ['stream.txt', 'response.json', 'response.txt'].find((path) => existsSync(file(path))) ?? 'response.json';
      return {
        name,
        request: json('request.json') as ProviderRequest,
        body: new Uint8Array(readFileSync(file(bodyFile))),
        streamed: bodyFile === 'stream.txt',
        meta: json('meta.json') as Fixture<Dialect>['meta'],
        expect: json('expect.json') as Expectation,
      };
    });
}

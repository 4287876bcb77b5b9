import type { ChatWireId } from '@vouch/contracts';
import { addressAdvice } from '../report/advice.ts';
import { oneLine } from '../terminal/one-line.ts';
import { UsageError } from '../usage-error.ts';
import { type EndpointTarget, listModels } from './endpoint.ts';

/** How the addresses of a wire end. */
const usualEnds: { readonly [Wire in ChatWireId]: string } = {
  'openai-chat': 'often it ends in /v1',
  'openai-responses': 'often it ends in /v1',
  'anthropic-messages': 'it may end in /v1',
  gemini: 'often it ends in /v1beta',
  ollama: 'often it has no path, and no /v1',
};

type Reach = Omit<EndpointTarget, 'model'>;

/**
 * The model of a server that has one; where there are several, guessing would cost money. `keyVariable`: where the key came from. Throws `UsageError`
 * that says why no model was found.
 */
export async function firstModel(reach: Reach, keyVariable: string | undefined): Promise<string> {
  const { status, ids } = await listed(reach);
  const [only, ...others] = ids ?? [];
  if (only !== undefined && others.length === 0) return only.replace(/^models\//, '');
  if (only !== undefined) throw new UsageError(`the endpoint lists ${others.length + 1} models`, 'name one: --model NAME');
  if (ids !== undefined) throw new UsageError('the endpoint lists no model', 'name one: --model NAME');
  if (status === 401 || status === 403) {
    const advice =
      keyVariable === undefined ? 'name the variable that holds the key: --api-key-env NAME' : `check the key in ${keyVariable}`;
    throw new UsageError(`the endpoint does not list its models without a key that it takes: status ${status}`, advice);
  }
  const came = status >= 200 && status < 300 ? 'what came is no such list' : `status ${status}`;
  const named = status === 404 || came.startsWith('what') ? addressOf(reach) : 'try again later';
  throw new UsageError(`the endpoint does not list its models: ${came}`, `${named}, or name one: --model NAME`);
}

/** Without query. */
function addressOf({ baseUrl, wire }: Pick<Reach, 'baseUrl' | 'wire'>): string {
  const { origin, pathname } = new URL(baseUrl);
  return addressAdvice(`${origin}${pathname.replace(/\/+$/, '')}`, usualEnds[wire]);
}

async function listed(reach: Reach): ReturnType<typeof listModels> {
  try {
    return await listModels(reach);
  } catch (error) {
    if (reach.signal.aborted) throw new UsageError('interrupted before anything was asked');
    throw new UsageError(`the endpoint cannot be reached: ${causeOf(error)}`, `check that it is running; ${addressOf(reach)}`);
  }
}

/** `fetch failed` says nothing: the code below it does. */
function causeOf(error: unknown): string {
  const { cause, name, message } = error as { readonly cause?: unknown; readonly name?: string; readonly message?: string };
  if (name === 'TimeoutError') return 'no answer came within 30 s';
  const { code, message: inner } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return oneLine(typeof code === 'string' ? code : typeof inner === 'string' ? inner : (message ?? 'unknown'), 120);
}

import { configurationError, type ThinkingHandler, type ThinkingShape } from '@vouch/contracts';
import { AnthropicThinkingHandler } from './anthropic.ts';
import { GeminiThinkingHandler } from './gemini.ts';
import { ReasoningContentThinkingHandler } from './handlers/reasoning-content.ts';
import { ReasoningDetailsThinkingHandler } from './handlers/reasoning-details.ts';
import { OllamaThinkingHandler } from './ollama.ts';
import { OpenAIThinkingHandler } from './openai.ts';

export {
  type MockBlock,
  type MockThinking,
  MockThinkingHandler,
  mockSignedThinking,
  mockSummarisedThinking,
} from './handlers/mock.ts';
export { extractInlineThinking } from './ollama.ts';
export {
  AnthropicThinkingHandler,
  GeminiThinkingHandler,
  OllamaThinkingHandler,
  OpenAIThinkingHandler,
  ReasoningContentThinkingHandler,
  ReasoningDetailsThinkingHandler,
};

/** What declares how its thinking is read: a client's `describe()`, a row's dialect, or a provider object with a handler of its own. */
export interface ThinkingProvider {
  /** Wins over the shape. */
  readonly thinkingHandler?: ThinkingHandler;
  readonly thinkingShape?: ThinkingShape;
}

const handlers: ReadonlyMap<unknown, ThinkingHandler> = /* @__PURE__ */ new Map(
  [
    AnthropicThinkingHandler,
    GeminiThinkingHandler,
    OllamaThinkingHandler,
    OpenAIThinkingHandler,
    ReasoningContentThinkingHandler,
    ReasoningDetailsThinkingHandler,
  ].map((handler) => [handler.id, handler]),
);

/**
 * The handler that the provider declares, by reference, else the built-in one of the shape that it declares; undefined when it declares neither. Its
 * name is not asked, so one that was renamed, wrapped or spread has the same (TH-008, TH-012). Throws `E_CONFIGURATION` for a declaration that is none.
 */
export function thinkingHandlerFor(provider: ThinkingProvider): ThinkingHandler | undefined {
  const { thinkingHandler, thinkingShape } = provider;
  if (thinkingHandler !== undefined) return checkedHandler(thinkingHandler);
  if (thinkingShape === undefined) return undefined;
  const handler = handlers.get(thinkingShape);
  if (handler !== undefined) return handler;
  const known = [...handlers.keys()].join(', ');
  throw configurationError('E_CONFIGURATION', `There is no thinking shape "${String(thinkingShape).slice(0, 100)}". Known: ${known}.`);
}

function checkedHandler(handler: ThinkingHandler): ThinkingHandler {
  const given = handler as unknown as { readonly [field: string]: unknown } | null;
  const refuse = (what: string): never => {
    throw configurationError('E_CONFIGURATION', `thinkingHandler must be { id, normalize, parseChunk? }, and ${what}.`);
  };
  if (typeof given !== 'object' || given === null) return refuse('this one is no object');
  const { id, normalize, parseChunk } = given;
  if (typeof id !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) return refuse('id must be lowercase, its words parted by dashes');
  if (typeof normalize !== 'function') return refuse('normalize must be a function');
  if (parseChunk !== undefined && typeof parseChunk !== 'function') return refuse('parseChunk must be a function or left out');
  return handler;
}

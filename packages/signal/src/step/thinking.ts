import { configurationError, type ModelFacts, type SignalOptions, type ToolChoice, UnsupportedThinkingError } from '@vouch/contracts';
import type { ResolvedThinking } from '../adapters/adapter.ts';

/** What a request for thinking is judged by. */
export interface ThinkingRequest {
  readonly provider: string;
  readonly model: string;
  readonly options: SignalOptions;
  readonly facts: ModelFacts | undefined;
  readonly toolChoice: ToolChoice | undefined;
}

/**
 * Thinking as it goes to the adapter; undefined when nothing was asked. The mode is the caller's, else that of the model's row: never guessed from a
 * name (TH-006). Throws `UnsupportedThinkingError` before anything is sent: the model does not think or its mode is not known (`no-thinking`), a
 * budget is needed and missing, or is not below the output limit (`budget`), a temperature other than 1 beside it (`temperature`), or a forced call
 * within a budget (`forced-tool-choice`) (TH-016).
 */
export function resolveThinking(request: ThinkingRequest): ResolvedThinking | undefined {
  const { provider, model, options, facts, toolChoice } = request;
  const { thinking, temperature, maxOutputTokens } = options;
  if (thinking === undefined) return undefined;
  const refuse = (reason: UnsupportedThinkingError['reason'], message?: string): never => {
    throw new UnsupportedThinkingError({ provider, model, reason, ...(message === undefined ? {} : { message }) });
  };
  if (thinking === false) return facts?.alwaysThinks === true ? refuse('no-thinking') : { mode: 'off' };
  if (thinking.budget !== undefined && thinking.effort !== undefined)
    throw configurationError('E_CONFIGURATION', 'thinking has a budget and an effort. Give one of them.');
  const mode = thinking.mode ?? facts?.thinking ?? 'none';
  if (mode === 'none')
    return refuse('no-thinking', thinking.mode === undefined && facts?.thinking === undefined ? unknownModeMessage(model) : undefined);
  if (temperature !== undefined && temperature !== 1) refuse('temperature');
  if (mode === 'adaptive') return { mode, ...(thinking.effort === undefined ? {} : { effort: thinking.effort }) };
  if (thinking.budget === undefined)
    return refuse('budget', `thinking: "${model}" needs a budget, in tokens: { mode: 'budget', budget: 2000 }.`);
  if (maxOutputTokens !== undefined && thinking.budget >= maxOutputTokens) {
    const { budget } = thinking;
    refuse('budget', `thinking: its budget (${budget}) must be below maxOutputTokens (${maxOutputTokens}), of which it is a part.`);
  }
  if (toolChoice === 'required' || typeof toolChoice === 'object') refuse('forced-tool-choice');
  return { mode, budget: thinking.budget };
}

const unknownModeMessage = (model: string): string =>
  `thinking: nothing is known of "${model}" at this endpoint. Say how it thinks: { mode: 'budget', budget: 2000 } or { mode: 'adaptive' }.`;

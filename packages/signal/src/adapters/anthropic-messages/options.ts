import { configurationError, type JsonObject, type MessagesDialect, UnsupportedThinkingError } from '@vouch/contracts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';

/** The least budget of thinking that the wire takes, in tokens. */
const leastBudget = 1_024;
/** The least `top_p` beside thinking. */
const leastTopPWithThinking = 0.95;
const wireEfforts: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const refuse = (what: string): never => {
  throw configurationError('E_CONFIGURATION', `${what} Leave it out, or choose another model or endpoint.`);
};

/** Refuses what the wire or the model does not have. */
export function refuseOptions({ options = {}, facts, model, tools = [], toolChoice, thinking }: ProviderRequest): void {
  if (options.seed !== undefined) refuse('seed: the Messages wire has no field for a seed.');
  // Without tools the choice is not sent.
  if (facts?.forcedToolChoice === 'no' && tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object'))
    refuse(`toolChoice: ${model} cannot be made to call a tool.`);
  const { temperature, topP } = options;
  if (temperature !== undefined && temperature > 1) refuse('temperature: the Messages wire takes 0 to 1.');
  const thinks = thinking?.mode === 'adaptive' || thinking?.mode === 'budget';
  if (thinks && topP !== undefined && topP < leastTopPWithThinking) refuse(`topP: beside thinking at least ${leastTopPWithThinking}.`);
  if (facts?.samplingParameters !== 'no') return;
  if (temperature !== undefined) refuse(`temperature: ${model} takes no sampling parameters.`);
  if (topP !== undefined) refuse(`topP: ${model} takes no sampling parameters.`);
}

/**
 * The output limit, which the wire requires and which includes thinking: the caller's, else the model's, else the dialect's, that one beside the
 * budget of thinking.
 */
export function outputLimit({ options, facts, thinking }: ProviderRequest, { defaultMaxOutputTokens }: MessagesDialect): number {
  const budget = thinking?.mode === 'budget' ? thinking.budget : 0;
  return options?.maxOutputTokens ?? facts?.maxOutputTokens ?? budget + defaultMaxOutputTokens;
}

const isBudget = (tokens: number, limit: number): boolean => Number.isSafeInteger(tokens) && tokens >= leastBudget && tokens < limit;

/** `thinking` and the effort, as asked for. */
export function thinkingFields(
  request: ProviderRequest,
  endpoint: Pick<WireEndpoint<'anthropic-messages'>, 'dialect' | 'provider'>,
): JsonObject {
  const { thinking, options, model } = request;
  const { dialect, provider } = endpoint;
  const asked = thinking?.mode === 'adaptive' ? thinking.effort : undefined;
  if (asked !== undefined && options?.reasoningEffort !== undefined && asked !== options.reasoningEffort)
    throw configurationError('E_CONFIGURATION', 'thinking.effort and reasoningEffort differ. Give one of them.');
  const effort = asked ?? options?.reasoningEffort;
  if (effort !== undefined) checkEffort(effort, request, dialect);
  if (thinking?.mode === 'budget' && !isBudget(thinking.budget, outputLimit(request, dialect)))
    throw new UnsupportedThinkingError({ provider, model, reason: 'budget' });
  return {
    ...thinkingField(thinking, dialect),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

function thinkingField(thinking: ProviderRequest['thinking'], { adaptiveThinking, thinkingDisplay }: MessagesDialect): JsonObject {
  if (thinking === undefined) return {};
  if (thinking.mode === 'off') return { thinking: { type: 'disabled' } };
  const display: JsonObject = thinkingDisplay === undefined ? {} : { display: thinkingDisplay };
  if (thinking.mode === 'adaptive') return { thinking: { type: adaptiveThinking, ...display } };
  return { thinking: { type: 'enabled', budget_tokens: thinking.budget, ...display } };
}

function checkEffort(effort: string, { facts, model }: ProviderRequest, { effortField }: MessagesDialect): void {
  const takes = facts?.reasoningEfforts ?? wireEfforts;
  if (effortField !== 'none' && takes.some((one) => one === effort)) return;
  const why =
    effortField === 'none'
      ? 'this endpoint has no field for it'
      : `${model} takes ${takes.length === 0 ? 'no effort' : `the efforts ${takes.join(', ')}`}`;
  throw configurationError('E_CONFIGURATION', `The effort "${effort.slice(0, 40)}" cannot be asked for: ${why}.`);
}

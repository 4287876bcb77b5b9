import { configurationError, type GenerateContentDialect, type JsonObject, UnsupportedThinkingError } from '@vouch/contracts';
import type { ProviderRequest, WireEndpoint } from '../adapter.ts';

type Endpoint = Pick<WireEndpoint<'gemini'>, 'dialect' | 'provider'>;

/** The wire's levels, by the efforts that ask for them. */
const levels: { readonly [effort: string]: string } = { minimal: 'MINIMAL', low: 'LOW', medium: 'MEDIUM', high: 'HIGH' };

/**
 * The `thinkingConfig` of a request; undefined when nothing was asked. A budget and a level exclude each other. Thinking is turned off by a budget of 0,
 * which models with levels do not take: for those it is refused, unless the model's row lists the effort `none`.
 */
export function thinkingConfig(request: ProviderRequest, endpoint: Endpoint): JsonObject | undefined {
  const { thinking, options, facts, model } = request;
  const asked = thinking?.mode === 'adaptive' ? thinking.effort : undefined;
  const effort = asked ?? options?.reasoningEffort;
  if (asked !== undefined && options?.reasoningEffort !== undefined && asked !== options.reasoningEffort)
    throw configurationError('E_CONFIGURATION', 'thinking.effort and reasoningEffort differ. Give one of them.');
  if (thinking?.mode === 'off' || (thinking === undefined && effort === 'none')) {
    if (thinking?.mode === 'off' && effort !== undefined && effort !== 'none')
      throw configurationError('E_CONFIGURATION', 'thinking is off and reasoningEffort asks for it. Give one of them.');
    return off(request, endpoint);
  }
  if (thinking?.mode === 'budget') {
    if (effort !== undefined)
      throw configurationError('E_CONFIGURATION', 'A budget of thinking and reasoningEffort exclude each other. Give one of them.');
    return { includeThoughts: true, thinkingBudget: thinking.budget };
  }
  if (thinking === undefined && effort === undefined) return undefined;
  return {
    ...(thinking === undefined ? {} : { includeThoughts: true }),
    ...(effort === undefined ? {} : { thinkingLevel: level(effort, facts, model, endpoint.dialect) }),
  };
}

function off({ facts, model }: ProviderRequest, { provider }: Endpoint): JsonObject | undefined {
  if (facts?.thinking === 'none') return undefined;
  const takesNone = facts?.reasoningEfforts?.includes('none') ?? false;
  const always = facts?.alwaysThinks === true || (facts?.thinking === 'adaptive' && !takesNone);
  if (always) throw new UnsupportedThinkingError({ provider, model, reason: 'no-thinking' });
  return { thinkingBudget: 0 };
}

function level(effort: string, facts: ProviderRequest['facts'], model: string, dialect: GenerateContentDialect): string {
  const known = facts?.reasoningEfforts;
  const word = Object.hasOwn(levels, effort) ? levels[effort] : undefined;
  if (word !== undefined && dialect.effortField !== 'none' && (known === undefined || known.some((one) => one === effort))) return word;
  const list = (known ?? Object.keys(levels)).join(', ');
  throw configurationError(
    'E_CONFIGURATION',
    `The effort "${effort.slice(0, 40)}" cannot be asked for: ${
      dialect.effortField === 'none'
        ? 'this endpoint has no field for it'
        : `${model} takes ${list === '' ? 'no effort' : `the efforts ${list}`}`
    }.`,
  );
}

import { isJsonObject, type JsonObject, type JsonValue } from '@vouch/contracts';
import { refuse } from '../refusal.ts';
import type { WireRefusal } from '../wire.ts';

const leastBudget = 1_024;
const leastTopPWithThinking = 0.95;
const efforts: readonly JsonValue[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const thinkingFields: Readonly<Record<string, readonly string[]>> = {
  enabled: ['type', 'budget_tokens', 'display'],
  adaptive: ['type', 'display'],
  between_tools: ['type'],
  disabled: ['type'],
};

const fault = (message: string): WireRefusal => refuse(message).refusal;

/** Why a plain field of a request is refused. */
export function scalarFault(body: JsonObject): WireRefusal | undefined {
  const { model, max_tokens: limit, stream, stop_sequences: stops, output_config: config } = body;
  if (model === undefined) return fault('model: Field required');
  if (typeof model !== 'string') return fault('model: Input should be a valid string');
  if (model === '') return fault('model: String should have at least 1 character');
  if (limit === undefined) return fault('max_tokens: Field required');
  if (!Number.isInteger(limit)) return fault('max_tokens: Input should be a valid integer');
  if (Number(limit) < 1) return fault('max_tokens: Input should be greater than or equal to 1');
  if (stream !== undefined && typeof stream !== 'boolean') return fault('stream: Input should be a valid boolean');
  if (stops !== undefined && !(Array.isArray(stops) && stops.every((one) => typeof one === 'string')))
    return fault('stop_sequences: Input should be a valid list');
  if (config !== undefined && !isJsonObject(config)) return fault('output_config: Input should be a valid dictionary');
  const effort = isJsonObject(config) ? config.effort : undefined;
  if (effort !== undefined && effort !== null && !efforts.includes(effort))
    return fault("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
  return numberFault(body, 'temperature') ?? numberFault(body, 'top_p');
}

function numberFault(body: JsonObject, name: string): WireRefusal | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number') return fault(`${name}: Input should be a valid number`);
  if (value > 1) return fault(`${name}: Input should be less than or equal to 1`);
  return value < 0 ? fault(`${name}: Input should be greater than or equal to 0`) : undefined;
}

/** Why thinking is refused as asked for: in itself, or beside what else is asked. */
export function thinkingFault(body: JsonObject): WireRefusal | undefined {
  const { thinking, temperature, top_p: topP, top_k: topK, tool_choice: choice } = body;
  if (thinking === undefined) return undefined;
  if (!isJsonObject(thinking)) return fault('thinking: Input should be a valid dictionary or object to extract fields from');
  const type = String(thinking.type);
  const allowed = Object.hasOwn(thinkingFields, type) ? thinkingFields[type] : undefined;
  if (allowed === undefined) {
    const tags = Object.keys(thinkingFields).map((tag) => `'${tag}'`);
    return fault(`thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(', ')}`);
  }
  const extra = Object.keys(thinking).find((name) => !allowed.includes(name));
  if (extra !== undefined) return fault(`thinking.${type}.${extra}: Extra inputs are not permitted`);
  if (thinking.display !== undefined && thinking.display !== 'summarized' && thinking.display !== 'omitted')
    return fault(`thinking.${type}.display: Input should be 'summarized' or 'omitted'`);
  if (type === 'disabled') return undefined;
  if (temperature !== undefined && temperature !== 1) return fault('`temperature` may only be set to 1 when thinking is enabled.');
  if (topK !== undefined) return fault('`top_k` must be unset when thinking is enabled.');
  if (typeof topP === 'number' && topP < leastTopPWithThinking)
    return fault('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  if (type !== 'enabled') return undefined;
  const { budget_tokens: budget } = thinking;
  if (budget === undefined) return fault('thinking.enabled.budget_tokens: Field required');
  if (!Number.isInteger(budget)) return fault('thinking.enabled.budget_tokens: Input should be a valid integer');
  if (Number(budget) < leastBudget) return fault('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (Number(budget) >= Number(body.max_tokens)) return fault('`max_tokens` must be greater than `thinking.budget_tokens`.');
  const forces = isJsonObject(choice) && (choice.type === 'any' || choice.type === 'tool');
  return forces ? fault('Thinking may not be enabled when tool_choice forces tool use.') : undefined;
}

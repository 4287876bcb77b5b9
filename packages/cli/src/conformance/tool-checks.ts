import type { SignalOptions, StepRequest, StepResult, ToolDescriptor } from '@vouch/contracts';
import { createGateMaker } from '../schema/json-schema-gate.ts';
import {
  answerBound,
  askFor,
  type Check,
  type CheckedEndpoint,
  type Delivery,
  differs,
  type Finding,
  holds,
  noVerdict,
  reached,
  unsound,
  type WireCall,
  wireCalls,
} from './check.ts';

const stock: ToolDescriptor = {
  name: 'read_stock',
  description: 'Reads how many pieces of an article the store holds.',
  jsonSchema: {
    type: 'object',
    properties: { article: { type: 'string' }, shelf: { type: 'integer' } },
    required: ['article', 'shelf'],
    additionalProperties: false,
  },
};

const weather: ToolDescriptor = {
  name: 'read_weather',
  description: 'Reads the weather of a town.',
  jsonSchema: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'], additionalProperties: false },
};

const tools = [stock, weather];
const makeGate = createGateMaker();
const gates = new Map(tools.map((tool) => [tool.name, makeGate(tool.jsonSchema)]));

const oneCall = 'How many pieces of the article "anvil" are on shelf 7? Use the tool read_stock.';
const twoCalls = 'Call read_stock twice in one turn: for the article "anvil" on shelf 7, and for the article "bellows" on shelf 9.';

/** What is wrong with a call as the wire carried it; undefined when nothing is. */
function callFault({ name, text }: WireCall): string | undefined {
  const gate = gates.get(name ?? '');
  if (gate === undefined) return 'a call names no declared tool';
  try {
    const validation = gate.validate(JSON.parse(text === '' ? '{}' : text));
    return validation.ok
      ? undefined
      : `arguments: ${validation.issues
          .slice(0, 2)
          .map(({ path, expected }) => `${path || '(root)'} is not ${expected}`)
          .join('; ')}`;
  } catch {
    return 'the arguments are not JSON';
  }
}

/** Why the turn carries no sound call; undefined when it does. */
function callsFinding(result: StepResult, isForced: boolean): Finding | undefined {
  const calls = wireCalls(result);
  if (calls.length === 0) {
    if (result.outcome?.kind === 'tool_calls') return differs('the call came as text, not as a call of the wire');
    return isForced ? differs('a call was demanded, and none came') : (unsound(result) ?? noVerdict('the model called no tool'));
  }
  const fault = calls.map(callFault).find((one) => one !== undefined);
  if (fault !== undefined) return differs(fault);
  const expected = isForced ? ['tool_calls', 'stop'] : ['tool_calls'];
  return expected.includes(result.finishReason) ? undefined : differs(`finish ${result.finishReason} beside a call`);
}

const callChecks = (['whole', 'stream'] as const).map(
  (delivery: Delivery): Check => ({
    id: `tool-call-${delivery}`,
    asks: `a question that a declared tool answers, ${delivery}`,
    expects: 'a call with conforming arguments, finish tool_calls',
    calls: 1,
    tokens: 350,
    async run(endpoint) {
      const result = await endpoint.ask(askFor(oneCall, { tools }), delivery);
      return callsFinding(result, false) ?? holds(`${wireCalls(result).length} call, arguments conform`);
    },
  }),
);

const parallel: Check = {
  id: 'tool-parallel',
  asks: 'two calls in one streamed turn',
  expects: 'two calls, each with an id of its own and arguments of its own',
  calls: 1,
  tokens: 400,
  async run(endpoint) {
    const result = await endpoint.ask(askFor(twoCalls, { tools }), 'stream');
    const finding = callsFinding(result, false);
    if (finding !== undefined) return finding;
    const calls = wireCalls(result);
    if (calls.length < 2) return noVerdict('the model made one call only');
    const ids = new Set(calls.map(({ id }) => id));
    return ids.size === calls.length ? holds(`${calls.length} calls`) : differs(`${calls.length} calls share ${ids.size} ids`);
  },
};

const forced = (['required', 'named'] as const).map(
  (kind): Check => ({
    id: `tool-${kind}`,
    asks: kind === 'required' ? 'any call, by the tool choice "required"' : 'a call of one of two tools, by its name in the tool choice',
    expects: 'the call that the choice demands',
    calls: 1,
    tokens: 350,
    async run(endpoint) {
      const choice: StepRequest['toolChoice'] = kind === 'required' ? 'required' : { name: weather.name };
      const result = await endpoint.ask(askFor('Town: Oslo\nArticle: anvil\nShelf: 7', { tools, toolChoice: choice }), 'whole');
      const finding = callsFinding(result, true);
      if (finding !== undefined) return finding;
      const names = wireCalls(result).map(({ name }) => name);
      if (kind === 'named' && names.some((name) => name !== weather.name)) return differs('another tool was called than the one demanded');
      return holds('the demanded call came');
    },
  }),
);

const none: Check = {
  id: 'tool-none',
  asks: 'no call, by the tool choice "none", though the question wants one',
  expects: 'an answer without calls',
  calls: 1,
  tokens: 400,
  async run(endpoint) {
    const result = await endpoint.ask(askFor(oneCall, { tools, toolChoice: 'none' }), 'whole');
    return wireCalls(result).length > 0 ? differs('a call came all the same') : holds('no call came');
  },
};

const stockNumber = '4711';

/** A call, its result, and the answer to it. */
async function roundTrip(
  endpoint: CheckedEndpoint,
  options: SignalOptions,
): Promise<{ readonly finding: Finding } | { readonly first: StepResult; readonly second: StepResult }> {
  const request = askFor(oneCall, { tools }, options);
  const first = await endpoint.ask(request, 'whole');
  const finding = callsFinding(first, false);
  if (finding !== undefined) return { finding };
  const messages = [...request.messages, ...endpoint.withResults(first, `Pieces: ${stockNumber}`)];
  return { first, second: await endpoint.ask({ ...request, messages }, 'whole') };
}

const toolResult: Check = {
  id: 'tool-result',
  asks: "the answer to a tool's result that goes back",
  expects: 'the result taken, and its number in the answer',
  calls: 2,
  tokens: 800,
  async run(endpoint) {
    const turns = await roundTrip(endpoint, {});
    if ('finding' in turns) return turns.finding;
    const { first, second } = turns;
    if (wireCalls(second).length > 0) return noVerdict('the model called a tool again');
    return unsound(second) ?? reached("the tool's result", second.content.replace(/\D/g, '').includes(stockNumber), second, first);
  },
};

/** How thinking is asked for on an endpoint that nobody described: within a budget where the wire has one. */
function thinkingOn({ wire }: Pick<CheckedEndpoint, 'wire'>): SignalOptions {
  const budget = 1_024;
  if (wire === 'anthropic-messages' || wire === 'gemini') {
    return { thinking: { mode: 'budget', budget }, maxOutputTokens: budget + answerBound };
  }
  if (wire === 'openai-chat') return { reasoningEffort: 'low', maxOutputTokens: budget + answerBound };
  // Such wires know no mode without an effort.
  return { thinking: { mode: 'adaptive', effort: 'low' }, maxOutputTokens: budget + answerBound };
}

function thoughtOf({ thinking, usage, parts }: StepResult): string | undefined {
  const tokens = usage.reported ? (usage.reasoning ?? 0) : 0;
  const isCarried = parts.some((part) => part.type === 'carry' || part.type === 'thinking-block');
  if (thinking.length > 0) return `${thinking.length} ${thinking.length === 1 ? 'piece' : 'pieces'} of thinking`;
  if (tokens > 0) return `${tokens} tokens of thinking, not shown`;
  return isCarried ? 'thinking in sealed form' : undefined;
}

const thinking: Check = {
  id: 'thinking',
  asks: 'thinking on',
  expects: 'thinking beside the answer, shown, sealed or counted, and not inside its text',
  calls: 1,
  tokens: 900,
  async run(endpoint) {
    const result = await endpoint.ask(askFor('What is 17 times 23? Answer with the number.', {}, thinkingOn(endpoint)), 'whole');
    const finding = unsound(result);
    if (finding !== undefined) return finding;
    if (/<\/?think(?:ing)?>/.test(result.content)) return differs('the thinking stands inside the text');
    const thought = thoughtOf(result);
    return thought === undefined ? noVerdict('no thinking came; the model may have none') : holds(thought);
  },
};

const custody: Check = {
  id: 'thinking-custody',
  asks: 'thinking on, a call, and its result with the thinking sent back as it came',
  expects: 'the thinking taken back, none of it held back',
  calls: 2,
  tokens: 1_600,
  async run(endpoint) {
    const turns = await roundTrip(endpoint, thinkingOn(endpoint));
    if ('finding' in turns) return turns.finding;
    const thought = thoughtOf(turns.first);
    if (thought === undefined) return noVerdict('no thinking came before the call; the model may have none');
    const { withheld } = turns.second;
    if (withheld.length > 0) return differs(`${withheld.length} held back: ${withheld[0]?.reason}`);
    const taken = unsound(turns.second);
    return taken?.outcome === 'differs' ? taken : holds(`${thought}; taken back`);
  },
};

/** Calls, their results, and thinking beside them. */
export const toolChecks: readonly Check[] = [...callChecks, parallel, ...forced, none, toolResult, thinking, custody];

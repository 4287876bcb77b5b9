import { SignalError, type StepResult } from '@vouch/contracts';
import { askFor, type Check, type CheckedEndpoint, differs, type Finding, holds, noVerdict, unsound, wireCalls } from './check.ts';

const stopSequence: Check = {
  id: 'stop-sequence',
  asks: 'five words, with the third as the stop sequence',
  expects: 'the text ends before it, finish stop',
  calls: 1,
  tokens: 80,
  unless: ({ wire }) => (wire === 'openai-responses' ? 'this wire has no stop sequences' : undefined),
  async run(endpoint) {
    const request = askFor('Write exactly these words on one line: amber basalt cobalt delta ember', {}, { stopSequences: ['cobalt'] });
    const result = await endpoint.ask(request, 'whole');
    if (/cobalt/i.test(result.content)) return differs('the text goes on over the stop sequence');
    const finding = unsound(result);
    if (finding !== undefined) return finding;
    if (!/basalt/i.test(result.content)) return noVerdict('the model wrote something else');
    return result.finishReason === 'stop' ? holds('the text ends before it') : differs(`finish ${result.finishReason}`);
  },
};

const fewTokens = 16;

const maxTokens: Check = {
  id: 'max-tokens',
  asks: `a long answer within ${fewTokens} tokens`,
  expects: 'finish length',
  calls: 1,
  tokens: 60,
  async run(endpoint) {
    const request = askFor('Write the numbers from 1 to 300, separated by spaces.', {}, { maxOutputTokens: fewTokens });
    const result = await endpoint.ask(request, 'whole');
    const facts = `${result.usage.reported ? `${result.usage.outputTokens} tokens of output` : 'output not reported'}, ${result.content.length} characters`;
    if (result.finishReason === 'length') return holds(facts);
    // A number takes at least one token, and a blank stands between each two.
    const wroteMore = result.content.split(/\s+/).length > fewTokens;
    const isShort = !wroteMore && (!result.usage.reported || result.usage.outputTokens < fewTokens);
    return isShort ? noVerdict(`the model ended by itself: ${facts}`) : differs(`finish ${result.finishReason}, ${facts}`);
  },
};

const modelList: Check = {
  id: 'models',
  asks: 'the list of models',
  expects: 'a list, and the model in it',
  calls: 1,
  tokens: 0,
  async run(endpoint) {
    const { status, ids } = await endpoint.listModels();
    if (ids === undefined) return differs(`status ${status}, and no list that could be read`);
    const known = ids.some((id) => id === endpoint.model || id === `models/${endpoint.model}`);
    return known ? holds(`this one among ${ids.length}`) : differs(`this one is not among the ${ids.length} listed`);
  },
};

/** The provider's error of a request that must fail, or what came instead. */
async function failing(pending: Promise<StepResult>, causes: readonly string[]): Promise<Finding> {
  try {
    await pending;
    return differs('it was answered as if nothing were wrong');
  } catch (error) {
    if (!(error instanceof SignalError) || error.failure.kind !== 'provider') throw error;
    const { cause, evidence } = error.failure;
    const status = evidence.provider?.status;
    const facts = `${status === undefined ? 'no status' : `status ${status}`}, cause ${cause ?? 'unknown'}`;
    return cause !== undefined && causes.includes(cause) ? holds(facts) : differs(facts);
  }
}

const wrongKey: Check = {
  id: 'error-key',
  asks: 'an answer with a wrong key',
  expects: 'an error of cause auth',
  calls: 1,
  tokens: 30,
  unless: ({ hasKey }) => (hasKey ? undefined : 'no key was given, so none can be wrong'),
  run: (endpoint) => failing(endpoint.askAs({ apiKey: 'vouch-wrong-key-0000' }), ['auth']),
};

const unknownModel: Check = {
  id: 'error-model',
  asks: 'an answer of a model that does not exist',
  expects: 'an error of cause config or invalid_request',
  calls: 1,
  tokens: 30,
  run: (endpoint) => failing(endpoint.askAs({ model: 'vouch-no-such-model' }), ['config', 'invalid_request']),
};

const unknownField: Check = {
  id: 'unknown-field',
  asks: 'an answer, with a field in the body that no wire has',
  expects: 'the field ignored, or refused by an error of cause invalid_request',
  calls: 1,
  tokens: 60,
  async run(endpoint: CheckedEndpoint) {
    try {
      const request = askFor('Answer with the word yes.', {}, { extraBody: { vouch_unknown_field: true } });
      const result = await endpoint.ask(request, 'whole');
      return unsound(result) ?? (wireCalls(result).length > 0 ? differs('a call came') : holds('ignored'));
    } catch (error) {
      if (error instanceof SignalError && error.failure.cause === 'invalid_request') return holds('refused by a typed error');
      throw error;
    }
  },
};

const abort: Check = {
  id: 'abort',
  asks: 'a long streamed answer, aborted at its first text',
  expects: 'it ends at once, without an answer, and the connection is given up',
  calls: 1,
  tokens: 200,
  async run(endpoint) {
    const came = await endpoint.abortMidway(askFor('Write the numbers from 1 to 300, separated by spaces.'));
    if (!came.sawText) return noVerdict('no text came before the end');
    if (came.wasRead) return noVerdict('the answer was whole before it could be aborted');
    if (came.ended) return differs('the answer came to its end all the same');
    return came.released ? holds('ended, connection given up') : differs('the connection stayed open');
  },
};

/** Bounds, errors and aborts. */
export const limitChecks: readonly Check[] = [stopSequence, maxTokens, modelList, wrongKey, unknownModel, unknownField, abort];

import type { JsonObject, JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabReply } from '../answer.ts';
import { cutText } from '../random.ts';
import { callDeltas, choiceChunk, withUsage } from '../wires/openai-chat.ts';
import { jsonReply } from '../wires/wire.ts';
import {
  type AnswerCall,
  argumentsOf,
  chunksOf,
  content,
  cutAtLastColon,
  deltaOf,
  deltaStream,
  mapChoices,
  onlyCall,
  rewriteArguments,
  streamOf,
  wholeWith,
} from './build.ts';
import { type Apply, type Pathology, type PathologyContext, row } from './pathology.ts';

type Delta = Readonly<Record<string, JsonValue>>;

/** A stream whose tool deltas are made call by call. */
const perCall =
  (write: (call: AnswerCall, index: number, context: PathologyContext) => readonly Delta[], least = 1): Apply =>
  (answer, context) => {
    if (answer.toolCalls.length < least) return undefined;
    const deltas = answer.toolCalls.flatMap((call, index) => write(call, index, context).map((delta) => ({ tool_calls: [delta] })));
    return deltaStream(answer, context, deltas);
  };

const whole = (call: AnswerCall): Delta => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } });
const fragments = (call: AnswerCall, { frame }: PathologyContext): readonly string[] => cutText(call.arguments, 9, frame.random);
const head = (call: AnswerCall, index: number, name = call.name): Delta => ({
  index,
  id: call.id,
  type: 'function',
  function: { name, arguments: '' },
});
const tail = (index: number, text: JsonValue): Delta => ({ index, function: { arguments: text } });

const partsRow = (id: string, title: string, outcome: string, apply: Apply, rest: Partial<Pathology> = {}): Pathology =>
  row(id, title, {
    needs: 'tools',
    delivery: 'parts',
    expected: 'tool_calls',
    outcome,
    ...(apply === undefined ? {} : { apply }),
    ...rest,
  });

/** B1 to B13: how the fragments of calls say which call they belong to. */
export const callIdentity: readonly Pathology[] = [
  partsRow(
    'B1',
    'missing-index',
    'calls are told apart by id',
    perCall((call) => [whole(call)]),
  ),
  partsRow(
    'B2',
    'index-null',
    'calls are told apart by id',
    perCall((call) => [{ index: null, ...whole(call) }]),
  ),
  partsRow(
    'B3',
    'all-index-0',
    'a new id is a new call',
    perCall((call) => [{ index: 0, ...whole(call) }], 2),
  ),
  partsRow(
    'B4',
    'index-from-1',
    'calls are counted from 0',
    perCall((call, index, { frame }) => callDeltas(call, index + 1, frame) as readonly Delta[]),
  ),
  partsRow(
    'B5',
    'id-first-only',
    'the ordinary form',
    perCall((call, index, { frame }) => callDeltas(call, index, frame) as readonly Delta[]),
  ),
  partsRow(
    'B6',
    'id-repeated',
    'one call',
    perCall((call, index, context) => [
      head(call, index),
      ...fragments(call, context).map((text) => ({ ...tail(index, text), id: call.id })),
    ]),
  ),
  partsRow(
    'B7',
    'id-changing',
    'one call with its first id',
    perCall((call, index, context) => [
      head(call, index),
      ...fragments(call, context).map((text) => ({ ...tail(index, text), id: `call_${context.frame.random.letters(24)}` })),
    ]),
  ),
  partsRow(
    'B8',
    'id-empty-string',
    'empty ids and names are ignored',
    perCall((call, index, context) => [
      { index, id: call.id, type: 'function', function: { name: call.name } },
      ...fragments(call, context).map((text) => ({ index, id: '', function: { name: '', arguments: text } })),
      { index, id: '', function: { name: null, arguments: null } },
    ]),
  ),
  partsRow(
    'B9',
    'id-null-or-missing',
    'a stable id is made up',
    perCall((call, index, context) => [
      {
        index,
        type: 'function',
        ...(context.frame.random.below(2) === 0 ? { id: null } : {}),
        function: { name: call.name, arguments: '' },
      },
      ...fragments(call, context).map((text) => tail(index, text)),
    ]),
  ),
  partsRow('B10', 'duplicate-id', 'two calls; the second id is rewritten', (answer, context) => {
    const [first] = answer.toolCalls;
    const same = answer.toolCalls.map((call) => ({ ...call, id: first?.id ?? call.id }));
    return perCall((call, index, { frame }) => callDeltas(call, index, frame) as readonly Delta[], 2)?.(
      { ...answer, toolCalls: same },
      context,
    );
  }),
  partsRow(
    'B11',
    'name-in-pieces',
    'the joined name, when it is declared',
    perCall((call, index, context) => {
      const middle = Math.ceil(call.name.length / 2);
      const rest = { index, function: { name: call.name.slice(middle) } };
      return [
        head(call, index, call.name.slice(0, middle)),
        ...(call.name.length > 1 ? [rest] : []),
        ...fragments(call, context).map((text) => tail(index, text)),
      ];
    }),
  ),
  partsRow(
    'B12',
    'name-repeated',
    'the name once',
    perCall((call, index, context) => [
      head(call, index),
      ...fragments(call, context).map((text) => ({ index, function: { name: call.name, arguments: text } })),
    ]),
  ),
  partsRow(
    'B13',
    'args-before-name',
    'arguments wait for the name',
    perCall((call, index, context) => [
      ...fragments(call, context).map((text) => tail(index, text)),
      { index, id: call.id, type: 'function', function: { name: call.name } },
    ]),
  ),
];

/** The call's arguments as another JSON value, in both deliveries. */
const odd =
  (write: (call: AnswerCall) => JsonValue | undefined): Apply =>
  (answer, context) => {
    const values = answer.toolCalls.map(write);
    if (values.some((value) => value === undefined)) return undefined;
    const calls = answer.toolCalls.map((call, index) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: values[index] ?? null },
    }));
    if (!context.request.stream) return wholeWith(answer, context, (message) => ({ ...message, tool_calls: calls }));
    return deltaStream(
      answer,
      context,
      calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    );
  };

const isEmpty = (call: AnswerCall): boolean => Object.keys(argumentsOf(call) ?? { no: 0 }).length === 0;

/** B14 to B20, B34: arguments in another shape than one string of JSON. */
export const callArguments: readonly Pathology[] = [
  row('B14', 'args-object', { needs: 'tools', expected: 'tool_calls', outcome: 'read as it is', apply: odd(argumentsOf) }),
  row('B15', 'args-empty', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'no arguments',
    apply: odd((call) => (isEmpty(call) ? '' : undefined)),
  }),
  row('B16', 'args-null', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'no arguments',
    apply: odd((call) => (isEmpty(call) ? null : undefined)),
  }),
  row('B17', 'args-double-encoded', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'decoded twice',
    apply: (answer) => rewriteArguments(answer, (text) => JSON.stringify(text)),
  }),
  row('B18', 'args-trailing-garbage', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'the first value, as the rest is a known tag or its equal',
    apply: (answer, { frame }) => {
      const isTag = frame.random.below(2) === 0;
      return rewriteArguments(answer, (text) => (isTag ? `${text}</function>` : text + text));
    },
  }),
  partsRow('B19', 'args-cumulative', 'fragments that repeat the whole replace it', (answer, context) => {
    const usable = answer.toolCalls.every((call) => call.arguments.length >= 4);
    return usable ? perCall(cumulative)(answer, context) : undefined;
  }),
  row('B20', 'args-fence', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'the fence is taken off',
    apply: (answer) => rewriteArguments(answer, (text) => `\`\`\`json\n${text}\n\`\`\``),
  }),
];

/** Each fragment is the whole so far; at least three, so that it shows. */
function cumulative(call: AnswerCall, index: number, { frame }: PathologyContext): readonly Delta[] {
  const longest = Math.max(1, Math.min(9, Math.floor(call.arguments.length / 3)));
  let sofar = '';
  const grown = cutText(call.arguments, longest, frame.random).map((text) => {
    sofar += text;
    return tail(index, sofar);
  });
  return [head(call, index), ...grown];
}

/** B21 to B36: how turns with calls end, and what else comes with them. */
export const callEndings: readonly Pathology[] = [
  row('B21', 'stop-with-tools', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'finish tool_calls',
    apply: (answer) => content(answer, { finish: 'stop' }),
  }),
  row('B22', 'tool_calls-without-tools', {
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'an empty response',
    apply: (answer) => content(answer, { toolCalls: [], finish: 'tool_calls' }),
  }),
  partsRow('B23', 'finish-missing', 'inferred, as the arguments are whole', (answer, context) => {
    const chunks = chunksOf(answer, context).filter(
      (chunk) => !JSON.stringify(chunk).includes(`"finish_reason":${JSON.stringify(answer.finish)}`),
    );
    return streamOf(chunks, context.frame);
  }),
  partsRow('B24', 'finish-empty-string', 'an empty finish is none', (answer, context) =>
    streamOf(
      mapChoices(answer, context, (choice) => (choice.finish_reason === null ? { ...choice, finish_reason: '' } : choice)),
      context.frame,
    ),
  ),
  partsRow('B25', 'finish-on-separate-and-repeat', 'no call twice', repeatedCalls),
  partsRow('B26', 'duplicate-final', 'text once, the last usage', duplicateFinal, { needs: 'text', expected: 'value' }),
  row('B27', 'cut-inside-args', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'truncated; the call is not run',
    apply: (answer) => {
      const call = answer.toolCalls.at(-1);
      const cut = call === undefined ? undefined : cutAtLastColon(call.arguments);
      if (call === undefined || cut === undefined) return undefined;
      return content(answer, { toolCalls: [...answer.toolCalls.slice(0, -1), { ...call, arguments: cut }], finish: 'length' });
    },
  }),
  row('B28', 'hallucinated-name', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'the prefix is taken off',
    apply: (answer) => content(answer, { toolCalls: answer.toolCalls.map((call) => ({ ...call, name: `functions.${call.name}` })) }),
  }),
  partsRow('B29', 'empty-tool_calls', 'ignored', emptyCalls, { needs: 'text', expected: 'value' }),
  row('B30', 'legacy function_call', { needs: 'tools', expected: 'tool_calls', outcome: 'one call', apply: legacyCall }),
  partsRow('B31', 'text-and-tools', 'both kept in order', (answer, context) => {
    const calls = answer.toolCalls.flatMap((call, index) =>
      callDeltas(call, index, context.frame).map((delta) => ({ tool_calls: [delta] })),
    );
    const text = answer.text ?? 'One moment, please.';
    return deltaStream(answer, context, [...calls, ...cutText(text, 9, context.frame.random).map((piece) => ({ content: piece }))]);
  }),
  row('B32', 'named-choice-stop', {
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'finish tool_calls',
    apply: (answer, { request }) => (typeof request.toolChoice === 'object' ? content(answer, { finish: 'stop' }) : undefined),
  }),
  row('B33', 'parallel-despite-false', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'all delivered; a caller that wants one takes the first',
    apply: (answer, { request }) =>
      request.body.parallel_tool_calls === false && answer.toolCalls.length > 1 ? content(answer, {}) : undefined,
  }),
  row('B34', 'args-whitespace-runs', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'tool_calls',
    outcome: 'white space is no loop below its limit',
    apply: (answer) => (answer.toolCalls.some((call) => argumentsOf(call) === undefined) ? undefined : rewriteArguments(answer, spaced)),
  }),
  row('B35', 'cut-after-head', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'tools',
    expected: 'typed-failure',
    outcome: 'truncated; the call is not run',
    apply: (answer) =>
      content(answer, { toolCalls: answer.toolCalls.slice(0, 1).map((call) => ({ ...call, arguments: '{' })), finish: 'length' }),
  }),
  row('B36', 'mistral-id-400', {
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'never happens to a client that writes nine-character ids for this dialect',
    apply: (_answer, { request }) => {
      const id = request.messages.flatMap((message) => message.toolCalls).find((call) => !/^[a-zA-Z0-9]{9}$/.test(call.id))?.id;
      if (id === undefined) return undefined;
      const message = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
      return { raw: jsonReply(400, { object: 'error', message, type: 'invalid_function_call', param: null, code: '3280' }) };
    },
  }),
];

function repeatedCalls(answer: LabAnswer, context: PathologyContext): LabReply {
  const { request, frame } = context;
  const calls = answer.toolCalls.map((call, index): JsonObject => ({ index, ...whole(call) }));
  const final = choiceChunk(frame, { tool_calls: calls }, answer.finish);
  const before = answer.toolCalls.flatMap((call, index) =>
    callDeltas(call, index, frame).map((delta) => choiceChunk(frame, { tool_calls: [delta] })),
  );
  return streamOf(
    withUsage([choiceChunk(frame, { role: 'assistant', content: null }), ...before, final, final], answer, request, frame),
    frame,
  );
}

function duplicateFinal(answer: LabAnswer, context: PathologyContext): LabReply {
  const chunks = chunksOf(answer, context);
  const last = chunks.slice(context.request.includeUsage ? -2 : -1);
  return streamOf([...chunks, ...last], context.frame);
}

function emptyCalls(answer: LabAnswer, context: PathologyContext): LabReply {
  const value = context.frame.random.below(2) === 0 ? [] : null;
  return streamOf(
    mapChoices(answer, context, (choice) => ({ ...choice, delta: { ...deltaOf(choice), tool_calls: value } })),
    context.frame,
  );
}

function legacyCall(answer: LabAnswer, context: PathologyContext): LabReply | undefined {
  const call = onlyCall(answer);
  if (call === undefined) return undefined;
  const ended = { ...answer, finish: 'function_call' };
  const legacy = { name: call.name, arguments: call.arguments };
  if (context.request.stream) return deltaStream(ended, context, [{ function_call: legacy }]);
  return wholeWith(ended, context, ({ tool_calls: _new, ...message }) => ({ ...message, function_call: legacy }));
}

/** The same JSON with the white space that a grammar lets through. */
function spaced(text: string): string {
  return JSON.stringify(JSON.parse(text), null, '\t\t   ').replace(/\n/g, '\n\n');
}

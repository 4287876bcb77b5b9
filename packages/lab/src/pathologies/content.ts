import type { JsonObject, JsonValue } from '@vouch/contracts';
import type { LabAnswer, LabContent, LabReply } from '../answer.ts';
import { conforms } from '../conforms.ts';
import { cutText } from '../random.ts';
import { askedSchema } from '../reader/ask.ts';
import { choiceChunk, completion, dataEvent, doneEvent, serviceHeaders, usageBody, withUsage } from '../wires/openai-chat.ts';
import { eventStream, jsonReply } from '../wires/wire.ts';
import { blocksOf, chunksOf, content, cutAtLastColon, deltaOf, mapChoices, parsed, streamOf, wholeWith } from './build.ts';
import { alterLeaf, escapeLetters, exponents, rawControls } from './json-text.ts';
import { formatIgnored, responsesSilentCut } from './openai-responses.ts';
import { type Apply, type Pathology, type PathologyContext, type PathologyWire, row } from './pathology.ts';
import { ollamaShapes } from './wires/ollama.ts';

const anyWire: readonly PathologyWire[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama'];
const thought = 'The tide is low, so the pier should be free.';

/** The answer with another text. */
const saying =
  (write: (text: string, context: PathologyContext) => string | undefined, changes: LabContent = {}): Apply =>
  (answer, context) => {
    const text = write(answer.text ?? '', context);
    return text === undefined ? undefined : content(answer, { ...changes, text });
  };

/** C1 to C14: what stands in the content. */
export const contentShapes: readonly Pathology[] = [
  row('C1', 'null-content', {
    wires: anyWire,
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'an empty response',
    apply: ({ usage }) => ({ finish: 'stop', usage }),
  }),
  row('C2', 'content-parts', { needs: 'text', expected: 'value', outcome: 'text and reasoning out of the parts', apply: contentParts }),
  row('C3', 'deepseek-empty-content', {
    wires: ['openai-chat', 'ollama'],
    needs: 'text',
    expected: 'typed-failure',
    outcome: 'an empty response; reasoning is never the answer',
    apply: (answer) => content(answer, { text: '', reasoning: answer.text ?? thought }),
  }),
  row('C4', 'think-tags', {
    wires: anyWire,
    needs: 'text',
    expected: 'value',
    outcome: 'reasoning is taken out of the text',
    apply: saying((text, { frame }) => {
      if (/<\/?think/.test(text)) return undefined;
      return `${frame.random.below(2) === 0 ? '<think>' : ''}${thought}</think>\n\n${text}`;
    }),
  }),
  row('C5', 'reasoning-both-names', {
    needs: 'any',
    expected: 'value',
    outcome: 'reasoning once',
    apply: (answer, context) => {
      const both = { reasoning: thought, reasoning_content: thought };
      if (!context.request.stream) return wholeWith(answer, context, (message) => ({ ...message, ...both }));
      return withDeltas(answer, context, [both]);
    },
  }),
  row('C6', 'reasoning-delta-duplicated', {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the answer is untouched',
    apply: (answer, context) =>
      withDeltas(
        answer,
        context,
        cutText(thought, 9, context.frame.random).flatMap((text) => [{ reasoning_content: text }, { reasoning_content: text }]),
      ),
  }),
  row('C7', 'jsonl-repeat', {
    wires: anyWire,
    needs: 'json',
    expected: 'value',
    outcome: 'equal repeats are one answer',
    apply: saying((text) => [text, text, text].join('\n')),
  }),
  row('C8', 'concatenated', {
    wires: anyWire,
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'two answers that differ and both pass are ambiguous',
    apply: saying((text, { request }) => {
      const ask = askedSchema(request);
      const other = ask === undefined ? undefined : alterLeaf(parsed(text), (value) => conforms(ask.schema, value));
      return other === undefined ? undefined : text + JSON.stringify(other);
    }),
  }),
  row('C9', 'whitespace-loop', {
    wires: anyWire,
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'ended early or at the limit: truncated',
    apply: saying((text) => (cutAtLastColon(text) === undefined ? undefined : `${cutAtLastColon(text)}${'\n '.repeat(4_000)}`), {
      finish: 'length',
    }),
  }),
  row('C10', 'fence-and-prose', {
    wires: anyWire,
    needs: 'json',
    expected: 'value',
    outcome: 'the JSON in the fence',
    apply: saying((text) => `Sure!\n\`\`\`json\n${text}\n\`\`\`\nAnything else?`),
  }),
  row('C11', 'schema-echo', {
    wires: anyWire,
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'the schema is no answer',
    apply: saying((_text, { request }) => {
      const ask = askedSchema(request);
      return ask === undefined || conforms(ask.schema, ask.schema) ? undefined : JSON.stringify(ask.schema);
    }),
  }),
  row('C12', 'wrapped', {
    wires: anyWire,
    needs: 'json',
    expected: 'value',
    outcome: 'a known envelope is opened when only the inner value passes',
    apply: saying((text, { request, frame }) => {
      const ask = askedSchema(request);
      const inner = parsed(text);
      const title = typeof ask?.schema.title === 'string' ? ask.schema.title : (ask?.tool ?? 'output');
      const outer = frame.random.below(2) === 0 ? { [title]: inner } : [inner];
      return ask === undefined || conforms(ask.schema, outer) || !conforms(ask.schema, inner) ? undefined : JSON.stringify(outer);
    }),
  }),
  row('C13', 'refusal-field', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'refused',
    apply: ({ usage }) => ({ refusal: "I can't help with that.", finish: 'stop', usage }),
  }),
  row('C14', 'content_filter', {
    wires: ['openai-chat', 'openai-responses'],
    needs: 'text',
    expected: 'typed-failure',
    outcome: 'refused, with what was said so far',
    apply: saying((text) => text.slice(0, Math.ceil(text.length / 2)), { finish: 'content_filter' }),
  }),
];

/** Sets chunk fields around the answer; the same as `streamOf` for chunks that are not derived from it. */
const withExtra =
  (
    extra: (
      answer: LabAnswer,
      context: PathologyContext,
    ) => { readonly first?: readonly JsonObject[]; readonly middle?: readonly JsonObject[] },
  ): Apply =>
  (answer, context) => {
    const [opening, ...rest] = chunksOf(answer, context);
    const { first = [], middle = [] } = extra(answer, context);
    return opening === undefined ? undefined : streamOf([...first, opening, ...middle, ...rest], context.frame);
  };

/** C15 to C23, C32: chunks, usage and finish of other services. */
export const chunkShapes: readonly Pathology[] = [
  row('C15', 'azure-prompt-filter', {
    needs: 'any',
    expected: 'typed-failure',
    outcome: 'refused',
    apply: () => {
      const filter = { code: 'ResponsibleAIPolicyViolation', content_filter_result: { violence: { filtered: true, severity: 'medium' } } };
      const message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
      return { raw: jsonReply(400, { error: { code: 'content_filter', message, status: 400, innererror: filter } }) };
    },
  }),
  row('C16', 'azure-first-chunk', {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'skipped',
    apply: withExtra(() => ({
      first: [
        {
          id: '',
          object: '',
          created: 0,
          model: '',
          choices: [],
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
        },
      ],
    })),
  }),
  row('C17', 'role-every-chunk', {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the answer is untouched',
    apply: (answer, context) => {
      const role = context.frame.random.below(2) === 0 ? 'assistant' : null;
      return streamOf(
        mapChoices(answer, context, (choice) => ({ ...choice, delta: { role, ...deltaOf(choice) } })),
        context.frame,
      );
    },
  }),
  row('C18', 'usage-null-absent-partial', { needs: 'any', expected: 'value', outcome: 'usage unknown, not 0', apply: oddUsage }),
  row('C19', 'usage-every-chunk', {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the last usage',
    apply: (answer, context) => {
      const usage = answer.usage;
      if (usage === null) return undefined;
      const chunks = chunksOf(answer, { ...context, request: { ...context.request, includeUsage: false } });
      const grown = (place: number): number => Math.round((usage.outputTokens * (place + 1)) / chunks.length);
      return streamOf(
        chunks.map((chunk, place) => ({ ...chunk, usage: usageBody({ ...usage, outputTokens: grown(place) }) })),
        context.frame,
      );
    },
  }),
  row('C20', 'choices-missing', {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'skipped',
    apply: withExtra((answer, { frame }) => ({
      middle: [{ id: frame.id, ...(answer.usage === null ? {} : { usage: usageBody(answer.usage) }) }],
    })),
  }),
  row('C21', 'message-instead-of-delta', {
    needs: 'text',
    delivery: 'parts',
    expected: 'value',
    outcome: 'the delta counts',
    apply: messageBesideDelta,
  }),
  row('C22', 'text-field', { needs: 'text', expected: 'value', outcome: 'the text of the choice', apply: textField }),
  row('C23', 'eos finish', {
    needs: 'text',
    expected: 'value',
    outcome: 'eos is stop',
    apply: (answer) => (answer.finish === 'stop' ? content(answer, { finish: 'eos' }) : undefined),
  }),
  row('C32', 'choice-without-delta', {
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'skipped',
    apply: withExtra(() => {
      const offsets = { check_offset: 9, start_offset: 9, end_offset: 40 };
      const choice = { index: 0, finish_reason: null, content_filter_offsets: offsets, content_filter_results: {} };
      return { middle: [{ id: '', model: '', object: '', created: 0, choices: [choice] }] };
    }),
  }),
];

/** C24 to C31: characters, numbers, and answers in the other delivery. */
export const textShapes: readonly Pathology[] = [
  row('C24', 'surrogate-split', {
    wires: ['openai-chat', 'ollama'],
    applyOn: { ollama: ollamaShapes.C24 },
    needs: 'json',
    delivery: 'parts',
    expected: 'value',
    outcome: 'fragments are joined before they are read',
    apply: (answer, context) => {
      const escaped = escapeLetters(answer.text ?? '');
      if (escaped === undefined) return undefined;
      const pieces = escaped.split(/(?<=\\u[0-9a-f]{2})(?=[0-9a-f]{2})|(?<=\\ud[89ab][0-9a-f]{2})/);
      return textStream(answer, context, pieces);
    },
  }),
  row('C25', 'lone-surrogate', {
    wires: ['openai-chat', 'ollama'],
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'a value that JavaScript cannot encode',
    apply: saying((text) => {
      const at = text.search(/:"(?=[^"\\])/);
      return at < 0 ? undefined : `${text.slice(0, at + 2)}\\ud83d${text.slice(at + 2)}`;
    }),
  }),
  row('C26', 'NUL and control', {
    wires: anyWire,
    needs: 'json',
    expected: 'value',
    outcome: 'raw controls inside a string are read as they stand',
    apply: saying(rawControls),
  }),
  row('C27', 'nonstream-answer-to-stream', {
    wires: ['openai-chat', 'ollama'],
    applyOn: { ollama: ollamaShapes.C27 },
    needs: 'any',
    delivery: 'parts',
    expected: 'value',
    outcome: 'a stream of one',
    apply: (answer, { request, frame }) => ({ raw: jsonReply(200, completion(answer, request, frame), serviceHeaders(frame)) }),
  }),
  row('C28', 'stream-answer-to-nonstream', {
    wires: ['openai-chat', 'ollama'],
    applyOn: { ollama: ollamaShapes.C28 },
    needs: 'any',
    delivery: 'whole',
    expected: 'value',
    outcome: 'collected',
    apply: (answer, context) => ({ raw: eventStream(blocksOf(answer, context), serviceHeaders(context.frame)) }),
  }),
  row('C29', 'integer-exponent', { wires: anyWire, needs: 'json', expected: 'value', outcome: 'the integer', apply: saying(exponents) }),
  responsesSilentCut,
  row('C31', 'output_config-ignored', {
    wires: ['openai-responses', 'anthropic-messages'],
    needs: 'json',
    expected: 'typed-failure',
    outcome: 'caught by the gate',
    applyOn: { 'openai-responses': formatIgnored, 'anthropic-messages': formatIgnored },
  }),
];

/** The answer's stream with deltas after the role. */
function withDeltas(answer: LabAnswer, context: PathologyContext, deltas: readonly JsonObject[]): LabReply {
  const [opening, ...rest] = chunksOf(answer, context);
  return streamOf(
    [...(opening === undefined ? [] : [opening]), ...deltas.map((delta) => choiceChunk(context.frame, delta)), ...rest],
    context.frame,
  );
}

/** A stream that says the pieces as they are. */
function textStream(answer: LabAnswer, context: PathologyContext, pieces: readonly string[]): LabReply {
  const { request, frame } = context;
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }, ...pieces.map((piece) => ({ content: piece }))];
  const chunks = [...deltas.map((delta) => choiceChunk(frame, delta)), choiceChunk(frame, {}, answer.finish)];
  return streamOf(withUsage(chunks, answer, request, frame), frame);
}

function contentParts(answer: LabAnswer, context: PathologyContext): LabReply {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: thought }] };
  const text = answer.text ?? '';
  if (!context.request.stream)
    return wholeWith(answer, context, (message) => ({ ...message, content: [thinking, { type: 'text', text }] }));
  const { request, frame } = context;
  const pieces = cutText(text, 9, frame.random).map((piece) => ({ content: [{ type: 'text', text: piece }] }));
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }, { content: [thinking] }, ...pieces];
  const chunks = [...deltas.map((delta) => choiceChunk(frame, delta)), choiceChunk(frame, {}, answer.finish)];
  return streamOf(withUsage(chunks, answer, request, frame), frame);
}

/** Usage absent, null, empty or without its total. */
function oddUsage(answer: LabAnswer, context: PathologyContext): LabReply {
  const { request, frame } = context;
  const odd: readonly (JsonValue | undefined)[] = [
    undefined,
    null,
    {},
    { prompt_tokens: null, completion_tokens: null, total_tokens: null },
  ];
  const usage = odd[frame.random.below(odd.length)];
  const silent = { ...answer, usage: null };
  const added = usage === undefined ? {} : { usage };
  if (!request.stream) return { raw: jsonReply(200, { ...completion(silent, request, frame), ...added }, serviceHeaders(frame)) };
  const chunks = chunksOf(silent, context);
  const last = { ...choiceChunk(frame, {}), choices: [], ...added };
  return streamOf(usage === undefined ? chunks : [...chunks, last], frame);
}

/** Each chunk has the message so far beside its delta. */
function messageBesideDelta(answer: LabAnswer, context: PathologyContext): LabReply {
  let sofar = '';
  const chunks = mapChoices(answer, context, (choice) => {
    const piece = deltaOf(choice).content;
    sofar += typeof piece === 'string' ? piece : '';
    return { ...choice, message: { role: 'assistant', content: sofar } };
  });
  return streamOf(chunks, context.frame);
}

/** The text at `choices[0].text`, where completions once had it. */
function textField(answer: LabAnswer, context: PathologyContext): LabReply {
  const { request, frame } = context;
  if (!request.stream) {
    const body = completion(answer, request, frame);
    const choice = { index: 0, text: answer.text, logprobs: null, finish_reason: answer.finish };
    return { raw: jsonReply(200, { ...body, choices: [choice] }, serviceHeaders(frame)) };
  }
  const chunks = mapChoices(answer, context, ({ delta, ...choice }) => {
    const piece = deltaOf({ delta: delta ?? {} }).content;
    return { ...choice, text: typeof piece === 'string' ? piece : '' };
  });
  return { raw: eventStream([...chunks.map(dataEvent), doneEvent], serviceHeaders(frame)) };
}

import {
  boundText,
  type Issue,
  isJsonObject,
  type JsonSchema,
  namedTypes,
  resolveReference,
  type TransportName,
  textLimits,
} from '@vouch/contracts';

// The one file with words for models (SG-052). Every text is pinned by a snapshot: changing one is a decision. Fixed words come before the
// varying ones, so that the prefix of two prompts is the same for as long as it can be.

/** The line after which a schema prompt has the minified JSON Schema, on one line. */
export const schemaPromptMarker = 'OUTPUT SCHEMA';

const longestShapeKeys = 40;

/** The prompt that carries the contract when neither grammar nor tool parameters do. */
export function schemaPrompt(jsonSchema: JsonSchema): string {
  return [
    'Your final answer is one JSON value that conforms to the JSON Schema below.',
    'Write only the JSON: no prose before or after it, no code fences, no comments. Write object keys in the order of the schema, and leave out optional keys that do not apply.',
    'The schema describes the answer; do not repeat the schema itself.',
    schemaPromptMarker,
    JSON.stringify(jsonSchema),
  ].join('\n');
}

/** How a turn ends on a transport. */
export interface FinishSpec {
  readonly transport: TransportName;
  /** Domain tools are sent. */
  readonly hasTools: boolean;
  /** Name of the exit tool; with `respond` only. */
  readonly exitTool?: string;
  /** The schema rides the prompt, above this text. */
  readonly schemaInPrompt: boolean;
  /** The contract, for the line that shows its shape. */
  readonly jsonSchema: JsonSchema;
}

/** The instruction how to finish. Emit never speaks of the exit tool; without tools it speaks of none at all. */
export function finishProtocol(spec: FinishSpec): string {
  const shape = spec.transport === 'native' ? [] : [shapeLine(spec.jsonSchema)];
  const pointer = spec.schemaInPrompt ? [`The JSON must conform to the ${schemaPromptMarker} above.`] : [];
  return [...finishWords(spec), ...shape, ...pointer].join('\n');
}

function finishWords({ transport, hasTools, exitTool }: FinishSpec): readonly string[] {
  switch (transport) {
    case 'emit':
      return hasTools
        ? [
            'Use the tools as often as you need. A message without tool calls counts as your final answer.',
            'Your final message must be only the JSON answer: no prose around it, no code fences.',
          ]
        : ['Your whole message must be only the JSON answer: no prose around it, no code fences.'];
    case 'native':
      return hasTools
        ? ['Use the tools as often as you need. To finish, reply without tool calls: that reply is your final answer.']
        : ['Your reply is the final answer.'];
    case 'respond':
      return [
        ...(hasTools ? ['Use the other tools as often as you need.'] : []),
        `To finish, call the tool \`${exitTool}\` once, alone in its turn, with the answer as its arguments. If you cannot call it, reply with only the JSON answer instead: no prose around it, no code fences.`,
      ];
  }
}

/** The keys of an object answer, in the schema's order; models write in the order they are shown. Empty contract objects and other roots are named by type. */
export function shapeLine(jsonSchema: JsonSchema): string {
  const root = resolveReference(jsonSchema, jsonSchema, '')?.schema ?? jsonSchema;
  const properties = isJsonObject(root.properties) ? Object.entries(root.properties) : [];
  if (properties.length === 0) {
    const word = typeWord(jsonSchema, root);
    return `Shape of the answer: ${word}${word === 'string' ? ' (a JSON string, in double quotes)' : ''}`;
  }
  const required = new Set(Array.isArray(root.required) ? root.required : []);
  const keys = properties
    .slice(0, longestShapeKeys)
    .map(
      ([key, property]) =>
        `${boundText(JSON.stringify(key), textLimits.preview).text}${required.has(key) ? '' : '?'}: ${typeWord(jsonSchema, property)}`,
    );
  const more = properties.length > longestShapeKeys ? [`and ${properties.length - longestShapeKeys} more keys`] : [];
  const optional = required.size < properties.length ? ' (? = may be left out)' : '';
  return `Shape of the answer: { ${[...keys, ...more].join(', ')} }${optional}`;
}

function typeWord(root: JsonSchema, schema: unknown): string {
  const resolved = isJsonObject(schema) ? resolveReference(root, schema, '')?.schema : undefined;
  const types = resolved === undefined ? [] : namedTypes(resolved);
  return types.length === 0 ? 'JSON' : types.join(' | ');
}

/** What the model is told of the exit tool. */
export function exitToolDescription(): string {
  return 'Gives the final answer and ends the run. Call it once, when you are done, alone in its turn. Its arguments are the answer.';
}

/** What a correction needs of the transport. */
export type CorrectionSpec = Pick<FinishSpec, 'transport' | 'hasTools' | 'exitTool'>;

/** The run ended a turn without an answer (SG-055). */
export function terminationCorrection(spec: CorrectionSpec): string {
  return ['You did not give a final answer.', resendWords(spec)].join('\n');
}

/** What was wrong with an attempt. */
export interface AttemptReview {
  /** What the model wrote; shown cut to `textLimits.evidence`. Absent when the turn is in the conversation already. */
  readonly text?: string;
  readonly issues: readonly Issue[];
  /** A sentence on what was wrong beside the issues, such as the parser's complaint. */
  readonly problem?: string;
}

/** The answer does not conform: the attempt, each issue with path, received value and expectation, and what to send (SG-055). */
export function invalidOutputCorrection(spec: CorrectionSpec, review: AttemptReview): string {
  return [...attemptLines(review.text), 'Your answer was not accepted.', ...problemLines(review), resendWords(spec)].join('\n');
}

/** The answer ended before it was complete. */
export function truncatedCorrection(spec: CorrectionSpec, review: Omit<AttemptReview, 'issues'>): string {
  return [
    ...attemptLines(review.text),
    'Your answer was cut off before it was complete. Answer again from the beginning, and be shorter.',
    resendWords(spec),
  ].join('\n');
}

/** Several answers that differ. */
export function ambiguousCorrection(spec: CorrectionSpec, review: Omit<AttemptReview, 'issues'>): string {
  return [...attemptLines(review.text), 'Your message contains several answers that differ. Give exactly one.', resendWords(spec)].join(
    '\n',
  );
}

/** A turn with a call that was cut: none of its calls was run. */
export function cutToolCallCorrection(toolNames: readonly string[]): string {
  return `${namedCalls(toolNames)} was cut off before its arguments were complete, so no tool call of that turn was run. Call again with complete, shorter arguments.`;
}

/** A turn with a call whose arguments cannot be taken, though they are complete: none of its calls was run. */
export function refusedToolCallCorrection(toolNames: readonly string[], problem: string): string {
  return `${namedCalls(toolNames)} was not accepted, so no tool call of that turn was run. Call again with corrected arguments. The problem: ${boundText(problem, textLimits.message).text}`;
}

function namedCalls(toolNames: readonly string[]): string {
  if (toolNames.length === 0) return 'A tool call';
  const names = toolNames.slice(0, 8).map((name) => `\`${name}\``);
  return `The call of ${names.join(', ')}`;
}

/** The result that a model sees of a tool whose arguments its schema refused. */
export function invalidArgumentsResult(toolName: string, issues: readonly Issue[]): string {
  return [`The tool \`${toolName}\` was not run: its arguments do not conform to its schema.`, ...issues.map(issueLine)].join('\n');
}

/** The result that a model sees of a tool that failed. */
export function failedToolResult(toolName: string, message: string): string {
  return `The tool \`${toolName}\` failed: ${boundText(message, textLimits.message).text}`;
}

/** The result that closes a call which was never run. */
export function cancelledToolResult(toolName: string): string {
  return `The tool \`${toolName}\` was not run: the run was stopped.`;
}

function attemptLines(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : ['You wrote:', boundText(text, textLimits.evidence).text, ''];
}

function problemLines({ problem, issues }: AttemptReview): readonly string[] {
  return [...(problem === undefined ? [] : [boundText(problem, textLimits.message).text]), ...issues.map(issueLine)];
}

function issueLine({ path, expected, received, code }: Issue): string {
  return `- at ${path === '' ? 'the root' : path}: expected ${expected}, received ${received} (${code})`;
}

function resendWords({ transport, hasTools, exitTool }: CorrectionSpec): string {
  switch (transport) {
    case 'emit':
    case 'native': {
      const turn = hasTools ? 'Reply without tool calls, with' : 'Reply with';
      return `${turn} only the corrected JSON answer: no apology, no prose, no code fences.`;
    }
    case 'respond':
      return `Call \`${exitTool}\` with the corrected answer as its arguments, or reply with only the corrected JSON answer: no apology, no prose, no code fences.`;
  }
}

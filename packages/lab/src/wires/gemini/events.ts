import type { JsonObject } from '@vouch/contracts';
import type { LabAnswer } from '../../answer.ts';
import type { LabChatRequest } from '../../chat-request.ts';
import type { Random } from '../../random.ts';
import type { Frame } from '../wire.ts';
import { endingOf, responseObject, usageMetadata, wireAnswer } from './answer.ts';
import type { Seal } from './seal.ts';

/** The longest fragment of a stream, in characters: this wire cuts none in two. */
const longestFragment = 9;

/** One event, with the line ends of the service. */
export const eventBlock = (value: JsonObject): string => `data: ${JSON.stringify(value)}\r\n\r\n`;

function fragments(text: string, random: Random): readonly string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; ) {
    const end = start + 1 + random.below(longestFragment);
    pieces.push(characters.slice(start, end).join(''));
    start = end;
  }
  return pieces;
}

/** The response objects of a streamed answer: texts in fragments, calls whole, the finish on the last. */
export function answerEvents(answer: LabAnswer, request: LabChatRequest, frame: Frame, seal: Seal): readonly JsonObject[] {
  const said = wireAnswer(answer, request, frame, seal);
  const pieces = said.parts.flatMap((part): readonly JsonObject[] => {
    const { text } = part;
    if (typeof text !== 'string' || text === '' || part.thoughtSignature !== undefined) return [part];
    return fragments(text, frame.random).map((fragment) => ({ ...part, text: fragment }));
  });
  const grown = (place: number): JsonObject => {
    if (answer.usage === null) return {};
    const outputTokens = Math.round((answer.usage.outputTokens * (place + 1)) / (pieces.length + 1));
    return {
      usageMetadata: usageMetadata({
        ...answer.usage,
        outputTokens,
        reasoningTokens: Math.min(outputTokens, answer.usage.reasoningTokens ?? 0),
      }),
    };
  };
  return [
    ...pieces.map((part, place) => responseObject([part], grown(place), frame)),
    responseObject([], endingOf(answer, said, request), frame),
  ];
}

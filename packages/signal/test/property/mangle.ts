import type { FinishReason, FitUndo } from '@vouch/contracts';
import type { Random } from './draw/random.ts';
import type { Json } from './draw/shape.ts';
import { byteManglers } from './manglers/bytes.ts';
import { cutManglers } from './manglers/cut.ts';
import { dialectManglers } from './manglers/dialects.ts';
import { encodingManglers } from './manglers/encoding.ts';
import { envelopeManglers } from './manglers/envelopes.ts';
import { guessManglers } from './manglers/guesses.ts';
import { quoteManglers } from './manglers/quotes.ts';
import { rivalManglers } from './manglers/rivals.ts';
import { syntaxManglers } from './manglers/syntax.ts';
import { valueManglers } from './manglers/values.ts';
import { wrappingManglers } from './manglers/wrapping.ts';
import type { DrawnSchema } from './schemas.ts';
import type { Token } from './spelling/tokens.ts';

/** What manglers tell later ones of the same case. */
export type Mark =
  /** Something was lost, or a rival stands beside the value: a failure is a right answer. */
  | 'lossy'
  /** The text was put together by a step that leaves no other of its kind room. */
  | 'statement'
  | 'dialect'
  | 'encoded'
  | 'repeated'
  | 'enveloped'
  /** The syntax or the bytes were hurt. Once is enough: what is hurt twice says nothing of its own any more. */
  | 'damaged'
  /** A damage was done for which a failure is tolerated, so a rival might rightly be the only reading left. */
  | 'tolerated'
  /** Quotes of the text are told from its content by the text as a whole, so a further loss could not be seen. */
  | 'fragile'
  /** The start of the text makes sense only with its end, so a cut could not be seen. */
  | 'needs-end';

/** A case on its way from a value to what a provider delivers. */
export interface MangleState {
  readonly schema: DrawnSchema;
  /** What the author meant. */
  readonly value: Json;
  /** The document that is printed: the value, or a changed or wrapped one. */
  readonly shown: Json;
  readonly tokens: readonly Token[];
  readonly text: string;
  readonly finish: FinishReason;
  readonly terminated: boolean;
  /** `arguments` = the arguments of a native call to the exit tool. */
  readonly channel: 'content' | 'arguments';
  readonly exitTool: string | undefined;
  readonly undo: FitUndo | undefined;
  readonly marks: ReadonlySet<Mark>;
}

/** On what a mangler works; the phases are applied in this order. */
export type Phase = 'value' | 'tokens' | 'text';

/** One kind of damage. */
export interface Mangler {
  readonly id: string;
  readonly phase: Phase;
  /** Lossless: what was meant is still there and only one thing can have been meant. */
  readonly loss: 'lossless' | 'lossy';
  /** Lossless, but the corpus tolerates a failure for it. */
  readonly tolerable?: true;
  /** The damaged case; undefined when this damage does not fit this case. Never returns damage that could not be seen. */
  apply(random: Random, state: MangleState): MangleState | undefined;
}

/** The taxonomy, in the order of application. */
export const manglers: readonly Mangler[] = [
  ...valueManglers,
  ...envelopeManglers,
  ...syntaxManglers,
  ...quoteManglers,
  ...guessManglers,
  ...byteManglers,
  ...encodingManglers,
  ...dialectManglers,
  ...wrappingManglers,
  ...rivalManglers,
  ...cutManglers,
];

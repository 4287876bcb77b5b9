import { isJsonObject } from '@vouch/contracts';

/** Any object's fields. */
export type Fields = { readonly [field: string]: unknown };

/** A value as an object's fields; `{}` for any other. */
export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? (value as Fields) : {});

/** A value as a list; an empty one for any other. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The message of a response's first choice, or the message itself. */
export function messageOf(raw: unknown): Fields {
  const { choices } = fieldsOf(raw);
  return Array.isArray(choices) ? fieldsOf(firstChoice(choices).message) : fieldsOf(raw);
}

/** The delta of a chunk's first choice; that of a whole answer in one chunk is its message. */
export function deltaOf(chunk: unknown): Fields {
  const { delta, message } = firstChoice(listOf(fieldsOf(chunk).choices));
  return fieldsOf(delta ?? message);
}

const firstChoice = (choices: readonly unknown[]): Fields => fieldsOf(choices.find((choice) => (fieldsOf(choice).index ?? 0) === 0));

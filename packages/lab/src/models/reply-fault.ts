import { isJsonObject } from '@vouch/contracts';

type Check = (value: unknown) => string | undefined;
type Members = { readonly [name: string]: Check };

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');

const bytes: Check = (value) => (typeof value === 'string' || value instanceof Uint8Array ? undefined : 'must be a string or bytes');

const count: Check = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? undefined : 'must be a whole number';

const status: Check = (value) =>
  value === 0 || (typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599)
    ? undefined
    : 'must be 0 or a status from 200 to 599';

function oneOf(...words: readonly string[]): Check {
  return (value) => (typeof value === 'string' && words.includes(value) ? undefined : `must be one of ${words.join(', ')}`);
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return 'must be an array';
    for (const [index, one] of value.entries()) {
      const fault = check(one);
      if (fault !== undefined) return `at place ${index}: ${fault}`;
    }
    return undefined;
  };
}

const textByName: Check = (value) =>
  isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string') ? undefined : 'must be an object of strings';

function objectOf(needed: Members, optional: Members): Check {
  const members = new Map([...Object.entries(needed), ...Object.entries(optional)]);
  return (value) => {
    if (!isJsonObject(value)) return 'must be an object';
    const missing = Object.keys(needed).find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `\`${missing}\` is missing`;
    for (const [name, member] of Object.entries(value)) {
      const check = members.get(name);
      if (check === undefined) return `it has \`${name.slice(0, 40)}\`, and may have ${[...members.keys()].join(', ')}`;
      if (member === undefined && Object.hasOwn(optional, name)) continue;
      const fault = check(member);
      if (fault !== undefined) return `\`${name}\` ${fault}`;
    }
    return undefined;
  };
}

const usage = objectOf({ inputTokens: count, outputTokens: count }, { cachedTokens: count, reasoningTokens: count });

const probability: Check = (value) => (typeof value === 'number' && value <= 0 ? undefined : 'must be a number of at most 0');
const alternative = objectOf({ token: text, logprob: probability }, {});

const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const thinking = objectOf({ text }, { redacted: flag, summary: listOf(text), beforeCall: count });

const content = objectOf(
  {},
  {
    text,
    toolCalls: listOf(objectOf({ name: text, arguments: text }, { id: text })),
    reasoning: text,
    thinking: listOf(thinking),
    refusal: text,
    finish: text,
    usage: (value) => (value === null ? undefined : usage(value)),
    logprobs: listOf(objectOf({ token: text, logprob: probability }, { top: listOf(alternative) })),
  },
);

const raw = objectOf(
  {
    raw: objectOf(
      { status, headers: textByName, chunks: listOf(bytes), ending: oneOf('end', 'cut', 'reset', 'stall', 'keep-open') },
      { framing: oneOf('chunked', 'close', 'bytes'), chunkDelayMs: count, firstByteMs: count },
    ),
  },
  {},
);

/** Why a value is no reply of the lab, with its place in it; undefined when it is one. A member that there is not is a fault. */
export function replyFault(value: unknown): string | undefined {
  return isJsonObject(value) && Object.hasOwn(value, 'raw') ? raw(value) : content(value);
}

import type { RawReply } from '../answer.ts';
import { type Fault, type FaultContext, replacing } from './fault.ts';

const waited = 'rate limit; waits as asked, then retried';

/** A 429 in the wire's own words, with what asks for the wait. */
function rateLimit({ wire }: FaultContext, headers: Readonly<Record<string, string>>): RawReply {
  const reply = wire.refuse({ status: 429, message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' });
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

function page(status: number, title: string, body: string): RawReply {
  const bytes = Buffer.from(`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body>${body}</body></html>\n`);
  const headers = { 'content-type': 'text/html; charset=UTF-8', 'content-length': String(bytes.length) };
  return { status, headers, chunks: [bytes], ending: 'end' };
}

function empty(status: number, headers: Readonly<Record<string, string>>): RawReply {
  return { status, headers: { ...headers, 'content-length': '0' }, chunks: [], ending: 'end' };
}

/** What comes instead of an answer. */
export const replacingFaults: readonly Fault[] = [
  replacing('rate-limit', '429 with Retry-After in seconds', {
    outcome: waited,
    parameter: { meaning: 'seconds to wait', least: 0, most: 86_400, default: 1 },
    reply: (context) => rateLimit(context, { 'retry-after': String(context.parameter ?? 1) }),
  }),
  replacing('rate-limit-date', '429 with Retry-After as a date', {
    outcome: waited,
    parameter: { meaning: 'seconds from now to the date, rounded up to a whole second', least: 0, most: 86_400, default: 1 },
    reply(context) {
      const second = Math.ceil(context.now / 1_000) + (context.parameter ?? 1);
      return rateLimit(context, { 'retry-after': new Date(second * 1_000).toUTCString() });
    },
  }),
  replacing('rate-limit-ms', '429 with retry-after-ms', {
    outcome: waited,
    parameter: { meaning: 'milliseconds to wait', least: 0, most: 86_400_000, default: 250 },
    reply: (context) => rateLimit(context, { 'retry-after-ms': String(context.parameter ?? 250) }),
  }),
  replacing('overloaded', 'a 5xx with an error of the wire', {
    outcome: 'overloaded, retried',
    parameter: { meaning: 'the status, such as 503 or 529', least: 500, most: 599, default: 503 },
    reply: ({ wire, parameter = 503 }) =>
      wire.refuse({ status: parameter, message: 'The server is overloaded, please try again.', type: 'server_error', code: 'overloaded' }),
  }),
  replacing('html-page', 'a 502 page of a proxy', {
    outcome: 'overloaded, retried by status; no parse error',
    reply: () => page(502, '502 Bad Gateway', '<center><h1>502 Bad Gateway</h1></center>'),
  }),
  replacing('login-page', 'a 200 page of a portal', {
    expected: { whole: 'typed-failure', parts: 'typed-failure' },
    tries: 'every',
    outcome: 'a web page: the address is wrong',
    reply: () => page(200, 'Sign in', '<form action="/login"></form>'),
  }),
  replacing('empty-body', '200 with no body', {
    outcome: 'an empty response, retried',
    reply: () => empty(200, { 'content-type': 'application/json' }),
  }),
  replacing('redirect', 'a redirect of the POST on the same origin', {
    outcome: 'followed, with body and key',
    parameter: { meaning: 'the status, 307 or 308', least: 307, most: 308, default: 307 },
    reply: ({ path, parameter = 307 }) => empty(parameter, { location: path }),
  }),
  replacing('redirect-away', 'a redirect of the POST to another origin', {
    expected: { whole: 'typed-failure', parts: 'typed-failure' },
    tries: 'every',
    outcome: 'not followed: the key goes nowhere else',
    reply: ({ path }) => empty(307, { location: `https://elsewhere.example${path}` }),
  }),
  replacing('reset-head', 'the connection is reset before the head', {
    outcome: 'transport, retried',
    reply: () => ({ status: 0, headers: {}, chunks: [], ending: 'reset' }),
  }),
];

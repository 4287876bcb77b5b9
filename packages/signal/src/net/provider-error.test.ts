import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { faultFromResponse, isMalformedRequestAnswer, ProviderError, providerErrorFrom, transportError } from './provider-error.ts';

const now = Date.UTC(2026, 10, 30, 10, 0, 0);
const context = { secrets: [], now };
const headers =
  (values: { readonly [name: string]: string }) =>
  (name: string): string | undefined =>
    values[name];
const fault = (status: number, body: unknown, values: { readonly [name: string]: string } = {}) =>
  faultFromResponse(
    {
      status,
      text: typeof body === 'string' ? body : JSON.stringify(body),
      header: headers(values),
      headerNames: () => Object.keys(values),
    },
    context,
  );

describe('what an error answer means', () => {
  it.each([
    [400, 'invalid_request', false],
    [401, 'auth', false],
    [402, 'rate_limit', false],
    [403, 'auth', false],
    [404, 'config', false],
    [405, 'config', false],
    [408, 'overloaded', true],
    [409, 'overloaded', true],
    [413, 'invalid_request', false],
    [422, 'invalid_request', false],
    [429, 'rate_limit', true],
    [498, 'overloaded', true],
    [500, 'overloaded', true],
    [501, 'invalid_request', false],
    [502, 'overloaded', true],
    [503, 'overloaded', true],
    [524, 'overloaded', true],
    [529, 'overloaded', true],
  ])('[path-D9] status %i is %s, retryable: %s', (status, cause, retryable) => {
    expect(fault(status, { error: { message: 'x' } })).toMatchObject({ cause, retryable, status, message: 'x' });
  });

  it('[path-D5] reads the overload of the other wire', () => {
    expect(fault(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_1' })).toMatchObject({
      cause: 'overloaded',
      retryable: true,
      requestId: 'req_1',
      providerCode: 'overloaded_error',
    });
  });

  it('[path-D10] does not retry a used-up quota', () => {
    expect(fault(429, { error: { code: 'insufficient_quota', message: 'x' } }).retryable).toBe(false);
    expect(fault(429, { error: { code: '1113', message: 'Insufficient balance' } }).retryable).toBe(false);
  });

  it('obeys x-should-retry', () => {
    expect(fault(400, {}, { 'x-should-retry': 'true' }).retryable).toBe(true);
    expect(fault(503, {}, { 'x-should-retry': 'false' }).retryable).toBe(false);
  });

  it('reads the request id from the headers, and the parameter from the body', () => {
    expect(fault(400, { error: { message: 'x', param: 'response_format' } }, { 'apim-request-id': 'r9' })).toMatchObject({
      requestId: 'r9',
      parameter: 'response_format',
    });
  });

  it('[path-D4] [path-D3] [path-D1] classifies an error inside a good answer by its own words', () => {
    const inside = (payload: Parameters<typeof providerErrorFrom>[0]['payload']) =>
      faultFromResponse({ status: 200, ...(payload === undefined ? {} : { payload }) }, context);
    expect(inside({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).toMatchObject({
      cause: 'overloaded',
      retryable: true,
      status: 200,
    });
    expect(inside({ error: { code: 401, message: 'No auth' } })).toMatchObject({ cause: 'auth', retryable: false, status: 200 });
    expect(inside({ error: { code: 'invalid_request_error', message: 'no' } })).toMatchObject({
      cause: 'invalid_request',
      retryable: false,
    });
    expect(inside({ error: { type: 'rate_limit_error', message: 'slow' } })).toMatchObject({ cause: 'rate_limit', retryable: true });
    expect(inside({ error: 'something odd' })).toMatchObject({ cause: 'overloaded', retryable: true, message: 'something odd' });
  });

  it('[path-D6] [sse-S17] shows a page by its title, or by its text without tags', () => {
    expect(fault(502, '<html><head><title> 502 Bad Gateway </title>').message).toContain('502 Bad Gateway');
    expect(fault(520, '<!DOCTYPE html><p>Web <b>server</b> is down<script>evil()</script>').message).toContain('Web server is down');
    expect(fault(520, `<html>${'<'.repeat(200_000)}`).message.length).toBeLessThan(600);
  });

  it('[path-D14] says that a body was empty', () => {
    expect(fault(500, '')).toMatchObject({ cause: 'overloaded', retryable: true });
    expect(fault(500, '').message).toContain('empty body');
  });

  it('[SG-086] bounds every text', () => {
    const long = fault(400, { error: { message: 'm'.repeat(9_000), code: 'c'.repeat(900), param: 'p'.repeat(900) } });
    expect(long.message.length).toBeLessThan(650);
    expect(long.providerCode).toHaveLength(100);
    expect(long.body?.text.length).toBeLessThan(400);
    expect(long.body?.length).toBeGreaterThan(9_000);
  });

  it('survives a body nested deeply', () => {
    expect(fault(400, `${'{"error":'.repeat(5_000)}1${'}'.repeat(5_000)}`)).toMatchObject({ cause: 'invalid_request' });
  });

  it('[path-D26] knows the answer to a broken request', () => {
    expect(isMalformedRequestAnswer(fault(500, { error: { message: '[json.exception.parse_error.101] x' } }))).toBe(true);
    expect(isMalformedRequestAnswer(fault(500, { error: { message: 'boom' } }))).toBe(false);
  });
});

describe('[path-D11] [path-D12] [path-D13] how long to wait', () => {
  it.each<[string, { readonly [name: string]: string }, number | undefined]>([
    ['seconds', { 'retry-after': '3' }, 3_000],
    ['parts of seconds', { 'retry-after': '0.25' }, 250],
    ['zero', { 'retry-after': '0' }, 0],
    ['a negative number', { 'retry-after': '-1' }, 0],
    ['a huge number', { 'retry-after': '1e9' }, 86_400_000],
    ['a date', { 'retry-after': 'Mon, 30 Nov 2026 10:00:30 GMT' }, 30_000],
    ['a date that has passed', { 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT' }, 0],
    ['milliseconds win', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['a reset', { 'x-ratelimit-reset-requests': '120ms' }, 120],
    [
      'the longest reset of what is used up',
      { 'x-ratelimit-reset-requests': '1m2.5s', 'x-ratelimit-reset-tokens': '6m0.5s', 'x-ratelimit-remaining-tokens': '7' },
      62_500,
    ],
    ['a reset as a date', { 'anthropic-ratelimit-tokens-reset': '2026-11-30T10:01:00Z' }, 60_000],
    ['nothing', {}, undefined],
  ])('%s', (_title, values, expected) => {
    expect(fault(429, {}, values).retryAfterMs).toBe(expected);
  });

  it('reads the delay of the body', () => {
    expect(fault(429, { error: { details: [{ retryDelay: '17s' }], message: 'x' } }).retryAfterMs).toBe(17_000);
  });
});

describe('[SG-038] nothing secret is shown', () => {
  const key = 'sk-canary"1/2+3';

  it('replaces the key in every spelling, in message, body, payload and cause', () => {
    const cause = Object.assign(new Error(`GET https://x.test/?key=${encodeURIComponent(key)}`), {
      headers: { authorization: `Bearer ${key}` },
      code: 'ECONNRESET',
    });
    const error = providerErrorFrom(
      {
        status: 401,
        text: JSON.stringify({ error: { message: `Incorrect API key: ${key}`, code: key, param: key } }),
        header: headers({ 'x-request-id': key }),
      },
      { secrets: [key], now },
      cause,
    );
    for (const shown of [
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
      String(error),
      JSON.stringify(error.payload),
      error.stack ?? '',
    ]) {
      expect(shown).not.toContain('canary');
    }
    expect(error.message).toContain('[redacted]');
    expect(error.cause).toMatchObject({ code: 'ECONNRESET' });
  });

  it('shows the payload in no JSON and no inspection', () => {
    const error = providerErrorFrom(
      { status: 400, payload: { error: { message: 'short', failed_generation: `hidden ${'x'.repeat(500)} words` } } },
      context,
    );
    expect(error.payload).toMatchObject({ error: { message: 'short' } });
    expect(JSON.stringify(error)).not.toContain('words');
    expect(inspect(error, { depth: 9 })).not.toContain('words');
    expect(Object.keys(error)).not.toContain('payload');
  });

  it('keeps the chain of causes as clean copies', () => {
    const inner = Object.assign(new Error(`connect to ${key}`), { code: 'ECONNREFUSED', syscall: 'connect' });
    const error = transportError('No connection.', [key], { cause: new TypeError('fetch failed', { cause: inner }) });
    expect(error).toBeInstanceOf(ProviderError);
    expect(error.fault).toMatchObject({ cause: 'transport', retryable: true });
    expect(error.cause).toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED', message: 'connect to [redacted]' },
    });
  });
});

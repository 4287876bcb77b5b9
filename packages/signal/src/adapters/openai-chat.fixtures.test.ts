import { systemClock } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createHttp } from '../net/http.ts';
import { ProviderError } from '../net/provider-error.ts';
import { drain, endpointOf, httpOf, openDialect, type Sent, summarise } from './test-support/drive.ts';
import { type Fixture, readFixtures } from './test-support/fixtures.ts';

const fixtures = readFixtures();
const titleOf = (fixture: Fixture): string => `${fixture.meta.ids.map((id) => `[${id}] `).join('')}${fixture.name}: ${fixture.meta.title}`;

const endpointFor = (fixture: Fixture, http: ReturnType<typeof httpOf>) =>
  endpointOf(http, { dialect: { ...openDialect, ...fixture.meta.dialect } });

/** Sends through the real `Http`, over a fetch that answers with the fixture's bytes. */
function sendOverFetch(fixture: Fixture): Promise<Sent> {
  const fetch = async (): Promise<Response> =>
    new Response(fixture.body.length === 0 ? null : new Blob([Uint8Array.from(fixture.body)]), {
      status: fixture.meta.status,
      headers: fixture.meta.headers,
    });
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: 60_000, idle: 60_000 }, secrets: [] });
  return drain(endpointFor(fixture, http), fixture.request);
}

describe('every fixture of the wire', () => {
  it('there are many, each with its origin, date and source', () => {
    expect(fixtures.length).toBeGreaterThan(100);
    for (const { meta } of fixtures) {
      expect(['documented', 'constructed']).toContain(meta.origin);
      expect(meta.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(meta.source).not.toBe('');
    }
  });

  it.each(fixtures.map((fixture) => [titleOf(fixture), fixture] as const))('%s', async (_title, fixture) => {
    const sent = await sendOverFetch(fixture);
    const { fault: wanted, calls: wantedCalls, ...rest } = fixture.expect;
    const { fault, calls, ...got } = summarise(
      sent,
      fixture.request.tools?.map((tool) => tool.name),
    );
    expect({ ...got, calls }).toMatchObject({ ...rest, calls: wantedCalls.map((call) => ({ complete: true, ...call })) });
    expect(calls).toHaveLength(wantedCalls.length);
    if (wanted === undefined) {
      expect(sent.error).toBeUndefined();
      return;
    }
    expect(sent.error).toBeInstanceOf(ProviderError);
    const { message, payload, ...fields } = wanted;
    expect(fault).toMatchObject(fields);
    if (message !== undefined) expect(fault?.message).toContain(message);
    if (payload === true) expect((sent.error as ProviderError).payload).toEqual(JSON.parse(new TextDecoder().decode(fixture.body)));
  });
});

describe('[SG-033] every cut of the bytes gives the same parts', () => {
  const comparable = (sent: Sent): string =>
    JSON.stringify([sent.parts, sent.error instanceof ProviderError ? sent.error.fault : String(sent.error)]);

  it.each(fixtures.filter((fixture) => fixture.streamed).map((fixture) => [titleOf(fixture), fixture] as const))(
    '[SG-033] [sse-S7] %s',
    async (_title, fixture) => {
      const send = (chunks: readonly Uint8Array[]): Promise<Sent> =>
        drain(endpointFor(fixture, httpOf(chunks, fixture.meta)), fixture.request);
      const { body } = fixture;
      const wanted = comparable(await send([body]));
      expect(comparable(await send(Array.from(body, (byte) => Uint8Array.of(byte))))).toBe(wanted);
      for (let cut = 1; cut < body.length; cut += 1) {
        const got = comparable(await send([body.subarray(0, cut), body.subarray(cut)]));
        if (got !== wanted) expect(got, `cut at byte ${cut}`).toBe(wanted);
      }
    },
  );
});

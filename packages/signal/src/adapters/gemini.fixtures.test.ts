import { type GenerateContentDialect, systemClock } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { createHttp } from '../net/http.ts';
import { ProviderError } from '../net/provider-error.ts';
import { generateContentDialect } from '../registry/dialects.ts';
import { gemini } from './gemini.ts';
import { drainAdapter, endpointOf, httpOf, type Sent, summarise } from './test-support/drive.ts';
import { type Fixture, readFixturesOf } from './test-support/fixtures.ts';

type Own = Fixture<GenerateContentDialect>;
const fixtures = readFixturesOf<GenerateContentDialect>('gemini');
const titleOf = (fixture: Own): string => `${fixture.meta.ids.map((id) => `[${id}] `).join('')}${fixture.name}: ${fixture.meta.title}`;

const adapterFor = (fixture: Own, http: ReturnType<typeof httpOf>) =>
  gemini(endpointOf(http, { dialect: { ...generateContentDialect, ...fixture.meta.dialect } }));

const comparable = (sent: Sent): string =>
  JSON.stringify([sent.parts, sent.error instanceof ProviderError ? sent.error.fault : String(sent.error)]);

describe('every fixture of the wire', () => {
  it('there are many, each with its origin, date and source', () => {
    expect(fixtures.length).toBeGreaterThan(40);
    for (const { meta } of fixtures) {
      expect(['documented', 'constructed']).toContain(meta.origin);
      expect(meta.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(meta.source).not.toBe('');
    }
  });

  it.each(fixtures.map((fixture) => [titleOf(fixture), fixture] as const))('%s', async (_title, fixture) => {
    const fetch = async (): Promise<Response> =>
      new Response(new Blob([Uint8Array.from(fixture.body)]), { status: fixture.meta.status, headers: fixture.meta.headers });
    const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: 60_000, idle: 60_000 }, secrets: [] });
    const sent = await drainAdapter(adapterFor(fixture, http), fixture.request);
    const { fault: wanted, calls: wantedCalls, providerFinish: word, ...rest } = fixture.expect;
    const { fault, calls, providerFinish, ...got } = summarise(
      sent,
      fixture.request.tools?.map((tool) => tool.name),
    );
    expect({ ...got, calls }).toMatchObject({ ...rest, calls: wantedCalls.map((call) => ({ complete: true, ...call })) });
    expect(calls).toHaveLength(wantedCalls.length);
    expect(providerFinish ?? null).toBe(word);
    if (wanted === undefined) {
      expect(sent.error).toBeUndefined();
      return;
    }
    expect(sent.error).toBeInstanceOf(ProviderError);
    expect(fault).toMatchObject(wanted);
  });

  it('[SG-080] every block that begins ends, none inside another, in order', async () => {
    for (const fixture of fixtures) {
      const { parts } = await drainAdapter(adapterFor(fixture, httpOf([fixture.body], fixture.meta)), fixture.request);
      let open: number | undefined;
      let next = 0;
      for (const part of parts) {
        if (part.type === 'block-start') {
          expect([fixture.name, open, part.index]).toEqual([fixture.name, undefined, next]);
          open = part.index;
          next += 1;
        }
        if (part.type === 'block-end') {
          expect([fixture.name, part.index]).toEqual([fixture.name, open]);
          open = undefined;
        }
        if (/-delta$/.test(part.type)) expect([fixture.name, open]).not.toEqual([fixture.name, undefined]);
      }
      expect([fixture.name, open]).toEqual([fixture.name, undefined]);
    }
  });
});

describe('[SG-033] every cut of the bytes gives the same parts', () => {
  it.each(fixtures.filter((fixture) => fixture.streamed).map((fixture) => [titleOf(fixture), fixture] as const))(
    '[SG-033] [sse-S7] %s',
    async (_title, fixture) => {
      const send = (chunks: readonly Uint8Array[]): Promise<Sent> =>
        drainAdapter(adapterFor(fixture, httpOf(chunks, fixture.meta)), fixture.request);
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

import type { StepOutcome, StepResult } from '@vouch/contracts';
import { sequentialIds } from '@vouch/contracts';
import { manualClock } from '@vouch/contracts/testing';
import { describe, expect, it } from 'vitest';
import { readFixtures } from '../src/adapters/test-support/fixtures.ts';
import { type ClientOptions, compatibleDialect, createSignal, defineTool, type Signal } from '../src/index.ts';
import { drain } from './support/clients.ts';

type Fixture = ReturnType<typeof readFixtures>[number];

const anything = { jsonSchema: { type: 'object' }, validate: () => ({ ok: true }) as const };

/** The fixture's bytes, whatever is asked, cut into pieces of `pieceBytes`. */
function fetchOf({ body, meta }: Fixture, pieceBytes: number): typeof globalThis.fetch {
  return async () => {
    let at = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= body.length) {
          controller.close();
          return;
        }
        controller.enqueue(body.slice(at, at + pieceBytes));
        at += pieceBytes;
      },
    });
    return new Response(stream, { status: meta.status, headers: { ...meta.headers } });
  };
}

function clientOf(fixture: Fixture, pieceBytes: number, options: ClientOptions = {}): Signal<string> {
  const provider = {
    baseUrl: 'https://models.example/v1',
    model: fixture.request.model,
    apiKey: 'sk-fixture',
    dialect: { ...compatibleDialect, ...fixture.meta.dialect },
    capabilities: { nativeTools: 'yes' },
    wire: ['failed-generation'],
    fetch: fetchOf(fixture, pieceBytes),
  } as const;
  return createSignal(provider, {
    clock: manualClock(),
    ids: sequentialIds(),
    retries: 0,
    options: { network: { retries: 0 } },
    ...options,
  });
}

async function complete(client: Signal<unknown>): Promise<unknown> {
  return client.tryComplete('Go.');
}

async function stream(client: Signal<unknown>): Promise<unknown> {
  const last = (await drain(client.stream('Go.'))).at(-1);
  if (last?.type === 'error') return { ok: false, failure: last.failure };
  if (last?.type !== 'done') throw new Error('no last event');
  const { type: _type, ...result } = last;
  return { ok: true, ...result };
}

describe.each(readFixtures().map((fixture) => [fixture.name, fixture] as const))('%s', (_name, fixture) => {
  const tools = (fixture.request.tools ?? []).map(({ name, description, jsonSchema }) =>
    defineTool({ name, description, input: { jsonSchema, validate: () => ({ ok: true }) }, execute: (input) => input }),
  );

  it.each([
    ['free text', {}],
    ['tools', { tools }],
    ['a schema', { schema: anything }],
    ['a schema and tools', { tools, schema: anything }],
  ] as const)('[SG-083] [SG-080] comes to the same by complete and by stream, with %s', async (_title, options) => {
    const whole = await complete(clientOf(fixture, 1_000_000, options));
    expect(await stream(clientOf(fixture, 1_000_000, options))).toEqual(whole);
    expect(await stream(clientOf(fixture, 1, options))).toEqual(whole);
  });

  it('[SG-035] [SG-060] is a typed outcome: calls, output, a failure, or a typed error', async () => {
    const { tools: declared, messages } = fixture.request;
    const request = { messages, ...(declared === undefined ? {} : { tools: declared }), output: { accept: anything } };
    const kinds: readonly StepOutcome['kind'][] = ['tool_calls', 'output', 'failed'];
    const result = await clientOf(fixture, 64)
      .step(request)
      .catch((error: unknown) => error);
    if (result instanceof Error)
      expect(result).toMatchObject({
        name: 'SignalError',
        code: expect.stringMatching(/^E_/),
        evidence: { requestDigest: expect.any(String) },
      });
    else expect(kinds).toContain((result as StepResult).outcome?.kind);
  });
});

import {
  type Carry,
  type JsonObject,
  type Message,
  type MessagePart,
  sequentialIds,
  systemClock,
  type WithheldPart,
} from '@vouch/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdapterEndpoint, ProviderRequest } from '../src/adapters/adapter.ts';
import { generateContentBody } from '../src/adapters/gemini/request.ts';
import { gemini } from '../src/adapters/gemini.ts';
import { createHttp } from '../src/net/http.ts';
import { generateContentDialect } from '../src/registry.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { callsOf, createTurn, partsOf, takePart } from '../src/step/assemble.ts';

const ids = sequentialIds();
const author = { provider: 'p', model: 'm', ids };
const skip = 'skip_thought_signature_validator';

const signed = (thoughtSignature: string | undefined): JsonObject => (thoughtSignature === undefined ? {} : { thoughtSignature });
const said = (text: string, signature?: string): JsonObject => ({ text, ...signed(signature) });
const thought = (text: string, signature?: string): JsonObject => ({ thought: true, text, ...signed(signature) });
const call = (pier: number, signature?: string, id?: string): JsonObject => ({
  functionCall: { name: 'find_berth', args: { pier }, ...(id === undefined ? {} : { id }) },
  ...signed(signature),
});
const picture: JsonObject = { inlineData: { mimeType: 'image/png', data: 'QUJD' } };

const responseOf = (parts: readonly JsonObject[], finish: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...finish }],
});

/** The bytes of a response, whole or as a stream of `size` parts an event. */
function bytesOf(parts: readonly JsonObject[], size: number | undefined): string {
  if (size === undefined) return JSON.stringify(responseOf(parts, { finishReason: 'STOP' }));
  const events: JsonObject[] = [];
  for (let at = 0; at < parts.length; at += size) events.push(responseOf(parts.slice(at, at + size)));
  events.push(responseOf([], { finishReason: 'STOP' }));
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** What a turn with these parts becomes in the history, after a trip through JSON. */
async function turnOf(given: readonly JsonObject[], size?: number): Promise<Message> {
  const fetch = async (): Promise<Response> => new Response(bytesOf(given, size));
  const forever = Number.POSITIVE_INFINITY;
  const http = createHttp({ fetch, clock: systemClock, timeout: { firstByte: forever, idle: forever }, secrets: [] });
  const endpoint: AdapterEndpoint = { provider: 'p', baseUrl: 'http://p.test', dialect: generateContentDialect, http, ids };
  const user: Message = { role: 'user', parts: [{ id: 'u', origin: { kind: 'caller' }, trust: 'user', type: 'text', text: 'x' }] };
  const request: ProviderRequest = { model: 'm', messages: [user], delivery: size === undefined ? 'whole' : 'parts' };
  const turn = createTurn(() => ids('call'), ['find_berth']);
  for await (const list of gemini(endpoint).send(request, { signal: new AbortController().signal }))
    for (const part of list) takePart(turn, part, []);
  const calls = callsOf(turn).map(({ id, name, argsText }) => ({ id, name, argsText, args: {} as JsonObject }));
  return JSON.parse(JSON.stringify(assistantMessage({ parts: partsOf(turn), calls: calls as never }, author))) as Message;
}

const sent = (messages: readonly Message[], more: Partial<ProviderRequest> = {}, provider = 'p') =>
  generateContentBody({ model: 'm', messages, delivery: 'whole', ...more }, { provider, dialect: generateContentDialect });
const partsOfBody = (body: JsonObject, place = 0): readonly JsonObject[] =>
  (body.contents as unknown as readonly { readonly parts: readonly JsonObject[] }[])[place]?.parts ?? [];

/** What must go back: neighbours without a signature are one text, thoughts without one stay out. */
function expected(parts: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  let run: 'text' | 'thought' | undefined;
  for (const part of parts) {
    const isText = typeof part.text === 'string';
    const hasSignature = part.thoughtSignature !== undefined;
    if (isText && !hasSignature && part.text === '') continue;
    const kind = isText && !hasSignature ? (part.thought === true ? 'thought' : 'text') : undefined;
    const last = kept.at(-1);
    if (kind === 'text' && run === 'text' && last !== undefined)
      kept[kept.length - 1] = { text: `${String(last.text)}${String(part.text)}` };
    else if (kind !== 'thought') kept.push(part);
    run = kind;
  }
  return kept;
}

const idOf = (part: JsonObject): unknown => (part.functionCall as JsonObject | undefined)?.id;

/** A call under an id that was given already is the same call once more. */
const withoutRepeatedIds = (parts: readonly JsonObject[]): readonly JsonObject[] =>
  parts.filter((part, place) => idOf(part) === undefined || parts.findIndex((other) => idOf(other) === idOf(part)) === place);

describe('what the server gave goes back as it came', () => {
  const anyText = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
  const signature = fc.option(fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }), { nil: undefined });
  const any = fc.oneof(
    fc.tuple(anyText, signature).map(([text, own]) => said(text, own)),
    fc.tuple(anyText, signature).map(([text, own]) => thought(text, own)),
    signature.map((own) => said('', own)),
    fc.constant(picture),
    fc.tuple(fc.nat(9), signature, fc.option(fc.constantFrom('fc-1', 'fc-2'), { nil: undefined })).map((drawn) => call(...drawn)),
    fc.constant({ functionCall: { name: 'find_berth' } }),
  );

  it('[TH-002] [TH-014] any signatures, any chunking, any number of turns, through JSON: the same bytes in the same places', async () => {
    const turns = fc.array(fc.array(any, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), async (many, size) => {
        const drawn = many.map(withoutRepeatedIds);
        const history = await Promise.all(drawn.map((parts) => turnOf(parts, size)));
        const wanted = drawn.map(expected).filter((parts) => parts.length > 0);
        if (wanted.length === 0) return;
        const { body, withheld } = sent(history);
        expect(withheld).toEqual([]);
        expect(JSON.stringify(body.contents)).toBe(JSON.stringify(wanted.map((parts) => ({ role: 'model', parts }))));
      }),
      { numRuns: 300 },
    );
  });

  it('[SG-080] [TH-014] whole or streamed, the same message with the same carries', async () => {
    const plain = (turn: Message): unknown => {
      // Ids are made up as they are needed, so the same text under others.
      const known = new Map<string, number>();
      return JSON.parse(JSON.stringify(turn), (key, value) =>
        (key === 'id' || key === 'callId') && /_/.test(String(value))
          ? (known.get(value) ?? known.set(value, known.size).get(value))
          : value,
      );
    };
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 7 }), fc.integer({ min: 1, max: 3 }), async (parts, size) => {
        expect(plain(await turnOf(parts, size))).toEqual(plain(await turnOf(parts)));
      }),
      { numRuns: 200 },
    );
  });

  it('[TH-014] a signature of a megabyte, and one on an empty text that ends a turn or is all of it', async () => {
    const long = 'c2ln'.repeat(250_000);
    for (const parts of [[call(7, long)], [said('Pier 7.'), said('', long)], [said('', long)], [said('', long), call(7)]])
      for (const size of [undefined, 1]) expect(partsOfBody(sent([await turnOf(parts, size)]).body)).toEqual(parts);
  });

  it('[TH-014] results go by the id that the server gave, and by order alone where it gave none', async () => {
    const turn = await turnOf([call(7, 'c2ln', 'fc-1'), call(8)]);
    const results = turn.parts.flatMap((part): readonly Message[] =>
      part.type === 'tool-call'
        ? [{ role: 'tool', parts: [{ ...part, type: 'tool-result', text: '{"free":true}', outcome: 'succeeded' }] as never }]
        : [],
    );
    expect(partsOfBody(sent([turn, ...results.toReversed()]).body, 1)).toEqual([
      { functionResponse: { id: 'fc-1', name: 'find_berth', response: { free: true } } },
      { functionResponse: { name: 'find_berth', response: { free: true } } },
    ]);
  });

  it('[TH-013] [TH-001] thoughts stand in the order of the response, a signed one with its signature', async () => {
    const turn = await turnOf([thought('One'), thought(' two', 'c2ln'), said('Hm.'), thought('Three'), call(7, 'c2ln')], 1);
    expect(turn.parts.map((part) => (part.type === 'thinking' ? part.block : part.type))).toEqual([
      { type: 'thinking', content: 'One' },
      { type: 'thinking', content: ' two', signature: 'c2ln' },
      'text',
      { type: 'thinking', content: 'Three' },
      'tool-call',
    ]);
  });

  it('[TH-005] no part holds facts of the provider but in its carry', async () => {
    const turn = await turnOf([thought('One'), { ...said('Hm.', 'c2ln'), partMetadata: { canary: 'x' } }, call(7, 'c2ln')]);
    const shown = turn.parts.map(({ carry: _carry, ...part }) => part);
    expect(JSON.stringify(shown)).not.toMatch(/canary|c2ln/);
  });
});

describe('what the server would refuse stays out, and is reported', () => {
  const parts = [said('Looking.', 'dGV4dA'), call(7, 'c2ln', 'fc-1'), call(8, undefined, 'fc-2'), said('', 'ZW5k')];
  const edit = (turn: Message, change: (part: MessagePart) => MessagePart | undefined): Message => ({
    ...turn,
    parts: turn.parts.flatMap((part) => change(part) ?? []),
  });
  const reasons = (withheld: readonly WithheldPart[]): readonly string[] => [...new Set(withheld.map(({ reason }) => reason))];
  const isCall = (part: MessagePart, id: string): boolean => part.type === 'tool-call' && part.callId === id;
  const bare = [said('Looking.'), call(7, skip), call(8)];

  it('[TH-015] to another model, and to another provider: every signature, and the stand-in for the first call', async () => {
    const turn = await turnOf(parts);
    for (const [request, provider, reason] of [
      [{ model: 'n' }, 'p', 'other-model'],
      [{}, 'q', 'other-provider'],
    ] as const) {
      const { body, withheld } = sent([turn], request, provider);
      expect(partsOfBody(body)).toEqual(bare);
      expect(reasons(withheld)).toEqual([reason]);
      const owners = turn.parts.filter(({ carry }) => carry !== undefined).map(({ id }) => id);
      expect([...new Set(withheld.map(({ partId }) => partId))]).toEqual(owners);
    }
  });

  it('[TH-015] carries of another wire', async () => {
    const carry: Carry = {
      owner: { kind: 'item', id: 'x' },
      shape: 'responses-item',
      provider: 'p',
      model: 'm',
      data: { type: 'message' },
    };
    const turn = edit(await turnOf([said('Pier 7.')]), (part) => ({ ...part, carry: [carry] }));
    const { body, withheld } = sent([turn]);
    expect(partsOfBody(body)).toEqual([said('Pier 7.')]);
    expect(withheld).toMatchObject([{ type: 'withheld', shape: 'responses-item', reason: 'other-provider' }]);
  });

  it('[TH-015] a text that was edited goes out as edited, unsigned; a call as its arguments stand now, signed', async () => {
    const turn = await turnOf(parts);
    const edited = sent([edit(turn, (part) => (part.type === 'text' ? { ...part, text: 'Pier 8.' } : part))]);
    expect(partsOfBody(edited.body)[0]).toEqual(said('Pier 8.'));
    expect(reasons(edited.withheld)).toEqual(['edited']);
    const repaired = sent([edit(turn, (part) => (isCall(part, 'fc-1') ? ({ ...part, arguments: '{"pier":9}' } as MessagePart) : part))]);
    expect(partsOfBody(repaired.body)[1]).toEqual(call(9, 'c2ln', 'fc-1'));
    expect(repaired.withheld).toEqual([]);
    const renamed = sent([edit(turn, (part) => (isCall(part, 'fc-1') ? ({ ...part, name: 'other' } as MessagePart) : part))]);
    expect(partsOfBody(renamed.body)[1]).toEqual({ functionCall: { name: 'other', args: { pier: 7 } }, thoughtSignature: skip });
    expect(reasons(renamed.withheld)).toEqual(['edited']);
  });

  it('[TH-015] the call that becomes the first, because the signed one is gone, takes the stand-in', async () => {
    const turn = await turnOf(parts.slice(1));
    const [first] = turn.parts;
    const kept = edit(turn, (part) => (isCall(part, 'fc-1') ? undefined : part));
    const orphaned: Message = {
      ...kept,
      parts: kept.parts.map((part) => ({ ...part, carry: [...(first?.carry ?? []), ...(part.carry ?? [])] })),
    };
    const { body, withheld } = sent([orphaned]);
    expect(partsOfBody(body)).toEqual([call(8, skip, 'fc-2'), said('', 'ZW5k')]);
    expect(reasons(withheld)).toEqual(['incomplete']);
  });

  it('[TH-014] calls that the server itself did not sign go back without a stand-in', async () => {
    const unsigned = [call(7), call(8)];
    expect(partsOfBody(sent([await turnOf(unsigned)]).body)).toEqual(unsigned);
  });

  it('[TH-014] an answer by arguments that stands as text goes out as text', async () => {
    const [own] = (await turnOf([call(7, 'c2ln')])).parts;
    const text = { id: 'x', origin: { kind: 'caller' }, trust: 'user', type: 'text', text: '{"pier":7}' } as const;
    const turn: Message = { role: 'assistant', parts: [{ ...text, ...(own?.carry === undefined ? {} : { carry: own.carry }) }] };
    const { body, withheld } = sent([turn]);
    expect(partsOfBody(body)).toEqual([said('{"pier":7}')]);
    expect(reasons(withheld)).toEqual(['incomplete']);
  });
});

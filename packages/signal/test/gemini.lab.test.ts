import { type JsonObject, type JsonValue, type Message, type MessageInput, type StepResult, sequentialIds } from '@vouch/contracts';
import { type Lab, type LabContent, type LabModel, type LabRequest, pathologies, scripted, startLab } from '@vouch/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CustomProviderConfig, createSignal, defineTool, type Signal } from '../src/index.ts';
import { generateContentDialect } from '../src/registry.ts';
import { assistantMessage } from '../src/run/messages.ts';
import { drain, withGrammar } from './support/clients.ts';
import { deliveriesOf, expectRow } from './support/pathology-cases.ts';

const labs: Lab[] = [];
afterEach(async () => {
  await Promise.all(labs.splice(0).map((lab) => lab.close()));
});

const findBerth = defineTool({
  name: 'find_berth',
  description: 'Finds a berth.',
  input: z.object({ pier: z.int() }),
  execute: ({ pier }) => ({ pier, free: pier > 3 }),
});

const wire = { adapter: 'gemini', dialect: generateContentDialect } as const;

interface Opened {
  readonly lab: Lab;
  readonly client: Signal<string>;
}

async function open(model: LabModel, provider: Partial<CustomProviderConfig> = {}): Promise<Opened> {
  const lab = await startLab({ model });
  labs.push(lab);
  const client = createSignal(
    { baseUrl: `${lab.origin}/v1beta`, ...wire, model: 'm-1', apiKey: 'k', capabilities: withGrammar, ...provider },
    { ids: sequentialIds(), maxTurns: 20 },
  );
  return { lab, client };
}

const steps = 10;

/** Calls tools for ten turns, one to three at a time, with thoughts before and between the calls, then answers. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= steps) return { thinking: [{ text: 'All seen. é 🚀' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return {
    thinking: [{ text: `Turn ${turn}.` }, ...(calls.length > 2 ? [{ text: 'And the third?', beforeCall: 2 }] : [])],
    ...(turn % 4 === 1 ? { text: `Looking at ${turn}.` } : {}),
    toolCalls: calls,
  };
});

const contentsOf = ({ body }: LabRequest): readonly JsonObject[] =>
  ((body as JsonObject).contents as readonly JsonValue[]).map((content) => content as JsonObject);
const signaturesOf = (request: LabRequest): number => JSON.stringify(request.body).split('"thoughtSignature":').length - 1;

const run = async (client: Signal<string>, delivery: 'whole' | 'stream', input: string): Promise<readonly Message[]> => {
  if (delivery === 'whole') return (await client.complete(input)).history;
  const last = (await drain(client.stream(input))).at(-1);
  if (last?.type !== 'done') throw new Error(`ended in ${JSON.stringify(last).slice(0, 500)}`);
  return last.history;
};

describe.each(['whole', 'stream'] as const)('signatures go back: %s', (delivery) => {
  it('[TH-014] [TH-002] through a loop of ten turns, the judging server taking every request', async () => {
    const { lab, client } = await open(looping);
    await run(client.tools([findBerth]).options({ thinking: { mode: 'adaptive', effort: 'low' } }), delivery, 'Which pier is free?');
    const requests = lab.requests();
    expect(requests.map(({ status }) => status)).toEqual(Array(steps + 1).fill(200));
    for (const [index, request] of requests.entries()) {
      expect(request.body).toMatchObject({ generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } } });
      // Append-only: what was sent before is sent again as it was, byte for byte.
      const before = requests[index - 1];
      if (before !== undefined) expect(JSON.stringify(contentsOf(request))).toContain(JSON.stringify(contentsOf(before)).slice(1, -1));
      expect(signaturesOf(request)).toBe(index);
    }
    expect(JSON.stringify(requests.at(-1)?.body)).not.toContain('skip_thought');
  });

  it('[TH-014] through JSON and into a new client, and on to another model without them', async () => {
    const first = await open(looping);
    const history = await run(first.client.tools([findBerth]).options({ thinking: { mode: 'adaptive' } }), delivery, 'Which pier?');
    const stored = JSON.parse(JSON.stringify(history)) as readonly Message[];
    const again = createSignal({ baseUrl: `${first.lab.origin}/v1beta`, ...wire, model: 'm-1', apiKey: 'k' }, { ids: sequentialIds() });
    await run(again.tools([findBerth]).history(stored), delivery, 'Sure?');
    const own = first.lab.requests().at(-1) as LabRequest;
    expect([own.status, signaturesOf(own)]).toEqual([200, steps + 1]);
    await run(again.tools([findBerth]).history(stored).model('m-2'), delivery, 'Sure?');
    const other = first.lab.requests().at(-1) as LabRequest;
    expect(other.status).toBe(200);
    expect(JSON.stringify(other.body).split('"thoughtSignature":"skip_thought_signature_validator"').length - 1).toBe(steps);
    expect(signaturesOf(other)).toBe(steps);
  });

  it('[TH-014] stopped between a call and its result, stored, and gone on with in another process', async () => {
    const { lab, client } = await open(looping);
    const tool = {
      name: 'find_berth',
      description: 'Finds a berth.',
      jsonSchema: { type: 'object', properties: { pier: { type: 'integer' } } },
    };
    const ask = async (from: Signal<string>, messages: readonly MessageInput[]): Promise<StepResult> => {
      const request = { messages, tools: [tool] };
      if (delivery === 'whole') return from.step(request);
      const last = (await drain(from.stepStream(request))).at(-1);
      if (last?.type !== 'done') throw new Error('no done');
      return last.result;
    };
    let stored: readonly MessageInput[] = [{ role: 'user', content: 'Which pier?' }];
    for (let turn = 0; turn < 4; turn += 1) {
      // A client of its own for every turn: nothing is known but what was stored.
      const { parts, toolCalls } = await ask(
        turn === 0 ? client : createSignal({ baseUrl: `${lab.origin}/v1beta`, ...wire, model: 'm-1' }),
        stored,
      );
      const said = assistantMessage({ parts, calls: toolCalls }, { provider: 'custom', model: 'm-1', ids: sequentialIds() });
      const results = toolCalls.map(({ id, name }): MessageInput => ({ role: 'tool', toolCallId: id, name, content: '{"free":true}' }));
      stored = JSON.parse(JSON.stringify([...stored, said, ...results.toReversed()])) as readonly MessageInput[];
    }
    const requests = lab.requests();
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(requests.map(signaturesOf)).toEqual([0, 1, 2, 3]);
    expect(JSON.stringify(requests.at(-1)?.body)).not.toContain('skip_thought');
  });

  it('[TH-015] [path-F9] a history of another wire goes on here in the middle of its turn', async () => {
    const { lab, client } = await open(scripted(() => ({ text: 'Pier 7.' })));
    const history = [
      { role: 'user', content: 'Which pier?' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'find_berth', args: '{"pier":7}' }] },
      { role: 'tool', toolCallId: 'call_1', name: 'find_berth', content: '{"free":true}' },
    ] as const;
    const request = { messages: history };
    if (delivery === 'whole') await client.step(request);
    else await drain(client.stepStream(request));
    expect(lab.requests().map(({ status }) => status)).toEqual([200]);
  });
});

describe('what the wire is asked for', () => {
  it('[SG-030] [SG-038] the key in its own header, the model in the path, a schema as the wire spells it', async () => {
    const { lab, client } = await open(scripted(() => ({ text: '{"pier":7}' })));
    expect((await client.schema(z.object({ pier: z.int() })).complete('Where?')).response).toEqual({ pier: 7 });
    const [request] = lab.requests();
    expect(request).toMatchObject({ path: '/v1beta/models/m-1:generateContent', wire: 'gemini', model: 'm-1' });
    expect(request?.body).toMatchObject({
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object', required: ['pier'] } },
    });
    expect(request?.headers).toHaveProperty('x-goog-api-key');
  });

  it('[SG-053] a schema fitted to what the wire reads; what that drops, the gate still asks for', async () => {
    const answers = ['{"name":"","kind":"berth","list":[]}', '{"name":"A","kind":"berth","list":[]}'];
    const { lab, client } = await open(scripted(answers.map((text) => ({ text }))));
    const schema = z.object({ name: z.string().min(1), kind: z.literal('berth'), list: z.array(z.int()).max(3) });
    const result = await client.schema(schema).complete('Which?');
    expect(result.response).toEqual({ name: 'A', kind: 'berth', list: [] });
    expect(lab.requests()).toHaveLength(2);
    const body = lab.requests()[0]?.body;
    const properties = { name: { type: 'string' }, kind: { type: 'string', enum: ['berth'] }, list: { type: 'array', maxItems: 3 } };
    expect(body).toMatchObject({ generationConfig: { responseJsonSchema: { properties } } });
    expect(JSON.stringify(body)).not.toMatch(/minLength|const|\$schema/);
    const list = await open(scripted(() => ({ text: '{"value":[7]}' })));
    expect((await list.client.schema(z.array(z.int())).complete('Which?')).response).toEqual([7]);
  });

  it('[SG-036] says the usage that the server reported, thoughts beside the words', async () => {
    const usage = { inputTokens: 21, outputTokens: 9, reasoningTokens: 4, cachedTokens: 3 };
    const { client } = await open(scripted(() => ({ text: 'Pier 7.', usage })));
    const said = { inputTokens: 21, outputTokens: 9, totalTokens: 30, reported: true, cached: 3, reasoning: 4 };
    expect((await drain(client.stream('Where?'))).at(-1)).toMatchObject({ type: 'done', meta: { usage: said } });
    expect((await client.complete('Where?')).meta.usage).toEqual(said);
  });

  it('[SG-037] an abort in the middle of a stream closes the connection', async () => {
    const event = { candidates: [{ content: { parts: [{ text: 'Pier' }], role: 'model' } }] };
    const raw = {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      chunks: [`data: ${JSON.stringify(event)}\r\n\r\n`],
      ending: 'stall',
    } as const;
    const { lab, client } = await open(scripted(() => ({ raw })));
    const controller = new AbortController();
    const events: string[] = [];
    for await (const one of client.options({ signal: controller.signal }).stream('Where?')) {
      events.push(one.type);
      if (one.type === 'text') controller.abort(new Error('enough'));
      if (one.type === 'error') expect(one.failure.kind).toBe('aborted');
    }
    expect(events.at(-1)).toBe('error');
    await lab.idle();
    expect(lab.requests()[0]?.clientClosedEarly).toBe(true);
  });
});

const shown = pathologies.filter(({ apply, applyOn, wires }) => wires.includes('gemini') && (applyOn?.gemini ?? apply) !== undefined);

describe('every pathology of the catalogue that shows on this wire', () => {
  it('[SG-100] but one, which no answer can show', () => {
    expect(pathologies.filter((one) => one.wires.includes('gemini') && !shown.includes(one)).map(({ id }) => id)).toEqual(['F13']);
  });

  it.each(
    shown.flatMap((pathology) => deliveriesOf(pathology).map((delivery) => [pathology.id, pathology.title, delivery, pathology] as const)),
  )('[path-%s] %s, %s: what the catalogue expects', async (_id, _title, delivery, pathology) => {
    await expectRow(pathology, delivery, { ...wire, wire: ['failed-generation', 'jsonl-lines'] });
  });
});

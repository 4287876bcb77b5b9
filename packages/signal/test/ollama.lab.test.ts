import { type JsonObject, type Message, sequentialIds } from '@vouch/contracts';
import { type Lab, type LabContent, type LabModel, type LabRequest, pathologies, scripted, startLab } from '@vouch/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CustomProviderConfig, createSignal, defineTool, type Signal } from '../src/index.ts';
import { ollamaDialect } from '../src/registry.ts';
import { drain, withGrammar } from './support/clients.ts';
import { deliveriesOf, expectRow } from './support/pathology-cases.ts';

const labs: Lab[] = [];
afterEach(async () => {
  await Promise.all(labs.splice(0).map((lab) => lab.close()));
});

// The lab's origin is this wire's base; the tests share a helper that gives the base of another.
const wire = { adapter: 'ollama', dialect: { ...ollamaDialect, path: '/../api/chat' } } as const;

const findBerth = defineTool({
  name: 'find_berth',
  description: 'Finds a berth.',
  input: z.object({ pier: z.int() }),
  execute: ({ pier }) => ({ pier, free: pier > 3 }),
});

interface Opened {
  readonly lab: Lab;
  readonly client: Signal<string>;
}

async function open(model: LabModel, provider: Partial<CustomProviderConfig> = {}): Promise<Opened> {
  const lab = await startLab({ model });
  labs.push(lab);
  const client = createSignal(
    { baseUrl: lab.origin, adapter: 'ollama', model: 'q', capabilities: withGrammar, ...provider },
    { ids: sequentialIds(), maxTurns: 20 },
  );
  return { lab, client };
}

const steps = 10;

/** Calls tools for ten turns, thinking before and between the calls, then answers. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= steps) return { thinking: [{ text: 'All seen. é 🚀' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return {
    thinking: [{ text: `Turn ${turn} \n` }, ...(calls.length > 2 ? [{ text: 'And the third?', beforeCall: 2 }] : [])],
    ...(turn % 4 === 1 ? { text: `Looking at ${turn}.` } : {}),
    toolCalls: calls,
  };
});

const messagesOf = ({ body }: LabRequest): readonly JsonObject[] => (body as JsonObject).messages as readonly JsonObject[];

const run = async (client: Signal<string>, delivery: 'whole' | 'stream', input: string): Promise<readonly Message[]> => {
  if (delivery === 'whole') return (await client.complete(input)).history;
  const last = (await drain(client.stream(input))).at(-1);
  if (last?.type !== 'done') throw new Error(`ended in ${JSON.stringify(last).slice(0, 500)}`);
  return last.history;
};

const thinkingOf = (turn: number): string => `Turn ${turn} \n${turn % 3 === 2 ? 'And the third?' : ''}`;

describe.each(['whole', 'stream'] as const)('thinking goes back: %s', (delivery) => {
  it('[TH-014] [TH-002] [TH-015] through a loop of ten turns, each request the one before and what came since', async () => {
    const { lab, client } = await open(looping);
    await run(client.tools([findBerth]).options({ thinking: { mode: 'adaptive', effort: 'low' } }), delivery, 'Which pier is free?');
    const requests = lab.requests();
    expect(requests.map(({ status }) => status)).toEqual(Array(steps + 1).fill(200));
    for (const [index, request] of requests.entries()) {
      expect(request.body).toMatchObject({ think: 'low', stream: delivery === 'stream' });
      const before = requests[index - 1];
      if (before !== undefined) expect(JSON.stringify(messagesOf(request))).toContain(JSON.stringify(messagesOf(before)).slice(1, -1));
      const said = messagesOf(request).filter(({ role }) => role === 'assistant');
      expect(said.map(({ thinking }) => thinking)).toEqual([...Array(index).keys()].map(thinkingOf));
      for (const { tool_calls: calls } of said)
        for (const call of calls as readonly JsonObject[])
          expect((call.function as JsonObject).arguments).toEqual({ pier: expect.any(Number) });
    }
  });

  it('[TH-014] through JSON and into a new client; to another model it stays out, and the call says so', async () => {
    const first = await open(looping);
    const history = await run(first.client.tools([findBerth]).options({ thinking: { mode: 'adaptive' } }), delivery, 'Which pier?');
    const stored = JSON.parse(JSON.stringify(history)) as readonly Message[];
    const again = createSignal({ baseUrl: first.lab.origin, adapter: 'ollama', model: 'q' }, { ids: sequentialIds() });
    await run(again.tools([findBerth]).history(stored), delivery, 'Sure?');
    const own = first.lab.requests().at(-1) as LabRequest;
    expect(messagesOf(own).filter(({ thinking }) => thinking !== undefined)).toHaveLength(steps + 1);
    expect(messagesOf(own).at(-2)).toMatchObject({ role: 'assistant', content: 'Pier 7.', thinking: 'All seen. é 🚀' });
    await run(again.tools([findBerth]).history(stored).model('r'), delivery, 'Sure?');
    expect(messagesOf(first.lab.requests().at(-1) as LabRequest).filter(({ thinking }) => thinking !== undefined)).toEqual([]);
  });
});

describe('what the wire is asked for', () => {
  it('[SG-030] a schema goes as the format, without thinking unless that is asked for', async () => {
    const { lab, client } = await open(scripted(() => ({ text: '{"pier":7}' })));
    const schema = z.object({ pier: z.int() });
    expect((await client.schema(schema).complete('Where?')).response).toEqual({ pier: 7 });
    expect(lab.requests().at(-1)?.body).toMatchObject({ format: { type: 'object', required: ['pier'] }, think: false, stream: false });
    await client
      .schema(schema)
      .options({ thinking: { mode: 'adaptive' } })
      .complete('Where?');
    expect(lab.requests().at(-1)?.body).toMatchObject({ think: true });
  });

  it('[SG-030] [SG-036] needs no key, streams by lines, and says the usage that the server reported', async () => {
    const { lab, client } = await open(scripted(() => ({ text: 'Pier 7.', usage: { inputTokens: 21, outputTokens: 9 } })));
    const events = await drain(client.stream('Where?'));
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(0);
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      response: 'Pier 7.',
      meta: { usage: { inputTokens: 21, outputTokens: 9, totalTokens: 30, reported: true } },
    });
    const [request] = lab.requests();
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.headers.accept).toBe('application/x-ndjson');
  });

  it('[SG-037] an abort in the middle of a stream closes the connection', async () => {
    const raw = {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      chunks: [`${JSON.stringify({ model: 'q', message: { role: 'assistant', content: 'Pier' }, done: false })}\n`],
      ending: 'stall',
    } as const;
    const { lab, client } = await open(scripted(() => ({ raw })));
    const controller = new AbortController();
    const events: string[] = [];
    for await (const event of client.options({ signal: controller.signal }).stream('Where?')) {
      events.push(event.type);
      if (event.type === 'text') controller.abort(new Error('enough'));
      if (event.type === 'error') expect(event.failure.kind).toBe('aborted');
    }
    expect(events.at(-1)).toBe('error');
    await lab.idle();
    expect(lab.requests()[0]?.clientClosedEarly).toBe(true);
  });
});

const shown = pathologies.filter(({ apply, applyOn, wires }) => wires.includes('ollama') && (applyOn?.ollama ?? apply) !== undefined);

describe('every pathology of the catalogue that shows on this wire', () => {
  it.each(
    shown.flatMap((pathology) => deliveriesOf(pathology).map((delivery) => [pathology.id, pathology.title, delivery, pathology] as const)),
  )('[path-%s] %s, %s: what the catalogue expects', (_id, _title, delivery, pathology) =>
    expectRow(pathology, delivery, { ...wire, wire: ['failed-generation', 'jsonl-lines'] }),
  );
});

import { type JsonObject, type Message, sequentialIds, systemClock } from '@vouch/contracts';
import { type Lab, type LabContent, type LabModel, type LabRequest, pathologies, scripted, startLab } from '@vouch/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CustomProviderConfig, createSignal, defineTool, type Signal } from '../src/index.ts';
import { messagesDialect } from '../src/registry.ts';
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

interface Opened {
  readonly lab: Lab;
  readonly client: Signal<string>;
}

const clientOf = (lab: Lab, provider: Partial<CustomProviderConfig> = {}): Signal<string> =>
  createSignal(
    {
      baseUrl: lab.baseUrl,
      adapter: 'anthropic-messages',
      dialect: messagesDialect,
      model: 'm-1',
      apiKey: 'k',
      capabilities: withGrammar,
      ...provider,
    },
    { ids: sequentialIds(), maxTurns: 20 },
  );

async function open(model: LabModel): Promise<Opened> {
  const lab = await startLab({ model });
  labs.push(lab);
  return { lab, client: clientOf(lab) };
}

const steps = 10;

/** Calls tools for ten turns, with thinking of every form before and between the calls, then answers. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= steps) return { thinking: [{ text: 'All seen.' }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return {
    thinking: [
      { text: `Turn ${turn} é 🚀.`, redacted: turn % 4 === 3 },
      ...(calls.length > 2 ? [{ text: 'And the third?', beforeCall: 2 }] : []),
    ],
    ...(turn % 4 === 1 ? { text: `Looking at ${turn}.` } : {}),
    toolCalls: calls,
  };
});

type Sent = readonly { readonly role: string; readonly content: string | readonly JsonObject[] }[];
const messagesOf = ({ body }: LabRequest): Sent => (body as JsonObject).messages as unknown as Sent;
const thinkingOf = (request: LabRequest): readonly JsonObject[] =>
  messagesOf(request).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
  );

const run = async (client: Signal<string>, delivery: 'whole' | 'stream', input: string): Promise<readonly Message[]> => {
  if (delivery === 'whole') return (await client.complete(input)).history;
  const last = (await drain(client.stream(input))).at(-1);
  if (last?.type !== 'done') throw new Error(`ended in ${JSON.stringify(last).slice(0, 500)}`);
  return last.history;
};

const ways = [
  { mode: 'adaptive', effort: 'low' },
  { mode: 'budget', budget: 2_048 },
] as const;

describe.each(['whole', 'stream'] as const)('thinking goes back to the server that judges it: %s', (delivery) => {
  it.each(ways)('[TH-003] [TH-002] [TH-014] through a loop of ten turns, every request taken: %o', async (thinking) => {
    const { lab, client } = await open(looping);
    await run(client.tools([findBerth]).options({ thinking }), delivery, 'Which pier is free?');
    const requests = lab.requests();
    expect(requests.map(({ status }) => status)).toEqual(Array(steps + 1).fill(200));
    for (const [index, request] of requests.entries()) {
      expect(request.body).toMatchObject({
        thinking: thinking.mode === 'budget' ? { type: 'enabled', budget_tokens: 2_048 } : { type: 'adaptive' },
      });
      // Append-only: what was sent before is sent again as it was, byte for byte.
      const before = requests[index - 1];
      if (before !== undefined) expect(JSON.stringify(messagesOf(request))).toContain(JSON.stringify(messagesOf(before)).slice(1, -1));
      expect(thinkingOf(request)).toHaveLength(index + Math.floor(index / 3));
    }
    const last = requests.at(-1) as LabRequest;
    expect(new Set(thinkingOf(last).map(({ type }) => type))).toEqual(new Set(['thinking', 'redacted_thinking']));
    // The results of parallel calls stand in one message, first in it.
    const results = messagesOf(last).filter(({ role, content }) => role === 'user' && typeof content !== 'string');
    expect(results.map(({ content }) => content.length)).toEqual(Array.from({ length: steps }, (_, turn) => (turn % 3) + 1));
  });

  it('[TH-014] through JSON and into a new client, with the message of the last turn', async () => {
    const { lab, client } = await open(looping);
    const history = await run(client.tools([findBerth]).options({ thinking: { mode: 'adaptive' } }), delivery, 'Which pier?');
    const stored = JSON.parse(JSON.stringify(history)) as readonly Message[];
    await run(clientOf(lab).tools([findBerth]).history(stored), delivery, 'Sure?');
    const last = lab.requests().at(-1) as LabRequest;
    expect(last.status).toBe(200);
    expect(thinkingOf(last)).toHaveLength(steps + 4);
  });

  it('[TH-015] to another model no thinking goes, and the server takes the conversation', async () => {
    const { lab, client } = await open(looping);
    const history = await run(client.tools([findBerth]).options({ thinking: { mode: 'adaptive' } }), delivery, 'Which pier?');
    await run(clientOf(lab, { model: 'm-2' }).tools([findBerth]).history(history), delivery, 'Sure?');
    const last = lab.requests().at(-1) as LabRequest;
    expect([last.status, thinkingOf(last)]).toEqual([200, []]);
  });

  it('[TH-003] a history in which a signature was altered is refused, with the server’s words', async () => {
    const { lab, client } = await open(looping);
    const history = await run(client.tools([findBerth]).options({ thinking: { mode: 'adaptive' } }), delivery, 'Which pier?');
    const altered = JSON.parse(
      JSON.stringify(history).replace(/"signature":"(.)/g, (_all, first) => `"signature":"${first === 'A' ? 'B' : 'A'}`),
    );
    await expect(
      run(
        clientOf(lab)
          .tools([findBerth])
          .history(altered as readonly Message[]),
        delivery,
        'Sure?',
      ),
    ).rejects.toThrow(/Invalid `signature` in `thinking` block|ended in .*Invalid `signature`/);
    expect(lab.requests().at(-1)?.status).toBe(400);
  });
});

const shown = pathologies.filter(
  ({ apply, applyOn, wires }) => wires.includes('anthropic-messages') && (applyOn?.['anthropic-messages'] ?? apply) !== undefined,
);

describe('every pathology of the catalogue that shows on this wire', () => {
  it.each(
    shown.flatMap((pathology) => deliveriesOf(pathology).map((delivery) => [pathology.id, pathology.title, delivery, pathology] as const)),
  )('[path-%s] %s, %s: what the catalogue expects', async (_id, _title, delivery, pathology) => {
    await expectRow(pathology, delivery, {
      adapter: 'anthropic-messages',
      dialect: messagesDialect,
      wire: ['failed-generation', 'jsonl-lines'],
    });
  });
});

describe('an answer whose terminal mark never comes', () => {
  const said = [
    { type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Pier 7.' } },
    { type: 'content_block_stop', index: 0 },
  ];
  const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } };
  const stalling = (events: readonly object[]): LabModel =>
    scripted([
      {
        raw: {
          status: 200,
          headers: { 'content-type': 'text/event-stream' },
          chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
          ending: 'stall',
        },
      },
    ]);
  const ask = async (events: readonly object[]) => {
    const { lab } = await open(stalling(events));
    const clock = { ...systemClock, after: (ms: number, act: () => void) => systemClock.after(ms / 200, act) };
    const client = createSignal({ baseUrl: lab.baseUrl, adapter: 'anthropic-messages', model: 'm' }, { clock });
    return client.options({ network: { retries: 0 } }).tryComplete('Where?');
  };

  it('[path-E14] is whole where a stop reason came, though the connection stays open', async () => {
    expect(await ask([...said, stop])).toMatchObject({ ok: true, response: 'Pier 7.' });
  });

  it('[SG-037] is a failure where none came', async () => {
    expect(await ask(said)).toMatchObject({ ok: false });
  });
});

describe.each(['whole', 'stream'] as const)('a schema goes out in the endpoint’s subset: %s', (delivery) => {
  const Berth = z.object({
    pier: z.int().min(1).max(9),
    name: z.string().min(2).optional(),
    tags: z.array(z.string()).min(2).max(4),
    kind: z.union([z.literal('ferry'), z.literal('tug')]),
  });
  const answering = (value: object): LabModel => scripted(() => ({ text: JSON.stringify(value) }));
  const complete = async (model: LabModel) => {
    const { lab, client } = await open(model);
    const asked = client.schema(Berth).retries(0);
    if (delivery === 'whole') return { lab, result: await asked.tryComplete('Where?') };
    const last = (await drain(asked.stream('Where?'))).at(-1);
    return { lab, result: last };
  };

  it('[SG-053] the strict server takes it, and the answer passes', async () => {
    const value = { pier: 7, tags: ['a', 'b'], kind: 'tug' };
    const { lab, result } = await complete(answering(value));
    expect(result).toMatchObject({ response: value });
    const { output_config: config } = (lab.requests()[0]?.body ?? {}) as JsonObject;
    expect(config).toMatchObject({
      format: { type: 'json_schema', schema: { additionalProperties: false, required: ['pier', 'tags', 'kind'] } },
    });
    expect(JSON.stringify(config)).not.toMatch(/maximum|maxItems|minLength|oneOf/);
  });

  it('[SG-053] what was dropped is still enforced by the gate', async () => {
    const { result } = await complete(answering({ pier: 70, tags: ['a', 'b'], kind: 'tug' }));
    expect(result).toMatchObject({ failure: { reason: 'schema_mismatch' } });
  });
});

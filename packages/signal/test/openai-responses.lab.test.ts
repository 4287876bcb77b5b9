import { type JsonObject, type JsonValue, type Message, sequentialIds } from '@vouch/contracts';
import { type Lab, type LabContent, type LabModel, type LabRequest, pathologies, scripted, startLab } from '@vouch/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CustomProviderConfig, createSignal, defineTool, type Signal } from '../src/index.ts';
import { responsesDialect, translatedResponsesDialect } from '../src/registry.ts';
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

async function open(model: LabModel, provider: Partial<CustomProviderConfig> = {}): Promise<Opened> {
  const lab = await startLab({ model });
  labs.push(lab);
  const client = createSignal(
    {
      baseUrl: lab.baseUrl,
      adapter: 'openai-responses',
      dialect: responsesDialect,
      model: 'm-1',
      apiKey: 'k',
      capabilities: withGrammar,
      ...provider,
    },
    { ids: sequentialIds(), maxTurns: 20 },
  );
  return { lab, client };
}

const steps = 10;

/** Calls tools for ten turns, with reasoning of every form before and between the calls, then answers. */
const looping: LabModel = scripted((request): LabContent => {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= steps) return { thinking: [{ text: 'All seen.', summary: ['Every pier', 'was seen.'] }], text: 'Pier 7.' };
  const calls = [...Array((turn % 3) + 1).keys()].map((index) => ({
    name: 'find_berth',
    arguments: JSON.stringify({ pier: turn + index }),
  }));
  return {
    thinking: [
      { text: `Turn ${turn}.`, summary: turn % 2 === 0 ? [`Turn ${turn}`, 'é 🚀'] : [] },
      ...(calls.length > 2 ? [{ text: 'And the third?', beforeCall: 2 }] : []),
    ],
    ...(turn % 4 === 1 ? { text: `Looking at ${turn}.` } : {}),
    toolCalls: calls,
  };
});

const itemsOf = ({ body }: LabRequest): readonly JsonObject[] =>
  ((body as JsonObject).input as readonly JsonValue[]).map((item) => item as JsonObject);
const reasoningOf = (request: LabRequest): readonly JsonObject[] => itemsOf(request).filter(({ type }) => type === 'reasoning');

const run = async (client: Signal<string>, delivery: 'whole' | 'stream', input: string): Promise<readonly Message[]> => {
  if (delivery === 'whole') return (await client.complete(input)).history;
  const last = (await drain(client.stream(input))).at(-1);
  if (last?.type !== 'done') throw new Error(`ended in ${JSON.stringify(last).slice(0, 500)}`);
  return last.history;
};

describe.each(['whole', 'stream'] as const)('reasoning goes back without state on the server: %s', (delivery) => {
  it('[TH-014] [TH-002] through a loop of ten turns, the judging server taking every request', async () => {
    const { lab, client } = await open(looping);
    await run(client.tools([findBerth]).options({ thinking: { mode: 'adaptive', effort: 'low' } }), delivery, 'Which pier is free?');
    const requests = lab.requests();
    expect(requests.map(({ status }) => status)).toEqual(Array(steps + 1).fill(200));
    for (const [index, request] of requests.entries()) {
      expect(request.body).toMatchObject({
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low', summary: 'auto' },
      });
      // Append-only: what was sent before is sent again as it was, byte for byte.
      const before = requests[index - 1];
      if (before !== undefined) expect(JSON.stringify(itemsOf(request))).toContain(JSON.stringify(itemsOf(before)).slice(1, -1));
      expect(reasoningOf(request)).toHaveLength(index + Math.floor(index / 3));
    }
    expect(reasoningOf(requests[steps] as LabRequest).every(({ encrypted_content: sealed }) => typeof sealed === 'string')).toBe(true);
  });

  it('[TH-014] through JSON and into a new client, with the message of the last turn', async () => {
    const first = await open(looping);
    const history = await run(first.client.tools([findBerth]).options({ thinking: { mode: 'adaptive' } }), delivery, 'Which pier?');
    const stored = JSON.parse(JSON.stringify(history)) as readonly Message[];
    const again = createSignal(
      { baseUrl: first.lab.baseUrl, adapter: 'openai-responses', dialect: responsesDialect, model: 'm-1', apiKey: 'k' },
      { ids: sequentialIds() },
    );
    await run(again.tools([findBerth]).history(stored), delivery, 'Sure?');
    const last = first.lab.requests().at(-1) as LabRequest;
    expect(last.status).toBe(200);
    expect(reasoningOf(last)).toHaveLength(steps + 4);
    expect(itemsOf(last).at(-2)).toMatchObject({ type: 'message', id: expect.stringMatching(/^msg_/), status: 'completed' });
  });
});

const shown = pathologies.filter(
  ({ apply, applyOn, wires }) => wires.includes('openai-responses') && (applyOn?.['openai-responses'] ?? apply) !== undefined,
);

describe('every pathology of the catalogue that shows on this wire', () => {
  it.each(
    shown.flatMap((pathology) => deliveriesOf(pathology).map((delivery) => [pathology.id, pathology.title, delivery, pathology] as const)),
  )('[path-%s] %s, %s: what the catalogue expects', (_id, _title, delivery, pathology) =>
    expectRow(pathology, delivery, {
      adapter: 'openai-responses',
      dialect: translatedResponsesDialect,
      wire: ['failed-generation', 'jsonl-lines'],
    }),
  );
});

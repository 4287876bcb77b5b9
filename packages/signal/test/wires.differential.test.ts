import { fileURLToPath } from 'node:url';
import type { Failure, MessagePart, StepRequest } from '@vouch/contracts';
import { type LabContent, type LabOptions, type Pathology, type PathologyWire, pathologies, scripted, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSignal, defineTool } from '../src/index.ts';
import { ajvSchema } from './support/ajv-schema.ts';
import { chatWires } from './support/chat-wires.ts';
import { drain } from './support/clients.ts';
import { askLab, type Came, cameOfRow, deliveriesOf, type LabProvider } from './support/pathology-cases.ts';

type Delivery = 'whole' | 'parts';
const bothDeliveries: readonly Delivery[] = ['whole', 'parts'];

/** What a caller can tell of an outcome, in words of no wire. */
function outcomeOf({ kind, shown, result }: Came): string {
  if (kind === 'value') return 'value';
  if (kind === 'tool_calls') return 'calls';
  // Without a schema there is nothing that an answer could miss.
  if (shown === undefined) return `text, ${result?.finishReason ?? 'no end'}`;
  const { kind: failed, reason, cause } = shown as Failure;
  return `${failed}: ${cause ?? reason}`;
}

interface Cell {
  readonly wire: PathologyWire;
  readonly delivery: Delivery;
  readonly outcome: string;
  /** What must be the same over every wire. */
  readonly same: unknown;
}

const showsOn = ({ apply, applyOn, wires }: Pathology, id: PathologyWire): boolean =>
  wires.some((wire) => wire === id) && (applyOn?.[id] ?? apply) !== undefined;

async function pathologyCells(pathology: Pathology): Promise<readonly Cell[]> {
  const cells = chatWires
    .filter(({ id }) => showsOn(pathology, id))
    .flatMap(({ id, provider }) =>
      deliveriesOf(pathology).map(async (delivery): Promise<Cell> => {
        const got = await cameOfRow(pathology, delivery, provider);
        return { wire: id, delivery, outcome: outcomeOf(got), same: got.kind === 'typed-failure' ? undefined : got.shown };
      }),
    );
  return Promise.all(cells);
}

const berth = ajvSchema({
  type: 'object',
  properties: { pier: { type: 'integer' }, note: { type: 'string' } },
  required: ['pier'],
  additionalProperties: false,
});
const tools = [
  { name: 'find_berth', description: 'Finds a berth.', jsonSchema: berth.jsonSchema, validate: berth.validate },
  { name: 'list_berths', description: 'Lists the berths.', jsonSchema: { type: 'object' } },
] as const;
const responseFormat = { type: 'json_schema', name: 'berth', schema: berth.jsonSchema, strict: false } as const;
const words = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const seen = '{"pier":7,"note":"low é 🚀\\n"}';
const call = (pier: number, name = 'find_berth') => ({ name, arguments: name === 'find_berth' ? `{"pier":${pier}}` : '{}' });
const usage = { inputTokens: 21, outputTokens: 9 };
const thinking = { thinking: { mode: 'adaptive' } } as const;
const asking = { messages: [{ role: 'user', content: 'Where?' }] } as const;
const structured = { ...asking, responseFormat, output: { accept: berth } };
const withTools = { ...asking, tools, output: { accept: berth } };

/** What a model says to a request, without anything that spoils it, and what it comes to. */
const exchanges: readonly {
  readonly title: string;
  readonly said: LabContent;
  readonly request: StepRequest;
  readonly outcome: string;
  readonly lab?: Partial<LabOptions>;
  /** Wires that have no word for the request: it is refused before anything is sent. */
  readonly refusedOn?: readonly PathologyWire[];
}[] = [
  { title: 'words', said: { text: words, usage }, request: asking, outcome: 'text, stop' },
  {
    title: 'thinking, then words',
    said: { thinking: [{ text: 'Low tide.' }], text: words },
    request: { ...asking, options: thinking },
    outcome: 'text, stop',
  },
  {
    title: 'words beyond the limit',
    said: { text: words.repeat(20) },
    request: { ...asking, options: { maxOutputTokens: 16 } },
    outcome: 'text, length',
  },
  { title: 'JSON in the asked form', said: { text: seen, usage }, request: structured, outcome: 'value' },
  {
    title: 'thinking, then JSON',
    said: { thinking: [{ text: 'Low {"pier":8}.' }], text: seen },
    request: { ...structured, options: thinking },
    outcome: 'value',
  },
  { title: 'JSON of the wrong type', said: { text: '{"pier":"seven"}' }, request: structured, outcome: 'invalid_output: schema_mismatch' },
  { title: 'words where JSON was asked for', said: { text: words }, request: structured, outcome: 'no_output: no_candidate' },
  {
    title: 'JSON beyond the limit',
    said: { text: `{"pier":7,"note":"${'low '.repeat(60)}"}` },
    request: { ...structured, options: { maxOutputTokens: 16 } },
    outcome: 'truncated: truncated',
  },
  { title: 'a call', said: { toolCalls: [call(7)], usage }, request: withTools, outcome: 'calls' },
  {
    title: 'a call that was forced',
    said: { toolCalls: [call(7)] },
    request: { ...withTools, toolChoice: { name: 'find_berth' } },
    outcome: 'calls',
    refusedOn: ['ollama'],
  },
  { title: 'three calls at once', said: { toolCalls: [call(7), call(8), call(0, 'list_berths')] }, request: withTools, outcome: 'calls' },
  { title: 'words, then a call', said: { text: words, toolCalls: [call(7)] }, request: withTools, outcome: 'calls' },
  {
    title: 'thinking before and between calls',
    said: { thinking: [{ text: 'Low.' }, { text: 'High.', beforeCall: 1 }], toolCalls: [call(7), call(8)] },
    request: { ...withTools, options: thinking },
    outcome: 'calls',
  },
  { title: 'a wrong key', said: { text: words }, request: asking, outcome: 'provider: auth', lab: { apiKey: 'another' } },
];

async function exchangeCells({ said, request, lab }: (typeof exchanges)[number]): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const { id, provider } of chatWires)
    for (const delivery of bothDeliveries) {
      const got = await askLab({ model: scripted(() => said), ...lab }, request, delivery, provider);
      const { result } = got;
      const same = {
        shown: got.kind === 'typed-failure' ? undefined : got.shown,
        content: result?.content,
        thinking: result?.thinking.map(({ content }) => content).join(''),
        calls: result?.toolCalls.map(({ name, args }) => ({ name, args })),
        finishReason: result?.finishReason,
        // How much of it was cached is not said by every wire.
        tokens: said.usage === undefined ? undefined : [result?.usage.inputTokens, result?.usage.outputTokens, result?.usage.totalTokens],
      };
      cells.push({ wire: id, delivery, outcome: outcomeOf(got), same });
    }
  return cells;
}

const known = new Map<string, Promise<readonly Cell[]>>();
function once(id: string, make: () => Promise<readonly Cell[]>): Promise<readonly Cell[]> {
  const found = known.get(id) ?? make();
  known.set(id, found);
  return found;
}
const exchangeRow = (one: (typeof exchanges)[number]): Promise<readonly Cell[]> => once(one.title, () => exchangeCells(one));
const pathologyRow = (one: Pathology): Promise<readonly Cell[]> => once(one.id, () => pathologyCells(one));

/** The wires differ in the cause alone: on the chat wire the mark of the end still comes, so that the answer has ended and holds nothing. */
const differInCause: ReadonlySet<string> = new Set(['S24']);

function expectOne(cells: readonly Cell[]): void {
  for (const { wire, delivery, outcome, same } of cells)
    expect({ wire, delivery, outcome, same }).toEqual({ wire, delivery, outcome: cells[0]?.outcome, same: cells[0]?.same });
}

describe('one outcome over every wire, whole and streamed', () => {
  it.each(exchanges.map((one) => [one.title, one] as const))('[SG-030] [SG-036] %s', async (_title, one) => {
    const cells = await exchangeRow(one);
    expect(cells).toHaveLength(chatWires.length * 2);
    const refused = cells.filter(({ wire }) => one.refusedOn?.includes(wire));
    for (const { wire, outcome } of refused) expect({ wire, outcome }).toEqual({ wire, outcome: 'configuration: configuration' });
    const taken = cells.filter((cell) => !refused.includes(cell));
    expect(taken[0]?.outcome).toBe(one.outcome);
    expectOne(taken);
  });

  it.each(pathologies.map((one) => [one.id, one.title, one] as const))('[path-%s] %s', async (_id, _title, one) => {
    const cells = await pathologyRow(one);
    expect(new Set(cells.map(({ wire }) => wire))).toEqual(new Set(one.wires.filter((wire) => showsOn(one, wire))));
    if (!differInCause.has(one.id)) return expectOne(cells);
    const kinds = cells.map((cell) => ({ ...cell, outcome: cell.outcome.split(':')[0] ?? '' }));
    expect(new Set(cells.map(({ outcome }) => outcome)).size).toBeGreaterThan(1);
    expectOne(kinds);
  });
});

/** What a part says, without what another wire would call it. */
function sayingOf(part: MessagePart): readonly string[] {
  if (part.type === 'text') return [`says ${part.text}`];
  if (part.type === 'thinking') return [`thinks ${part.block.content}`];
  if (part.type === 'tool-call') return [`calls ${part.name} ${part.arguments}`];
  return part.type === 'tool-result' ? [`gets ${part.outcome} ${part.text}`] : [part.type];
}

describe('one history over every wire, whole and streamed', () => {
  const findBerth = defineTool({
    name: 'find_berth',
    description: 'Finds a berth.',
    input: berth,
    execute: (input) => ({ ...(input as object), free: true }),
  });
  const turns: readonly LabContent[] = [
    { thinking: [{ text: 'Look.' }], text: 'Looking.', toolCalls: [call(7), call(8)] },
    {
      toolCalls: [
        { name: 'find_berth', arguments: '{"pier":"nine"}' },
        { name: 'no_such', arguments: '{}' },
      ],
    },
    { text: '{"pier":"seven"}' },
    { thinking: [{ text: 'A number.' }], text: seen },
  ];

  async function historyOf(provider: LabProvider, delivery: Delivery): Promise<unknown> {
    const lab = await startLab({ model: scripted(turns) });
    onTestFinished(() => lab.close());
    const settings = { baseUrl: lab.baseUrl, model: 'm', ...(typeof provider === 'function' ? provider(lab) : provider) };
    const client = createSignal({ ...settings, capabilities: { nativeTools: 'yes' } }, { maxTurns: 8, retries: 1 });
    const asked = client.tools([findBerth]).schema(berth).options(thinking);
    const run = async () => {
      if (delivery === 'whole') return asked.complete('Where?');
      const last = (await drain(asked.stream('Where?'))).at(-1);
      if (last?.type !== 'done') throw new Error(`ended in ${JSON.stringify(last).slice(0, 400)}`);
      return last;
    };
    const { response, history } = await run();
    expect(lab.requests().map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    return { response, history: history.map(({ role, parts }) => [role, ...parts.flatMap(sayingOf)]) };
  }

  it('[SG-030] [TH-013] tools, a wrong call, an unknown tool and a correction', async () => {
    const [first, ...rest] = chatWires.flatMap(({ id, provider }) => bothDeliveries.map((delivery) => ({ id, delivery, provider })));
    const expected = await historyOf(first?.provider ?? {}, first?.delivery ?? 'whole');
    expect(expected).toMatchObject({ response: { pier: 7 } });
    expect(JSON.stringify(expected)).toContain('thinks Look.');
    for (const { id, delivery, provider } of rest)
      expect({ id, delivery, ...((await historyOf(provider, delivery)) as object) }).toEqual({ id, delivery, ...(expected as object) });
  });
});

const deliveryWords = { whole: 'whole', parts: 'streamed', both: 'both' } as const;

function lineOf(title: string, deliveries: readonly Delivery[], cells: readonly Cell[]): string {
  const columns = chatWires.map(({ id }) => [...new Set(cells.filter(({ wire }) => wire === id).map(({ outcome }) => outcome))].join('; '));
  const [only] = deliveries.length === 2 ? (['both'] as const) : deliveries;
  return `| ${[title, deliveryWords[only ?? 'both'], ...columns].join(' | ')} |`;
}

async function tables(): Promise<string> {
  const head = (first: string): string =>
    `| ${[first, 'delivery', ...chatWires.map(({ id }) => id)].join(' | ')} |\n|${' --- |'.repeat(chatWires.length + 2)}`;
  const said: string[] = [];
  for (const one of exchanges) said.push(lineOf(one.title, bothDeliveries, await exchangeRow(one)));
  const spoiled: string[] = [];
  for (const one of pathologies) {
    const cells = await pathologyRow(one);
    if (cells.length > 0) spoiled.push(lineOf(`${one.id} ${one.title}`, deliveriesOf(one), cells));
  }
  return `# One outcome over every wire

Written by \`npm run wires:update\`; do not edit. The tests fail when it is not current.

The same prompt, schema and tools go to a server of each wire, whole and streamed. A cell says what one step of the client comes to: the value, the calls, the text with the reason of its end, or the kind of the failure with its reason or the provider's cause. All cells of a line agree, in the value and the arguments too; a request that a wire has no word for is refused before it is sent (\`configuration\`), and in ${[...differInCause].join(', ')} the wires differ in the cause.

## Answers that nothing spoils

${head('the model gives')}
${said.join('\n')}

## Pathologies

Ways in which real services spoil, bend or lose an answer, each on the wires where it can show: ${spoiled.length} of the catalogue's ${pathologies.length}. A cell is empty where it cannot.

${head('pathology')}
${spoiled.join('\n')}
`;
}

describe('the table of all wires', () => {
  it('[SG-030] docs/wires.md says what the tests see', async () => {
    await expect(await tables()).toMatchFileSnapshot(fileURLToPath(new URL('../../../docs/wires.md', import.meta.url)));
  });
});

import { fileURLToPath } from 'node:url';
import type { Carry, ChatWireId, EndpointDialect, JsonValue, Message, MessageInput, MessagePart, WithheldPart } from '@vouch/contracts';
import { type Lab, type LabContent, scripted, startLab } from '@vouch/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSignal, defineTool, type Signal } from '../src/index.ts';
import { compatibleDialect, responsesDialect } from '../src/registry/dialects.ts';
import { providerRows } from '../src/registry/providers.ts';
import { chatWires } from './support/chat-wires.ts';
import { drain, plain } from './support/clients.ts';
import type { LabProvider } from './support/pathology-cases.ts';

type Delivery = 'whole' | 'parts';
type LabThinking = NonNullable<LabContent['thinking']>[number];

interface Endpoint {
  readonly title: string;
  /** What endpoint of the registry, or of a caller's own, the column stands for. */
  readonly like: string;
  readonly provider: LabProvider;
}

const chatReplay = (replay: 'always' | 'after-tool-calls', like: string): Endpoint => ({
  title: `openai-chat, ${replay}`,
  like,
  provider: { dialect: { ...compatibleDialect, reasoningReplayField: 'reasoning_content', reasoningReplay: replay } },
});

const notEncrypted = 'openai-responses, not encrypted';

/** The rows of a wire whose dialect `is` takes, by id. */
function rowsOf(wire: ChatWireId, is: (dialect: EndpointDialect) => boolean = () => true): string {
  const rows = providerRows.flatMap((row) =>
    row.kind === 'chat' && row.dialect.wire === wire && is(row.dialect) ? [`\`${row.id}\``] : [],
  );
  return rows.join(', ');
}

const rowsWith = (replay: string): string =>
  rowsOf('openai-chat', (dialect) => dialect.wire === 'openai-chat' && dialect.reasoningReplay === replay);

/** The wires; of the chat wire one endpoint for each rule of what goes back. */
const endpoints: readonly Endpoint[] = [
  chatReplay('always', rowsWith('always')),
  chatReplay('after-tool-calls', rowsWith('after-tool-calls')),
  ...chatWires.flatMap(({ id, provider }): readonly Endpoint[] => {
    if (id === 'openai-chat')
      return [{ title: 'openai-chat, never', like: `${rowsWith('never')}; a custom endpoint without a dialect`, provider }];
    if (id !== 'openai-responses') return [{ title: id, like: `${rowsOf(id)}; a custom endpoint without a dialect`, provider }];
    const rows = (asked: boolean) => rowsOf(id, (dialect) => dialect.wire === id && dialect.encryptedReasoning === asked);
    const told = { title: id, like: rows(true), provider: { adapter: id, dialect: responsesDialect } } as const;
    return [told, { title: notEncrypted, like: `${rows(false)}; a custom endpoint without a dialect`, provider }];
  }),
];

const findBerth = defineTool({
  name: 'find_berth',
  description: 'Finds a berth.',
  input: z.object({ pier: z.int() }),
  execute: ({ pier }) => ({ pier, free: pier > 3 }),
});

const think = (name: string, more: Partial<LabThinking> = {}): LabThinking => ({ text: `thought ${name} é 🚀`, ...more });
const call = (pier: number) => ({ name: 'find_berth', arguments: `{"pier":${pier}}` });
const answer: LabContent = { thinking: [think('last')], text: 'Pier 7.' };
const loop: readonly LabContent[] = [
  { thinking: [think('one')], text: 'Looking.', toolCalls: [call(7)] },
  { thinking: [think('two')], toolCalls: [call(8)] },
  answer,
];
const parallel: readonly LabContent[] = [
  { thinking: [think('one'), think('two', { beforeCall: 1 })], toolCalls: [call(7), call(8)] },
  answer,
];
const hidden: readonly LabContent[] = [{ thinking: [think('one', { redacted: true })], toolCalls: [call(7)] }, answer];

const mapParts = (history: readonly Message[], change: (part: MessagePart) => MessagePart | undefined): readonly Message[] =>
  history.map((message) =>
    message.role === 'assistant' ? { ...message, parts: message.parts.flatMap((part) => change(part) ?? []) } : message,
  );

/** What another provider would have left: the same, under its name. */
const foreign = (part: MessagePart): MessagePart => ({
  ...part,
  origin: part.origin.kind === 'model' ? { ...part.origin, provider: 'another' } : part.origin,
  ...(part.carry === undefined ? {} : { carry: part.carry.map((carry) => ({ ...carry, provider: 'another' })) }),
});

/** The history as it stood when the first call waited for an approval, with the result that came later. */
function approved(history: readonly Message[]): readonly MessageInput[] {
  const at = history.findIndex(({ role }) => role === 'assistant');
  const waiting = history.slice(0, at + 1);
  const results = (waiting.at(-1)?.parts ?? []).flatMap((part) =>
    part.type === 'tool-call' ? [{ role: 'tool', toolCallId: part.callId, name: part.name, content: '{"free":true}' } as const] : [],
  );
  return [...waiting, ...results];
}

const more: MessageInput = { role: 'user', content: 'Sure?' };

/** What happens to a history before it is sent again. */
const situations: readonly {
  readonly title: string;
  readonly says: readonly LabContent[];
  readonly model?: string;
  /** What is sent of the history. Default: all of it, and one more question. */
  readonly change?: (history: readonly Message[]) => readonly MessageInput[];
  /** Everything goes back, nothing does, or it is the wire's own matter. */
  readonly back: 'all' | 'none' | 'own';
}[] = [
  { title: 'plain', says: [answer], back: 'all' },
  { title: 'tool loop', says: loop, back: 'all' },
  { title: 'parallel calls, thinking between them', says: parallel, back: 'all' },
  { title: 'redacted thinking', says: hidden, back: 'all' },
  { title: 'approval, and resume in another process', says: parallel, change: approved, back: 'all' },
  { title: 'another model', says: loop, model: 'm-2', back: 'none' },
  { title: 'another provider', says: loop, change: (history) => [...mapParts(history, foreign), more], back: 'none' },
  {
    title: 'an answer that was edited',
    says: loop,
    change: (history) => [
      ...mapParts(history, (part) => (part.type === 'text' && part.text === 'Pier 7.' ? { ...part, text: 'Pier 8.' } : part)),
      more,
    ],
    back: 'own',
  },
  {
    title: 'arguments that were repaired',
    says: loop,
    change: (history) => [
      ...mapParts(history, (part) => (part.type === 'tool-call' ? { ...part, arguments: '{ "pier": 7 }' } : part)),
      more,
    ],
    back: 'all',
  },
  {
    title: 'thinking parts taken out',
    says: loop,
    change: (history) => [...mapParts(history, (part) => (part.type === 'thinking' ? undefined : part)), more],
    back: 'own',
  },
  {
    title: 'carries lost, such as by a store that does not know them',
    says: loop,
    change: (history) => [...mapParts(history, ({ carry: _lost, ...part }) => part as MessagePart), more],
    back: 'own',
  },
];

/** What of a carry no other text of a request could hold: a signature, an encrypted content, or the reasoning itself. */
function sealsOf({ data, shape }: Carry): readonly string[] {
  const found: string[] = [];
  const open: JsonValue[] = [data];
  // An id, of which the reasoning itself is carried elsewhere.
  if (shape === 'responses-behind') return [];
  if (typeof data === 'string') return [data];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [field, inner] of Object.entries(value)) {
      const sealed = ['signature', 'data', 'thoughtSignature', 'encrypted_content'].includes(field);
      if (sealed && typeof inner === 'string' && inner !== '') found.push(inner);
      else if (typeof inner === 'object') open.push(inner);
    }
  }
  return found;
}

interface Cell {
  readonly seals: number;
  readonly back: number;
  readonly inOrder: boolean;
  readonly reasons: readonly string[];
}

async function labOf(says: readonly LabContent[]): Promise<Lab> {
  const lab = await startLab({ model: scripted([...says, { text: 'Yes.' }]) });
  onTestFinished(() => lab.close());
  return lab;
}

const clientOf = (lab: Lab, provider: LabProvider): Signal<string> =>
  createSignal({
    baseUrl: lab.baseUrl,
    model: 'm',
    capabilities: plain,
    ...(typeof provider === 'function' ? provider(lab) : provider),
  }).options({ thinking: { mode: 'adaptive' } });

async function cellOf(situation: (typeof situations)[number], { provider }: Endpoint, delivery: Delivery): Promise<Cell> {
  const lab = await labOf(situation.says);
  const asked = clientOf(lab, provider).tools([findBerth]);
  const ended = delivery === 'whole' ? await asked.complete('Where?') : (await drain(asked.stream('Where?'))).at(-1);
  if (ended === undefined || !('history' in ended) || ended.history === undefined) throw new Error(JSON.stringify(ended).slice(0, 400));
  // Always through JSON and into a new client, as after a restart.
  const stored = JSON.parse(JSON.stringify(ended.history)) as readonly Message[];
  const messages = situation.change?.(stored) ?? [...stored, more];
  const kept = situation.change === approved ? (messages.filter((one) => 'parts' in one) as readonly Message[]) : stored;
  const seals = kept.flatMap(({ parts }) => parts.flatMap(({ carry = [] }) => carry.flatMap(sealsOf)));
  const again = clientOf(lab, provider).model(situation.model ?? 'm');
  const tools = [{ name: 'find_berth', description: 'Finds a berth.', jsonSchema: { type: 'object' } }] as const;
  let withheld: readonly Omit<WithheldPart, 'type'>[] = [];
  if (delivery === 'whole') withheld = (await again.step({ messages, tools })).withheld;
  else {
    const last = (await drain(again.stepStream({ messages, tools }))).at(-1);
    if (last?.type !== 'done') throw new Error('no done');
    withheld = last.result.withheld;
  }
  const request = lab.requests().at(-1);
  expect({ status: request?.status }).toEqual({ status: 200 });
  const body = JSON.stringify(request?.body);
  const places = seals.map((seal) => body.indexOf(JSON.stringify(seal).slice(1, -1))).filter((place) => place >= 0);
  return {
    seals: seals.length,
    back: places.length,
    inOrder: places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0)),
    reasons: [...new Set(withheld.map(({ reason }) => reason))].sort(),
  };
}

/** How much went back, and why the rest did not. */
function wordsOf({ seals, back, inOrder, reasons }: Cell): string {
  const amount = seals === 0 ? 'nothing to send' : back === seals ? 'all' : back === 0 ? 'none' : 'some';
  return [amount, ...(inOrder ? [] : ['out of order']), ...reasons].join(', ');
}

type Cells = Readonly<Record<Delivery, string>>;
const known = new Map<string, Promise<Cells>>();

function cellsOf(endpoint: Endpoint, situation: (typeof situations)[number]): Promise<Cells> {
  const id = `${endpoint.title}/${situation.title}`;
  const make = async (): Promise<Cells> => {
    const whole = await cellOf(situation, endpoint, 'whole');
    const parts = await cellOf(situation, endpoint, 'parts');
    return { whole: wordsOf(whole), parts: wordsOf(parts) };
  };
  const found = known.get(id) ?? make();
  known.set(id, found);
  return found;
}

const rows = endpoints.flatMap((endpoint) =>
  situations.map((situation) => [endpoint.title, situation.title, endpoint, situation] as const),
);

/** What a cell must say; undefined where it is the wire's own matter, which the table says. */
function expected({ title }: Endpoint, { title: situation, back }: (typeof situations)[number]): string | undefined {
  if (back === 'own') return undefined;
  // Nobody reports what would not have gone back anyway but that it is another's.
  if (back === 'none')
    return `${title === notEncrypted ? 'nothing to send' : 'none'}, ${situation === 'another model' ? 'other-model' : 'other-provider'}`;
  // Nothing was kept that could go back, and this is said.
  if (title === notEncrypted) return 'nothing to send, incomplete';
  if (title === 'openai-chat, never' || (title === 'openai-chat, after-tool-calls' && situation === 'plain')) return 'none';
  return 'all';
}

describe('what the provider gave goes back as its endpoint takes it, whole and streamed', () => {
  it.each(rows)('[TH-014] [TH-015] %s: %s', async (_endpoint, _situation, endpoint, situation) => {
    const cells = await cellsOf(endpoint, situation);
    const wanted = expected(endpoint, situation);
    if (wanted !== undefined) expect(cells).toEqual({ whole: wanted, parts: wanted });
    // Whatever happened to the history, what goes back is in order.
    expect(JSON.stringify(cells)).not.toContain('out of order');
  });
});

async function table(): Promise<string> {
  const lines: string[] = [];
  for (const situation of situations) {
    const cells = await Promise.all(endpoints.map((endpoint) => cellsOf(endpoint, situation)));
    const columns = cells.map(({ whole, parts }) => (whole === parts ? whole : `whole: ${whole}; streamed: ${parts}`));
    lines.push(`| ${[situation.title, ...columns].join(' | ')} |`);
  }
  return `# What goes back

Written by \`npm run custody:update\`; do not edit. The tests fail when it is not current.

A server, which checks what it gets back where the real service does, gives thinking, signatures, encrypted or hidden reasoning, each in the form of its wire, whole and streamed. What the client keeps of it is a *carry*: the provider's own data as it came, such as a signature, kept at the part of the history that it belongs to (\`carry\` of a message part) and meant for the provider alone. It goes through JSON into a new client, as after a restart, and is sent in the next request. The server takes every one of these requests. A cell says how much of it stands in that request, byte for byte and in order (\`all\`, \`some\`, \`none\`, or \`nothing to send\` where nothing was kept), and the reasons that the client reports for the rest. A caller reads them in \`withheld\`: of the \`StepResult\` of one model call, or of a run's \`meta\`.

- \`other-model\`, \`other-provider\`: another gave it. It is bound to the one that did.
- \`incomplete\`: it must go together with something that is not there any more, or that was never given: encrypted content that the endpoint is not asked for.
- \`edited\`: what it belongs to does not say what it said.
- \`prefix-changed\` (in no cell): its model takes it back only after what it was given after, and that was changed.
- The chat wire has three rules, by endpoint: reasoning goes back always, from the first call of a turn on, or never. What stays out by the rule is not reported.
- The Responses wire has two kinds of endpoint: those that are asked to encrypt reasoning, and those that nobody said can. A custom endpoint that can says so by \`dialect: 'openai-responses'\`.
- Where signatures are lost, the wire of Gemini sends the value that it has for the calls of others.

| history | ${endpoints.map(({ title }) => title).join(' | ')} |
|${' --- |'.repeat(endpoints.length + 1)}
${lines.join('\n')}

Each column is tested with one dialect, against the lab. It stands for the endpoints of the registry with the same rule:

| column | rows of the registry, and others |
| --- | --- |
${endpoints.map(({ title, like }) => `| ${title} | ${like} |`).join('\n')}
`;
}

describe('the table of custody', () => {
  it('[TH-014] docs/custody.md says what the tests see', async () => {
    await expect(await table()).toMatchFileSnapshot(fileURLToPath(new URL('../../../docs/custody.md', import.meta.url)));
  });
});

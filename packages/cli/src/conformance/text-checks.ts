import { deflateSync } from 'node:zlib';
import type { StepResult } from '@vouch/contracts';
import { askFor, type Check, type Delivery, differs, type Finding, holds, noVerdict, reached, unsound } from './check.ts';

const deliveries: readonly Delivery[] = ['whole', 'stream'];

const textChecks = deliveries.map(
  (delivery): Check => ({
    id: `text-${delivery}`,
    asks: `a short plain answer, ${delivery}`,
    expects: 'text, a finish reason of the wire, and the mark that ends an answer',
    calls: 0,
    shares: [delivery],
    tokens: 0,
    async run(endpoint) {
      const result = await endpoint.plain(delivery);
      const finding = unsound(result);
      if (finding !== undefined) return finding;
      if (result.content === '') return differs('the answer holds no text');
      return result.finishReason === 'stop'
        ? holds(`${result.content.length} characters, finish stop`)
        : differs(`finish ${result.finishReason}`);
    },
  }),
);

const sameShape: Check = {
  id: 'same-shape',
  asks: 'the same plain answer whole and streamed',
  expects: 'the same kinds of pieces, finish reason and facts in both',
  calls: 0,
  shares: deliveries,
  tokens: 0,
  async run(endpoint) {
    const [whole, streamed] = [shapeOf(await endpoint.plain('whole')), shapeOf(await endpoint.plain('stream'))];
    const apart = Object.keys(whole).filter((key) => whole[key] !== streamed[key]);
    if (apart.length === 0)
      return holds(
        Object.entries(whole)
          .map(([key, value]) => `${key} ${value}`)
          .join(', '),
      );
    return differs(apart.map((key) => `${key}: ${whole[key]} whole, ${streamed[key]} streamed`).join('; '));
  },
};

/** What must not depend on the delivery. How a model reasons may differ from call to call. */
function shapeOf(result: StepResult): { readonly [fact: string]: string } {
  const kinds = new Set(result.parts.map(({ type }) => type));
  return {
    text: kinds.has('text-delta') ? 'yes' : 'no',
    calls: kinds.has('function-call-delta') ? 'yes' : 'no',
    finish: result.finishReason,
    model: result.metadata.model ?? 'not named',
  };
}

const usage: Check = {
  id: 'usage',
  asks: 'the tokens of a plain answer, whole and streamed',
  expects: 'input and output tokens reported in both',
  calls: 0,
  shares: deliveries,
  tokens: 0,
  async run(endpoint) {
    const said = await Promise.all(deliveries.map(async (delivery) => ({ delivery, usage: (await endpoint.plain(delivery)).usage })));
    const missing = said.filter(({ usage: one }) => !one.reported || one.inputTokens === 0 || one.outputTokens === 0);
    if (missing.length > 0) return differs(`not reported, or zero: ${missing.map(({ delivery }) => delivery).join(', ')}`);
    return holds(said.map(({ delivery, usage: one }) => `${delivery} ${one.inputTokens} in, ${one.outputTokens} out`).join('; '));
  },
};

const requestId: Check = {
  id: 'request-id',
  asks: 'the request id of a plain answer, whole and streamed',
  expects: 'an id in both, another each time',
  calls: 0,
  shares: deliveries,
  tokens: 0,
  unless: ({ wire }) => (wire === 'ollama' ? 'this wire has no request id' : undefined),
  async run(endpoint) {
    const ids = [(await endpoint.plain('whole')).metadata.requestId, (await endpoint.plain('stream')).metadata.requestId];
    const missing = deliveries.filter((_delivery, index) => !ids[index]);
    if (missing.length > 0) return differs(`no id: ${missing.join(', ')}`);
    return ids[0] === ids[1] ? differs('two calls have the same id') : holds('both have one');
  },
};

const systemWord = 'KINGFISHER';

const systemPrompt: Check = {
  id: 'system-prompt',
  asks: `a system prompt that wants the word ${systemWord}, and the same question without it`,
  expects: 'the word in the answer',
  calls: 2,
  tokens: 200,
  async run(endpoint) {
    const question = askFor('Which bird do you like best? Answer in one word.');
    const told = {
      ...question,
      messages: [
        { role: 'system' as const, content: `Whatever you are asked, answer with the one word ${systemWord}.` },
        ...question.messages,
      ],
    };
    const withIt = await endpoint.ask(told, 'whole');
    const without = await endpoint.ask(question, 'whole');
    return unsound(withIt) ?? reached('the system prompt', withIt.content.toUpperCase().includes(systemWord), withIt, without);
  },
};

const unicodeText = 'Grüße, 東京, नमस्ते, Ω≈ç, 🦊👩‍👩‍👧';

const unicodeChecks = deliveries.map(
  (delivery): Check => ({
    id: `unicode-${delivery}`,
    asks: `a text of several scripts to be repeated, ${delivery}`,
    expects: 'the same characters back',
    calls: 1,
    tokens: 150,
    async run(endpoint) {
      const request = askFor(`Repeat exactly the text between the marks, and nothing else: <<${unicodeText}>>`);
      const result = await endpoint.ask(request, delivery);
      return unsound(result) ?? unicodeFinding(result.content);
    },
  }),
);

function unicodeFinding(content: string): Finding {
  if (content.includes(unicodeText)) return holds(`${unicodeText.length} UTF-16 units came back`);
  if (content.includes('\ufffd')) return differs('replacement characters stand where others were sent');
  // What UTF-8 looks like when it is read as Latin-1.
  if (/Ã[\u0080-\u00bf]|æ\u009d|ð\u009f/.test(content)) return differs('the text came back in another encoding');
  return content.normalize('NFC').includes(unicodeText.normalize('NFC'))
    ? differs('the characters came back in another normal form')
    : noVerdict('the model did not repeat the text');
}

const image: Check = {
  id: 'image',
  asks: 'the colour of a red square of 16 pixels, and the same question without it',
  expects: 'the colour in the answer',
  calls: 2,
  tokens: 700,
  async run(endpoint) {
    const text = 'Which colour does the picture have? Answer in one English word.';
    const source = { type: 'base64' as const, mediaType: 'image/png', data: redSquare() };
    const asked = askFor(text);
    const withIt = await endpoint.ask(
      {
        ...asked,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text },
              { type: 'image', source },
            ],
          },
        ],
      },
      'whole',
    );
    const without = await endpoint.ask(asked, 'whole');
    return unsound(withIt) ?? reached('the picture', /\bred\b/i.test(withIt.content), withIt, without);
  },
};

/** A PNG of 16 × 16 red pixels, in base64. */
function redSquare(): string {
  const side = 16;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: side }, () => [220, 20, 20]).flat())]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** Text, what comes with it, and what goes in beside it. */
export const plainChecks: readonly Check[] = [...textChecks, sameShape, usage, requestId, systemPrompt, ...unicodeChecks, image];

// A whole structured call, as one writes it, against the least that could be done with the same response.
import { createSignal, defineTool } from '@vouch/signal';
import { z } from 'zod';
import { chatBody } from './harness/chat-wire.mjs';

const schema = z.object({
  id: z.string(),
  customer: z.object({ name: z.string(), email: z.string(), regular: z.boolean() }),
  items: z.array(z.object({ sku: z.string(), title: z.string(), quantity: z.int(), price: z.number(), tags: z.array(z.string()) })),
  note: z.string().optional(),
});

const question = 'Extract the order.';
const clock = defineTool({ name: 'clock', description: 'Tells the time.', input: z.object({}), execute: () => 'noon' });

/** @param {number} bytes @returns {z.infer<typeof schema>} */
function orderOf(bytes) {
  const item = (/** @type {number} */ at) => ({
    sku: `sku-${at}`,
    title: `item number ${at}`,
    quantity: at + 1,
    price: at * 1.25,
    tags: ['new', 'heavy'],
  });
  /** @type {z.infer<typeof schema>} */
  const order = { id: 'order-1', customer: { name: 'Ada Löve', email: 'ada@example.org', regular: true }, items: [], note: 'ring twice' };
  while (JSON.stringify(order).length < bytes) order.items.push(item(order.items.length));
  return order;
}

/** @param {number} kilobytes */
async function callBench(kilobytes) {
  const body = chatBody(JSON.stringify(orderOf(kilobytes * 1_000)));
  const fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } });
  const client = createSignal({ baseUrl: 'https://models.example/v1', model: 'model' }, { fetch, apiKey: 'key' }).schema(schema);
  const withTools = client.tools([clock]);
  const floor = async () => {
    const response = await fetch();
    return schema.parse(JSON.parse(JSON.parse(await response.text()).choices[0].message.content));
  };
  const ours = await client.complete(question);
  if (JSON.stringify(ours.response) !== JSON.stringify(await floor())) throw new Error('both sides must give the answer');
  return {
    name: `call-${kilobytes}kb`,
    title: `a structured call, answer of ${kilobytes} KB`,
    subjects: [
      { name: 'complete()', run: () => client.complete(question) },
      { name: 'fetch, text, parse, zod', run: floor },
      { name: 'tryComplete()', run: () => client.tryComplete(question) },
      { name: 'complete() with a tool', run: () => withTools.complete(question) },
    ],
    ratios: [
      { of: 'complete()', to: 'fetch, text, parse, zod', limit: 1.5, requirement: 'SG-102' },
      { of: 'tryComplete()', to: 'fetch, text, parse, zod' },
      { of: 'complete() with a tool', to: 'fetch, text, parse, zod' },
    ],
  };
}

export const benches = [await callBench(1), await callBench(10)];

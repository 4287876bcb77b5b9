// Any OpenAI-compatible server is a plain object: its address, and where it differs from the others.
// Here the server is the lab; for a real one give its own address and key.
// #region custom-provider
import { reader, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { z } from 'zod';

const server = await startLab({ model: reader(), apiKey: 'local-key' });

const orders = createSignal({
  baseUrl: server.baseUrl,
  apiKey: 'local-key',
  model: 'lab-reader',
  // What you know of it. What you do not state counts as unmeasured, and nothing is built on it.
  capabilities: { nativeJsonSchema: 'yes' },
  // A record of your own, or the id of a row whose dialect and quirks it shares.
  dialect: 'vllm',
}).schema(z.strictObject({ orderNumber: z.string(), giftWrap: z.boolean() }));

const { response, meta } = await orders.complete('Order number: RW-26-14\nGift wrap: yes');
console.log(response);
console.log(meta.usage, orders.describe());
await server.close();
// #endregion

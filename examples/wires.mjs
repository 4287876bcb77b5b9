// One schema and one question over all five wires. The lab speaks each of them; nothing but the address and the adapter's name differs.
import { reader, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { z } from 'zod';

const lab = await startLab({ model: reader() });
const Order = z.strictObject({ orderNumber: z.string(), quantity: z.int().positive() });

// #region wires
/** @type {import('@vouch/signal').CustomProviderConfig[]} */
const endpoints = [
  { adapter: 'openai-chat', baseUrl: `${lab.origin}/v1` }, // the default
  { adapter: 'openai-responses', baseUrl: `${lab.origin}/v1` },
  { adapter: 'anthropic-messages', baseUrl: `${lab.origin}/v1` },
  { adapter: 'gemini', baseUrl: `${lab.origin}/v1beta` },
  { adapter: 'ollama', baseUrl: lab.origin },
];
for (const endpoint of endpoints) {
  const result = await createSignal({ ...endpoint, model: 'lab-reader' })
    .schema(Order)
    .tryComplete('Order number: A-17\nQuantity: 3');
  console.log(endpoint.adapter, result.ok ? result.response : result.failure.message);
}
// #endregion
console.log(lab.requests().map(({ path }) => path));
await lab.close();

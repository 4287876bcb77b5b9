// Runs without a key: `node examples/quickstart.mjs` (after `npm run build`). The lab's reader copies labelled values; it is no language model.
// #region quickstart
import { reader, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { z } from 'zod';

// A local stand-in for a provider, which wraps its JSON in prose and a fence (C10). With a key: createSignal('openai', { model }).
const lab = await startLab({ model: reader(), pathologies: [{ id: 'C10', rate: 1 }] });
const Order = z.strictObject({ orderNumber: z.string(), quantity: z.int().positive() });
const orders = createSignal({ baseUrl: lab.baseUrl, model: 'lab-reader' }).schema(Order).retries(0);

for (const text of ['Order number: A-17\nQuantity: 3', 'Order number: A-18\nQuantity: several']) {
  const result = await orders.tryComplete(text);
  if (result.ok)
    console.log(
      result.response,
      result.meta.wire[0]?.edits.map((edit) => edit.mechanism),
    );
  else console.log(result.failure.kind, result.failure.reason, result.failure.evidence.issues);
}
await lab.close();
// #endregion

// The lab by itself: a fake provider on loopback that spoils some of its answers. `node examples/lab.mjs` (after `npm run build`).
// #region lab
import { startLab } from '@vouch/lab';

const lab = await startLab({
  seed: 7,
  pathologies: [
    { id: 'C10', rate: 1 }, // JSON in a fence and prose, in every answer
    { id: 'S3', rate: 0.1 }, // CRLF split over two chunks, in one stream of ten
  ],
});
// Any client of the chat wire can be pointed at lab.baseUrl; here the wire itself is shown.
const schema = { type: 'object', properties: { quantity: { type: 'integer' } }, required: ['quantity'] };
const response = await fetch(`${lab.baseUrl}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'lab-reader',
    messages: [{ role: 'user', content: 'Order number: A-17\nQuantity: 3' }],
    response_format: { type: 'json_schema', json_schema: { name: 'order', schema } },
  }),
});
console.log((await response.json()).choices[0].message.content);
console.log(lab.requests().map((request) => request.applied));
await lab.close();
// #endregion

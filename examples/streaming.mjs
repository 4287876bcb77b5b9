// The same answer as a stream: text as it comes, partial values that only grow, and one last event that is `done` or `error`.
// #region streaming
import { reader, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { partials } from '@vouch/signal/partial';
import { z } from 'zod';

const lab = await startLab({ model: reader() });
const Menu = z.strictObject({
  restaurant: z.string(),
  dishes: z.array(z.strictObject({ dish: z.string(), price: z.number() })),
});
const menus = createSignal({ baseUrl: lab.baseUrl, model: 'lab-reader' }).schema(Menu);

const text = `Restaurant: The Copper Pot

| Dish             | Price |
| Beetroot soup    | 7.50  |
| Barley risotto   | 15.40 |`;

let shown = 0;
for await (const event of partials(menus.stream(text))) {
  if (event.type === 'partial') shown += 1;
  if (event.type === 'done') console.log(`after ${shown} partial values:`, event.response);
  if (event.type === 'error') console.log(event.failure.kind, event.failure.message);
}
await lab.close();
// #endregion

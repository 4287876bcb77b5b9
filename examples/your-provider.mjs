// The same on a provider of the registry. With the provider's key in the environment this asks the real one; without it, it only describes it.
// #region your-provider
import { createSignal } from '@vouch/signal';
import { z } from 'zod';

const signal = createSignal('groq', { model: 'qwen/qwen3.8-27b' }); // or openai, openrouter, mistral, …: `npx vouch providers`
const orders = signal.schema(z.strictObject({ orderNumber: z.string(), quantity: z.int() })).options({ timeout: { total: 30_000 } });

console.log(orders.describe());
if (process.env.GROQ_API_KEY) {
  const result = await orders.tryComplete('Order A-17, three pieces');
  if (result.ok) console.log(result.response, result.meta.usage);
  else {
    const { kind, message, evidence } = result.failure;
    const [issue] = evidence.issues; // where it missed the schema, and what would have passed
    console.log(kind, message, issue && `${issue.path || 'the whole value'}: ${issue.expected}`);
  }
}
// #endregion

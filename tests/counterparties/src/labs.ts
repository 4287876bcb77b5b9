import { type Lab, type LabOptions, type RawReply, startLab } from '@vouch/lab';
import { onTestFinished } from 'vitest';

/** A lab that is closed when the test ends. */
export async function labFor(options: LabOptions): Promise<Lab> {
  const lab = await startLab(options);
  onTestFinished(() => lab.close());
  return lab;
}

/** An error of the service, with headers. */
export function errorReply(status: number, error: object, headers: Readonly<Record<string, string>> = {}): { readonly raw: RawReply } {
  return {
    raw: { status, headers: { 'content-type': 'application/json', ...headers }, chunks: [JSON.stringify({ error })], ending: 'end' },
  };
}

/** A stream that says something, then falls silent. */
export const stalled: { readonly raw: RawReply } = {
  raw: {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    chunks: [
      `data: ${JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { role: 'assistant', content: 'It is' }, logprobs: null, finish_reason: null }],
      })}\n\n`,
    ],
    ending: 'stall',
  },
};

/** A document that the reader fills schemas from. */
export const order = 'Order number: A-17\nQuantity: 3\nExpress: yes';
/** What stands in it. */
export const orderValue = { orderNumber: 'A-17', quantity: 3, express: true };

/** A picture of one pixel. */
export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// A tool: its arguments are gated by its schema before it runs, and a truncated call is never run.
// The model here is a script of two turns; it is no language model.
// #region tools
import { scripted, startLab } from '@vouch/lab';
import { createSignal, defineTool } from '@vouch/signal';
import { z } from 'zod';

const lab = await startLab({
  model: scripted([{ toolCalls: [{ name: 'find_berth', arguments: '{"length": 12}' }] }, { text: 'The Heron can lie at pier 7 tonight.' }]),
});

const findBerth = defineTool({
  name: 'find_berth',
  description: 'Finds a free berth for a boat of this length, in metres.',
  input: z.strictObject({ length: z.number().positive() }),
  execute: ({ length }) => (length <= 15 ? { pier: 7 } : { pier: null }),
});

const harbour = createSignal({ baseUrl: lab.baseUrl, model: 'script', capabilities: { nativeTools: 'yes' } }).tools([findBerth]);
const { response, meta } = await harbour.complete('Where can the Heron (12 m) lie tonight?');
console.log(response);
console.log(meta.toolCalls);
await lab.close();
// #endregion

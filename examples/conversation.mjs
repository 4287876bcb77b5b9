// A conversation of two turns, with thinking and a tool: what the first turn leaves goes through JSON, as into a store, and into the next.
// The model is a script of three answers, said over the Messages wire; it is no language model. `node examples/conversation.mjs`
import { scripted, startLab } from '@vouch/lab';
import { createSignal, defineTool } from '@vouch/signal';
import { z } from 'zod';

const lab = await startLab({
  model: scripted([
    { thinking: [{ text: 'The list of piers tells.' }], toolCalls: [{ name: 'find_berth', arguments: '{"length": 12}' }] },
    { thinking: [{ text: 'Pier 7 is free.' }], text: 'The Heron can lie at pier 7 tonight.' },
    { text: 'Until ten in the morning.' },
  ]),
});
const findBerth = defineTool({
  name: 'find_berth',
  description: 'Finds a free berth for a boat of this length, in metres.',
  input: z.strictObject({ length: z.number().positive() }),
  execute: ({ length }) => ({ pier: length <= 15 ? 7 : null }),
});

// #region conversation
const harbour = createSignal({ baseUrl: lab.baseUrl, adapter: 'anthropic-messages', model: 'script', capabilities: { nativeTools: 'yes' } })
  .tools([findBerth])
  .options({ thinking: { mode: 'adaptive' } });

let stored = '[]';
for (const question of ['Where can the Heron (12 m) lie tonight?', 'And until when?']) {
  const before = JSON.parse(stored);
  const result = await harbour.history(before).complete(question);
  for (const part of result.history.slice(before.length).flatMap(({ parts }) => parts)) {
    if (part.type === 'thinking') console.log('  thinks:', part.block.content);
    if (part.type === 'tool-call') console.log('  calls:', part.name, part.arguments);
  }
  console.log(result.response);
  stored = JSON.stringify(result.history); // signatures included, which the provider wants back as they were
}
// #endregion

// The last request had every signature of the turn before; the lab, as the real service, refuses one that was changed.
const signatures = JSON.stringify(lab.requests().at(-1)?.body).split('"signature":').length - 1;
console.log(`${signatures} signatures went back`);
await lab.close();
if (signatures !== 2) process.exit(1);

// One run over the network, recorded, and the same run again without it. `node examples/cassettes.mjs` (after `npm run build`).
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLab } from '@vouch/lab';

const lab = await startLab();
const directory = await mkdtemp(join(tmpdir(), 'vouch-cassettes-'));
const baseUrl = lab.baseUrl;

// #region cassettes
import { recordCassettes, replayCassettes } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import { z } from 'zod';

const schema = z.object({ customer: z.string(), quantity: z.number() });
/** @param {typeof fetch} fetch @param {string} text */
const ask = (fetch, text) =>
  createSignal({ baseUrl, model: 'lab-reader', apiKey: 'sk-very-secret-1', fetch }).schema(schema).tryComplete(text);

const recorder = await recordCassettes({ directory });
await ask(recorder.fetch, 'Customer: Zoë\nQuantity: 3');
const { recorded, skipped } = await recorder.done(); // one file an exchange, without the key; what could not be recorded is listed
await lab.close();

const player = await replayCassettes({ directory }); // no network and no key from here on
const again = await ask(player.fetch, 'Customer: Zoë\nQuantity: 3');
console.log(again.ok && again.response); // { customer: 'Zoë', quantity: 3 }
const other = await ask(player.fetch, 'Customer: Zoë\nQuantity: 4');
console.log(!other.ok && other.failure.message); // … first difference at /body/messages/…: recorded …"Quantity: 3", came …"Quantity: 4" …
// #endregion
const text = await readFile(join(directory, recorded[0] ?? ''), 'utf8');
await rm(directory, { recursive: true });
const asItShould = recorded.length === 1 && skipped.length === 0 && !text.includes('very-secret') && again.ok && !other.ok;
if (!asItShould || player.misses().length !== 1 || player.unused().length !== 0) process.exit(1);

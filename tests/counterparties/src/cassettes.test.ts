import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordCassettes, replayCassettes, scripted } from '@vouch/lab';
import OpenAI, { APIConnectionError, NotFoundError, RateLimitError } from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorReply, labFor } from './labs.ts';

const key = 'sk-canary-0123456789';
const text = 'Pier 7 é 🚀 "quoted" \\ \n end.';
const ask = (content: string) => ({ model: 'm', messages: [{ role: 'user' as const, content }] });

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vouch-cassettes-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const clientOf = (fetch: typeof globalThis.fetch, baseURL: string): OpenAI =>
  new OpenAI({ baseURL, apiKey: key, logLevel: 'off', maxRetries: 0, fetch });

/** Everything that the package makes of one conversation: a whole answer, the same question again, a stream, and a refusal. */
async function conversation(client: OpenAI): Promise<unknown> {
  const { data, request_id } = await client.chat.completions.create(ask('Where?')).withResponse();
  const again = await client.chat.completions.create(ask('Where?'));
  const chunks: unknown[] = [];
  for await (const chunk of await client.chat.completions.create({ ...ask('Wohin? Zoë 🚀'), stream: true })) chunks.push(chunk);
  const refused: unknown = await client.chat.completions.create(ask('Too much?')).catch((error: unknown) => error);
  if (!(refused instanceof RateLimitError)) throw new Error('no refusal');
  return { data, request_id, again, chunks, refused: [refused.status, refused.message, refused.headers.get('retry-after')] };
}

describe('the openai package over cassettes', () => {
  it('[SG-101] gets the same answers, streams and refusals from a replay as it got from the network, and no file has its key', async () => {
    let asked = 0;
    const lab = await labFor({
      model: scripted((request) => {
        asked += 1;
        if (request.messages.some((message) => message.text === 'Too much?'))
          return errorReply(429, { message: 'slow' }, { 'retry-after': '3' });
        return { text: `${asked} ${text}` };
      }),
    });
    const directory = await emptyDirectory();
    const recorder = await recordCassettes({ directory });
    const live = await conversation(clientOf(recorder.fetch, lab.baseUrl));
    const { recorded, skipped } = await recorder.done();
    expect([recorded.length, skipped]).toEqual([4, []]);
    const files = await readdir(directory);
    expect(files.toSorted()).toEqual(recorded);
    for (const file of files) expect(await readFile(join(directory, file), 'utf8')).not.toContain('canary');
    await lab.close();

    const player = await replayCassettes({ directory });
    expect(await conversation(clientOf(player.fetch, 'http://127.0.0.1:9/v1'))).toEqual(live);
    expect([player.unused(), player.misses()]).toEqual([[], []]);
    const patient = new OpenAI({ baseURL: 'http://127.0.0.1:9/v1', apiKey: key, logLevel: 'off', maxRetries: 3, fetch: player.fetch });
    await expect(patient.chat.completions.create(ask('Never asked.'))).rejects.toThrow(NotFoundError);
    expect(player.misses()).toHaveLength(1);
  });

  it('[SG-101] meets a connection that broke in the recording as one that broke', async () => {
    const lab = await labFor({ model: scripted(() => ({ text })), faults: [{ id: 'reset-head', rate: 1 }] });
    const directory = await emptyDirectory();
    const recorder = await recordCassettes({ directory });
    await expect(clientOf(recorder.fetch, lab.baseUrl).chat.completions.create(ask('Where?'))).rejects.toThrow(APIConnectionError);
    expect((await recorder.done()).recorded).toHaveLength(1);
    await lab.close();
    const player = await replayCassettes({ directory });
    await expect(clientOf(player.fetch, lab.baseUrl).chat.completions.create(ask('Where?'))).rejects.toThrow(APIConnectionError);
    expect(player.unused()).toEqual([]);
  });
});

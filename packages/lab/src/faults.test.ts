import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fault, faultById, faults, type Lab, type LabOptions, scripted, startLab } from './index.ts';

let running: Lab[] = [];

async function lab(options: LabOptions = {}): Promise<Lab> {
  const started = await startLab({
    model: scripted(() => ({ text: 'Pier 7, low tide é 🚀 and fog' })),
    now: () => 1_790_000_000_500,
    ...options,
  });
  running.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(running.map((one) => one.close()));
  running = [];
});

const question = (stream: boolean, more: object = {}): object => ({
  model: 'm',
  messages: [{ role: 'user', content: 'Where?' }],
  ...(stream ? { stream: true } : {}),
  ...more,
});

interface Seen {
  readonly bytes: Buffer;
  readonly text: string;
  readonly head: string;
  readonly body: string;
  /** How the connection ended; `left`: not by the lab. */
  readonly end: 'closed' | 'reset' | 'left';
}

/** Everything that a bare socket sees. A reply that stands still is left after `bytes` bytes, or after what came. */
function exchange(to: Lab, body: object, leave: (text: string) => boolean = () => false): Promise<Seen> {
  const bytes = Buffer.from(JSON.stringify(body));
  const { host, port } = new URL(to.origin);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let end: Seen['end'] = 'closed';
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (!leave(Buffer.concat(chunks).toString('utf8'))) return;
      end = 'left';
      socket.destroy();
    });
    socket.on('error', () => {
      end = 'reset';
    });
    socket.on('close', () => {
      const all = Buffer.concat(chunks);
      const text = all.toString('utf8');
      const cut = text.indexOf('\r\n\r\n');
      resolve({ bytes: all, text, head: text.slice(0, cut), body: text.slice(cut + 4), end });
    });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes);
  });
}

const withFault = (id: string, parameter?: number): Promise<Lab> =>
  lab({ faults: [{ id, rate: 1, ...(parameter === undefined ? {} : { parameter }) }] });

/** The pieces of a chunked body, and whether its end came. */
function unchunk(bytes: Buffer): { readonly pieces: readonly Buffer[]; readonly ended: boolean } {
  const pieces: Buffer[] = [];
  let at = bytes.indexOf('\r\n\r\n') + 4;
  while (at < bytes.length) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16);
    if (size === 0) return { pieces, ended: true };
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return { pieces, ended: false };
}

const plainBody = async (stream: boolean): Promise<string> => {
  const seen = await exchange(await lab(), question(stream));
  return stream ? Buffer.concat([...unchunk(seen.bytes).pieces]).toString('utf8') : seen.body;
};

describe('what a bare socket sees', () => {
  it.each([false, true])('[SG-100] split: every byte in a write of its own, the same body (streamed: %s)', async (stream) => {
    const { pieces, ended } = unchunk((await exchange(await withFault('split'), question(stream))).bytes);
    expect(ended).toBe(true);
    expect(pieces.every((piece) => piece.length === 1)).toBe(true);
    expect(Buffer.concat([...pieces]).toString('utf8')).toBe(await plainBody(stream));
    const sevens = unchunk((await exchange(await withFault('split', 7), question(stream))).bytes).pieces;
    expect(new Set(sevens.slice(0, -1).map((piece) => piece.length))).toEqual(new Set([7]));
  });

  it('a body of thousands of writes leaves its client a turn', async () => {
    const here = await withFault('split');
    await exchange(here, question(true, { user: 'x' }), () => true);
    await here.idle();
    // It went at the first bytes, while the lab was still writing.
    expect(here.requests()[0]?.clientClosedEarly).toBe(true);
  });

  it('[SG-100] split-at: two writes, cut where asked, at every offset; past the end there is no fault', async () => {
    const whole = await plainBody(false);
    const length = Buffer.byteLength(whole);
    for (const offset of [1, 2, Math.floor(length / 2), length - 1]) {
      const { pieces } = unchunk((await exchange(await withFault('split-at', offset), question(false))).bytes);
      expect(pieces.map((piece) => piece.length)).toEqual([offset, length - offset]);
      expect(Buffer.concat([...pieces]).toString('utf8')).toBe(whole);
    }
    const here = await withFault('split-at', length);
    expect((await exchange(here, question(false))).body).toBe(whole);
    expect(here.requests()[0]?.fault).toBeUndefined();
  });

  it('[SG-100] stall: so many writes, then nothing, and the connection stays', async () => {
    const here = await withFault('stall', 2);
    const seen = await exchange(here, question(true), (text) => text.split('data: ').length > 2);
    expect(seen.end).toBe('left');
    expect(unchunk(seen.bytes)).toMatchObject({ ended: false, pieces: { length: 2 } });
    await here.idle();
    expect(here.requests()[0]).toMatchObject({ status: 200, clientClosedEarly: true });
  });

  it('[SG-100] stall-head: not one byte', async () => {
    const here = await withFault('stall-head');
    const pending = exchange(here, question(false));
    await expect.poll(() => here.requests()[0]?.fault).toBe('stall-head');
    await here.close();
    expect((await pending).bytes.length).toBe(0);
  });

  it.each([
    ['reset', 'reset', false],
    ['reset', 'reset', true],
    ['cut', 'closed', false],
    ['cut', 'closed', true],
  ] as const)('[SG-100] %s: the body is missing its end, and the connection is %s (streamed: %s)', async (id, end, stream) => {
    const seen = await exchange(await withFault(id), question(stream));
    expect(seen.end).toBe(end);
    const plain = await plainBody(stream);
    const got = stream ? Buffer.concat([...unchunk(seen.bytes).pieces]).toString('utf8') : seen.body;
    expect(got.length).toBeGreaterThan(0);
    expect(got.length).toBeLessThan(plain.length);
    expect(plain.startsWith(got.replace(/\ufffd+$/, ''))).toBe(true);
    if (stream) expect(unchunk(seen.bytes).ended).toBe(false);
    else expect(seen.head).toContain(`content-length: ${Buffer.byteLength(plain)}`);
  });

  it('[SG-100] reset-head: a reset before any byte', async () => {
    const seen = await exchange(await withFault('reset-head'), question(true));
    expect([seen.end, seen.bytes.length]).toEqual(['reset', 0]);
  });

  it('[SG-100] truncate: less than all, and yet a proper end', async () => {
    const { pieces, ended } = unchunk((await exchange(await withFault('truncate'), question(true))).bytes);
    expect(ended).toBe(true);
    expect(Buffer.concat([...pieces]).toString('utf8')).not.toContain('[DONE]');
  });

  it.each([
    ['rate-limit', 2, 'retry-after: 2'],
    // The clock stands at half a second: the date is never too early.
    ['rate-limit-date', 2, `retry-after: ${new Date(1_790_000_003_000).toUTCString()}`],
    ['rate-limit-ms', 40, 'retry-after-ms: 40'],
  ] as const)('[SG-100] %s: a 429 of the wire that says how long to wait, then the answer', async (id, parameter, header) => {
    const here = await withFault(id, parameter);
    const first = await exchange(here, question(true));
    expect(first.head).toMatch(/^HTTP\/1\.1 429 /);
    expect(first.head.split('\r\n')).toContain(header);
    expect(JSON.parse(first.body)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect((await exchange(here, question(true))).text).toContain('[DONE]');
    expect(here.requests().map((one) => one.fault)).toEqual([id, undefined]);
  });

  it('[SG-100] overloaded: the status that was asked for, in the words of the wire', async () => {
    const seen = await exchange(await withFault('overloaded', 529), question(false));
    expect(seen.head).toMatch(/^HTTP\/1\.1 529 /);
    expect(JSON.parse(seen.body)).toMatchObject({ error: { code: 'overloaded' } });
  });

  it('[SG-100] error-frame: an error event after output, and no end', async () => {
    const { pieces, ended } = unchunk((await exchange(await withFault('error-frame'), question(true))).bytes);
    const text = Buffer.concat([...pieces]).toString('utf8');
    expect(ended).toBe(true);
    expect(text).toMatch(/"content":"[^"]+".*event: error\ndata: \{"error":/s);
    expect(text).not.toContain('[DONE]');
  });

  it('[SG-100] open-socket: the last event, and no end of the body', async () => {
    const seen = await exchange(await withFault('open-socket'), question(true), (text) => text.includes('[DONE]\n\n'));
    expect(seen.end).toBe('left');
    expect(seen.text).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(seen.head).not.toMatch(/connection: close/i);
  });

  it('[SG-100] gzip: flushed in pieces that give the same body; gzip-cut: without its end', async () => {
    const seen = unchunk((await exchange(await withFault('gzip'), question(true))).bytes);
    expect(seen.pieces.length).toBeGreaterThan(4);
    expect(gunzipSync(Buffer.concat([...seen.pieces])).toString('utf8')).toBe(await plainBody(true));
    const cut = unchunk((await exchange(await withFault('gzip-cut'), question(true))).bytes);
    expect(cut.ended).toBe(true);
    expect(() => gunzipSync(Buffer.concat([...cut.pieces]))).toThrow('unexpected end of file');
  });

  it('[SG-100] wrong-length and wrong-chunk-length: more is announced than comes', async () => {
    const plain = await plainBody(false);
    const seen = await exchange(await withFault('wrong-length', 5), question(false));
    expect(seen.body).toBe(plain);
    expect(seen.head).toContain(`content-length: ${Buffer.byteLength(plain) + 5}`);
    const chunked = await exchange(await withFault('wrong-chunk-length'), question(true));
    expect(chunked.text).toContain('[DONE]');
    const sizes = [...chunked.body.matchAll(/(?:^|\r\n)([0-9a-f]+)\r\n(data: [^\r]*)/g)].map(
      ([, size = '', data = '']) => Number.parseInt(size, 16) - Buffer.byteLength(data),
    );
    expect(sizes.filter((more) => more === 1)).toHaveLength(1);
    expect(sizes.filter((more) => more !== 0)).toHaveLength(1);
  });

  it('[SG-100] wrong-type, html-page, login-page, empty-body, redirect, redirect-away', async () => {
    expect((await exchange(await withFault('wrong-type'), question(true))).head).toContain('content-type: text/plain');
    expect((await exchange(await withFault('wrong-type'), question(false))).head).toContain('content-type: text/html');
    expect((await exchange(await withFault('html-page'), question(true))).text).toMatch(/^HTTP\/1\.1 502 .*<title>502 Bad Gateway/s);
    expect((await exchange(await withFault('login-page'), question(true))).text).toMatch(/^HTTP\/1\.1 200 .*<title>Sign in/s);
    expect(await exchange(await withFault('empty-body'), question(true))).toMatchObject({ body: '', end: 'closed' });
    expect((await exchange(await withFault('redirect', 308), question(true))).text).toMatch(
      /^HTTP\/1\.1 308 .*location: \/v1\/chat\/completions\r/s,
    );
    expect((await exchange(await withFault('redirect-away'), question(true))).head).toContain('location: https://elsewhere.example/');
  });

  it('[SG-100] slow and late: pauses, and the same body', async () => {
    for (const id of ['slow', 'late']) {
      const { pieces } = unchunk((await exchange(await withFault(id, 1), question(true))).bytes);
      expect(Buffer.concat([...pieces]).toString('utf8')).toBe(await plainBody(true));
    }
    const fault = faultById('slow') as Extract<Fault, { answer: 'whole' | 'part' }>;
    const context = { wire: { id: 'openai-chat', refuse: () => reply }, path: '/', parameter: 9, random: {}, now: 0 } as never;
    const reply = { status: 200, headers: {}, chunks: ['x'.repeat(16)], ending: 'end' } as const;
    expect(fault.apply(reply, context)).toMatchObject({ chunkDelayMs: 9, chunks: { length: 8 } });
  });
});

describe('which requests have which fault', () => {
  it('[SG-100] the same seed and the same requests give the same bytes, in whatever order', async () => {
    const ids = faults
      .map(({ id }) => id)
      .filter((id) => !['stall', 'stall-head', 'open-socket', 'reset', 'reset-head', 'slow', 'late'].includes(id));
    const bodies = [0, 1, 2, 3, 4, 5].map((index) => question(index % 2 === 0, { user: String(index) }));
    const run = async (seed: number, order: readonly number[], rate: number): Promise<readonly string[]> => {
      const here = await lab({ seed, faults: ids.map((id) => ({ id, rate })), pathologies: [{ id: 'C10', rate: 0.5 }] });
      const found: string[] = [];
      for (const index of order) {
        const before = here.requests().length;
        const { text } = await exchange(here, bodies[index] ?? {});
        const { fault, applied } = here.requests()[before] ?? {};
        found[index] = `${fault} ${applied} ${text}`;
      }
      return found;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
        fc.constantFrom(0.05, 0.5, 1),
        async (seed, order, rate) => {
          expect(await run(seed, order, rate)).toEqual(await run(seed, [0, 1, 2, 3, 4, 5], rate));
        },
      ),
      { numRuns: 12, seed: 3 },
    );
  });

  it('[SG-100] a rate is a share, at most one fault shows, and it may stand beside a pathology', async () => {
    const here = await lab({
      pathologies: [{ id: 'C10', rate: 1 }],
      faults: [
        { id: 'split', rate: 0.25, parameter: 50 },
        { id: 'wrong-type', rate: 0.25 },
      ],
      model: scripted(() => ({ text: '{"pier":7}' })),
    });
    for (let count = 0; count < 80; count += 1) await exchange(here, question(false, { user: String(count) }));
    const split = here.requests({ fault: 'split' }).length;
    const typed = here.requests({ fault: 'wrong-type' }).length;
    const none = here.requests({ fault: null }).length;
    expect(split + typed + none).toBe(80);
    expect(here.requests({ applied: 'C10' })).toHaveLength(80);
    // Each falls below a quarter of the draws, or the other did not: 7 of 16 in all.
    expect(split + typed).toBeGreaterThan(20);
    expect(split + typed).toBeLessThan(50);
    expect(Math.min(split, typed)).toBeGreaterThan(5);
  });

  it('[SG-100] the answer of the faulted first try is the one that the retry gets', async () => {
    const here = await lab({ model: scripted([{ text: 'one' }, { text: 'two' }]), faults: [{ id: 'cut', rate: 1 }] });
    await exchange(here, question(false));
    expect((await exchange(here, question(false))).body).toContain('"content":"one"');
    await exchange(here, question(false));
    expect((await exchange(here, question(false))).body).toContain('"content":"two"');
    expect(here.requests().map((one) => one.fault)).toEqual(['cut', undefined, 'cut', undefined]);
  });

  it('[SG-100] a fault that comes instead of the answer does not ask the model', async () => {
    const here = await lab({ model: scripted([{ text: 'one' }]), faults: [{ id: 'overloaded', rate: 1 }] });
    await exchange(here, question(false));
    expect((await exchange(here, question(false))).body).toContain('"content":"one"');
  });

  it('refuses an unknown fault, a rate that is none, and a parameter out of bounds', async () => {
    await expect(startLab({ faults: [{ id: 'nap', rate: 1 }] })).rejects.toThrow('no fault has the id nap');
    await expect(startLab({ faults: [{ id: 'split', rate: 1.5 }] })).rejects.toThrow('the rate of split');
    await expect(startLab({ faults: [{ id: 'split', rate: 1, parameter: 0 }] })).rejects.toThrow('from 1 to 1000000: bytes a write');
    await expect(startLab({ faults: [{ id: 'gzip', rate: 1, parameter: 1 }] })).rejects.toThrow('gzip takes no parameter');
  });

  it('ids are unique, and every parameter has its bounds', () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
    for (const { parameter } of faults) {
      if (parameter?.default === undefined) continue;
      expect(parameter.default).toBeGreaterThanOrEqual(parameter.least);
      expect(parameter.default).toBeLessThanOrEqual(parameter.most);
    }
  });
});

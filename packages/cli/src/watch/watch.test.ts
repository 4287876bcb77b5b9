import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { JsonValue } from '@vouch/contracts';
import { type ManualClock, manualClock } from '@vouch/contracts/testing';
import { scripted, startLab } from '@vouch/lab';
import { createSignal } from '@vouch/signal';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { CliIo } from '../terminal/cli-io.ts';
import { textWidth } from '../terminal/text-width.ts';
import { UsageError } from '../usage-error.ts';
import { valueLines } from './value-lines.ts';
import { createWatch, type Watch, type WatchOptions } from './watch.ts';
import { watchStream } from './watch-stream.ts';

function ioOf(env: CliIo['env'], isTTY: boolean, size: { columns: number; rows: number }): CliIo {
  const stderr = Object.assign(new PassThrough(), { isTTY, ...size });
  const signal = new AbortController().signal;
  return { stdout: new PassThrough(), stderr, stdin: stderr, env, cwd: '/', isTTY: { stdout: false, stderr: isTTY }, signal };
}

interface Watched {
  readonly watch: Watch;
  readonly clock: ManualClock;
  /** The lines of the last frame that was drawn whole. */
  readonly frame: () => Promise<readonly string[]>;
}

function watched(columns: number, rows: number, options: WatchOptions = {}): Watched {
  const io = ioOf({}, true, { columns, rows });
  const clock = manualClock();
  const watch = createWatch(io, { clock, ...options });
  return {
    watch,
    clock,
    async frame() {
      // After a clear the next frame is drawn whole.
      watch.pause();
      (io.stderr as PassThrough).read();
      watch.begin('again');
      watch.end('again');
      await clock.advance(100);
      const text = stripVTControlCharacters(String((io.stderr as PassThrough).read() ?? ''));
      return text.split('\n').slice(0, -1);
    },
  };
}

describe('a watch', () => {
  it('shows each document in flight by its value so far, and what is void', async () => {
    const { watch, frame, clock } = watched(60, 24, { footer: (columns) => `so wide: ${columns}` });
    watch.begin('a.txt');
    watch.begin('b.txt');
    watch.begin('c.txt');
    watch.partial('a.txt', { ship: 'Auro' });
    watch.partial('b.txt', { pier: 7, items: [{ name: 'rope' }, { name: 'tar' }] });
    watch.retract('c.txt', 'the answer did not conform');
    expect(await frame()).toEqual([
      'a.txt',
      '  ship: "Auro"',
      'b.txt',
      '  pier: 7',
      '  items: 2 elements, the last: {"name": "tar"}',
      'c.txt',
      '  void, asked again: the answer did not conform',
      'so wide: 59',
    ]);
    watch.end('a.txt');
    watch.begin('d.txt');
    watch.partial('c.txt', 12);
    expect(await frame()).toEqual([
      'd.txt',
      'b.txt',
      '  pier: 7',
      '  items: 2 elements, the last: {"name": "tar"}',
      'c.txt',
      '  12',
      'so wide: 59',
    ]);
    watch.stop();
    watch.begin('late');
    expect(clock.pending()).toBe(0);
  });

  it('draws at most ten times a second, and only when something changed', async () => {
    let frames = 0;
    const write = (_chunk: unknown, _encoding: unknown, done: () => void): void => {
      frames += 1;
      done();
    };
    const stderr = Object.assign(new Writable({ write }), { isTTY: true, columns: 60, rows: 24 });
    const clock = manualClock();
    const watch = createWatch({ ...ioOf({}, true, { columns: 60, rows: 24 }), stderr }, { clock });
    watch.begin('a.txt');
    for (let length = 0; length < 1_000; length += 1) {
      watch.partial('a.txt', 'x'.repeat(length % 47));
      await clock.advance(1);
    }
    expect(frames).toBe(10);
    await clock.advance(10_000);
    expect(frames).toBe(10);
    watch.stop();
  });

  it('never is higher or wider than the terminal, however many documents there are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 130 }),
        fc.integer({ min: 6, max: 40 }),
        fc.array(fc.jsonValue({ maxDepth: 9, stringUnit: fc.constantFrom('a', '發', '票', '한', '🚀', '❤️', 'é') }), {
          minLength: 1,
          maxLength: 70,
        }),
        async (columns, rows, values) => {
          const { watch, frame } = watched(columns, rows, { footer: (width) => '='.repeat(width) });
          for (const [index, value] of values.entries()) {
            watch.begin(`發票 ${index}.txt`);
            watch.partial(`發票 ${index}.txt`, value as JsonValue);
          }
          const lines = await frame();
          watch.stop();
          expect(lines.length).toBeGreaterThan(0);
          expect(lines.length).toBeLessThan(rows);
          for (const line of lines) expect(textWidth(line)).toBeLessThan(columns);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each<[string, CliIo['env'], boolean]>([
    ['a pipe', {}, false],
    ['NO_COLOR', { NO_COLOR: '1' }, true],
    ['TERM=dumb', { TERM: 'dumb' }, true],
  ])('is refused where it cannot be drawn: %s', (_title, env, isTTY) => {
    expect(() => createWatch(ioOf(env, isTTY, { columns: 60, rows: 24 }))).toThrow(UsageError);
  });
});

describe('the lines of a value', () => {
  it('are the last of many members, and the ends of long texts', () => {
    const value = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`m${index}`, index === 29 ? `${'x'.repeat(500)}end` : index]),
    );
    expect(valueLines(value, 4, 20)).toEqual(['… 27 more before', 'm27: 27', 'm28: 28', 'm29: "…xxxxxxxxxend"']);
  });

  it('are the last member alone where there is one line', () => {
    expect(valueLines({ ship: 'Aurora', pier: 7, crew: 3 }, 1, 40)).toEqual(['crew: 3']);
  });

  it('let no control or direction character through, in values or in names', () => {
    const hostile = '\u001b[2J\u0007\u202e\u009b31m\r\n';
    const lines = valueLines({ [`a${hostile}`]: hostile, list: [hostile, { [hostile]: [hostile] }] }, 5, 100);
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
    expect(lines).toHaveLength(2);
  });

  it('are bounded work for what is deep and long', () => {
    let deep: JsonValue = 'bottom';
    for (let depth = 0; depth < 100_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { x: deep };
    const long: JsonValue = Array.from({ length: 200_000 }, (_, index) => index);
    for (const value of [deep, { deep, long, text: 'y'.repeat(5_000_000) }, [long]])
      for (const line of valueLines(value, 5, 80)) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('watchStream', () => {
  const schema = z.object({ ship: z.string(), pier: z.int() });

  it('[SG-083] shows what grows and what is void, and gives what tryComplete gives', async () => {
    const lab = await startLab({
      model: scripted([{ text: '{"ship": "Aurora", "pier": "none"}' }, { text: '{"ship": "Kestrel", "pier": 7}' }]),
    });
    onTestFinished(() => lab.close());
    const client = createSignal({ baseUrl: lab.baseUrl, model: 'm' }).schema(schema);
    const seen: string[] = [];
    const note =
      (name: string) =>
      (...values: readonly unknown[]): void =>
        void seen.push(`${name} ${JSON.stringify(values)}`);
    const watch: Watch = {
      begin: note('begin'),
      partial: note('partial'),
      retract: note('retract'),
      end: note('end'),
      pause: note(''),
      stop: note(''),
    };
    const result = await watchStream(client.stream('Which ship?'), watch, 'a.txt');
    expect(result).toMatchObject({ ok: true, response: { ship: 'Kestrel', pier: 7 }, meta: { retries: 1 } });
    expect([seen[0], seen.at(-1)]).toEqual(['begin ["a.txt"]', 'end ["a.txt"]']);
    const voided = seen.findIndex((line) => line.startsWith('retract'));
    expect(seen.slice(1, voided).join()).toContain('{"ship":"Aurora"');
    expect(seen.slice(voided).join()).toContain('partial ["a.txt",{"ship":"Kestrel","pier":7}]');
  });

  it('gives a failure as a value, and forgets the document when the stream throws', async () => {
    const lab = await startLab({ model: scripted([{ text: 'no ship' }]) });
    onTestFinished(() => lab.close());
    const ended: string[] = [];
    const nothing = (): void => undefined;
    const watch: Watch = {
      begin: nothing,
      partial: nothing,
      retract: nothing,
      end: (path) => void ended.push(path),
      pause: nothing,
      stop: nothing,
    };
    const client = createSignal({ baseUrl: lab.baseUrl, model: 'm' }).schema(schema);
    expect(await watchStream(client.retries(0).stream('Which ship?'), watch, 'a.txt')).toMatchObject({ ok: false });
    async function* broken(): AsyncGenerator<never> {
      yield* [];
      throw new Error('broken');
    }
    await expect(watchStream(broken(), watch, 'b.txt')).rejects.toThrow('broken');
    expect(ended).toEqual(['a.txt', 'b.txt']);
  });
});

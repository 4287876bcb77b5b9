import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../conversation/chat-provider.ts';
import type { ModelPart } from '../conversation/part.ts';
import { chatProviderCases } from './chat-provider-cases.ts';
import { manualClock } from './manual-clock.ts';
import { type ScriptedItem, type ScriptedModel, scriptedModel } from './scripted-model.ts';

const request: ChatRequest = { messages: [] };
const signal = (): AbortSignal => new AbortController().signal;

async function collect(model: ScriptedModel, asked: ChatRequest = request): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(asked, { signal: signal() })) parts.push(part);
  return parts;
}

describe('scriptedModel', () => {
  for (const { title, run } of chatProviderCases) {
    it(`[AC-009] ${title}`, () =>
      run((scenario) => {
        const items: readonly ScriptedItem[] =
          scenario.kind === 'text'
            ? [{ type: 'text', text: scenario.text }]
            : scenario.kind === 'call'
              ? [{ type: 'call', name: scenario.name, args: scenario.args }]
              : scenario.kind === 'failure'
                ? [{ type: 'failure', error: new Error('the service is down') }]
                : [
                    { type: 'text', text: scenario.text },
                    { type: 'delay', ms: 60_000 },
                  ];
        return scriptedModel([items, items, items], { chunkChars: 3, clock: manualClock() });
      }));
  }

  it('gives its answers in order, records each request, and says how many are left', async () => {
    const model = scriptedModel(['first', 'second']);
    expect(await collect(model, { ...request, temperature: 0 })).toContainEqual({ type: 'text-delta', text: 'first' });
    expect(model.remaining()).toBe(1);
    expect(await collect(model)).toContainEqual({ type: 'text-delta', text: 'second' });
    expect(model.requests).toEqual([{ ...request, temperature: 0 }, request]);
    expect(model.remaining()).toBe(0);
  });

  it('refuses to answer more often than its script, and says so', async () => {
    const model = scriptedModel(['only']);
    await collect(model);
    expect(() => model.stream(request, { signal: signal() })).toThrow('the script has 1 answers, and answer 2 was asked for');
  });

  it('ends with the finish reason that fits, its usage, and no second metadata where the script brings its own', async () => {
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, reported: true };
    const call: ScriptedItem = { type: 'call', name: 'find_berth', args: { pier: 7 } };
    const cut: ScriptedItem = { type: 'part', part: { type: 'call-metadata', finishReason: 'length' } };
    const model = scriptedModel([[call, call], ['half'].map((text): ScriptedItem => ({ type: 'text', text })).concat(cut)], { usage });
    const parts = await collect(model);
    expect(parts.at(-1)).toEqual({ type: 'call-metadata', finishReason: 'tool_calls', terminated: true, model: 'scripted', usage });
    expect(parts.flatMap((part) => (part.type === 'function-call-delta' && part.id !== undefined ? [[part.index, part.id]] : []))).toEqual([
      [0, 'call_1'],
      [1, 'call_2'],
    ]);
    expect((await collect(model)).filter(({ type }) => type === 'call-metadata')).toEqual([
      { type: 'call-metadata', finishReason: 'length' },
    ]);
  });

  it('yields thinking, refusals, and arguments as the text that was scripted', async () => {
    const model = scriptedModel([
      [
        { type: 'thinking', text: 'hm' },
        { type: 'refusal', text: 'no' },
        { type: 'call', name: 'f', args: '{"broken":', id: 'mine' },
      ],
    ]);
    expect((await collect(model)).slice(0, 4)).toEqual([
      { type: 'thinking-delta', text: 'hm' },
      { type: 'refusal-delta', text: 'no' },
      { type: 'function-call-delta', index: 0, id: 'mine', name: 'f' },
      { type: 'function-call-delta', index: 0, arguments: '{"broken":' },
    ]);
  });

  it('waits on the clock that it is given', async () => {
    const clock = manualClock(1_000);
    const model = scriptedModel(
      [
        [
          { type: 'delay', ms: 500 },
          { type: 'text', text: 'late' },
        ],
      ],
      { clock },
    );
    const seen: number[] = [];
    const reading = (async () => {
      for await (const part of model.stream(request, { signal: signal() })) if (part.type === 'text-delta') seen.push(clock.now());
    })();
    await clock.advance(499);
    expect(seen).toEqual([]);
    await clock.advance(1);
    await reading;
    expect(seen).toEqual([1_500]);
    expect(clock.pending()).toBe(0);
  });

  it('yields provider chunks only when they are asked for', async () => {
    const chunk: ScriptedItem = { type: 'part', part: { type: 'provider-chunk', chunk: { a: 1 } } };
    const model = scriptedModel([[chunk], [chunk]]);
    expect((await collect(model)).map(({ type }) => type)).toEqual(['call-metadata']);
    expect((await collect(model, { ...request, providerChunks: true })).map(({ type }) => type)).toEqual([
      'provider-chunk',
      'call-metadata',
    ]);
  });
});

describe('the cases can fail', () => {
  const failing = async (make: (parts: readonly ModelPart[]) => readonly ModelPart[]): Promise<readonly string[]> => {
    const titles: string[] = [];
    for (const { title, run } of chatProviderCases) {
      const passed = await Promise.resolve(
        run((scenario) => {
          const model = scriptedModel(
            Array.from({ length: 3 }, (): readonly ScriptedItem[] =>
              scenario.kind === 'call'
                ? [{ type: 'call', name: scenario.name, args: scenario.args }]
                : [{ type: 'text', text: 'text' in scenario ? scenario.text : '' }],
            ),
          );
          return {
            id: 'mutant',
            async *stream(asked, context) {
              const parts: ModelPart[] = [];
              for await (const part of model.stream(asked, { signal: signal() })) parts.push(part);
              void context;
              yield* make(parts);
            },
          };
        }),
      ).then(
        () => true,
        () => false,
      );
      if (!passed) titles.push(title);
    }
    return titles;
  };

  it('a provider that swallows failures and aborts is caught', async () => {
    const titles = await failing((parts) => parts);
    expect(titles).toEqual([
      'a failing service ends the iteration by throwing, never by ending it',
      'a signal that is already aborted gives its reason and no part',
      "an abort during the answer throws the signal's reason",
      'no listener is left on the signal: after the end, after leaving early, after a failure',
    ]);
  });

  it('a provider that loses a part, its end, or a chunk of its own is caught', async () => {
    expect(await failing((parts) => parts.slice(1))).toContain('the text deltas of an answer join to the whole text');
    expect(await failing((parts) => parts.slice(0, -1))).toContain('an answer ends with a finish reason, said once, and the terminal mark');
    expect(await failing((parts) => [{ type: 'provider-chunk', chunk: 1 }, ...parts])).toContain(
      'provider chunks and responses come only when asked for',
    );
    expect(await failing((parts) => parts.filter((part) => part.type !== 'function-call-delta' || part.id === undefined))).toContain(
      'a function call has an id, its name, and arguments that parse to what was sent',
    );
  });
});

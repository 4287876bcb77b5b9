import { SignalError } from '@vouch/contracts';
import { describe, expect, it } from 'vitest';
import { type ChatAdapterPort, chatAdapterCases } from './adapter.cases.ts';
import { loadAdapter } from './load.ts';
import { openaiChat } from './openai-chat.ts';
import { openDialect } from './test-support/drive.ts';

const port: ChatAdapterPort = {
  create: openaiChat,
  dialect: openDialect,
  answer(turn, delivery) {
    const calls = (turn.calls ?? []).map((call, index) => ({
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.args },
    }));
    const usage =
      turn.usage === undefined
        ? undefined
        : { prompt_tokens: turn.usage.input, completion_tokens: turn.usage.output, total_tokens: turn.usage.input + turn.usage.output };
    const message = {
      role: 'assistant',
      content: turn.text ?? null,
      reasoning_content: turn.thinking,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    if (delivery === 'whole') {
      return {
        contentType: 'application/json',
        body: JSON.stringify({ id: 'c1', choices: [{ index: 0, message, finish_reason: turn.finish }], usage }),
      };
    }
    const chunks = [
      ...[...(turn.thinking ?? '')].map((letter) => ({ reasoning_content: letter })),
      ...[...(turn.text ?? '')].map((letter) => ({ content: letter })),
      ...calls.flatMap((call) => [
        { tool_calls: [{ ...call, function: { ...call.function, arguments: '' } }] },
        ...[...call.function.arguments].map((letter) => ({ tool_calls: [{ index: call.index, function: { arguments: letter } }] })),
      ]),
    ].map((delta) => ({ id: 'c1', choices: [{ index: 0, delta, finish_reason: null }] }));
    const last = { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: turn.finish }], ...(usage === undefined ? {} : { usage }) };
    return {
      contentType: 'text/event-stream',
      body: `${[...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
    };
  },
  error: (message) => JSON.stringify({ error: { message } }),
};

describe('openai-chat keeps what every chat adapter must', () => {
  it.each(chatAdapterCases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    await one.run(port);
  });
});

describe('the cases find what is wrong', () => {
  it.each<[string, Partial<ChatAdapterPort>]>([
    ['lost text', { answer: (turn, delivery) => port.answer({ ...turn, text: 'other' }, delivery) }],
    ['usage out of nothing', { answer: (turn, delivery) => port.answer({ usage: { input: 1, output: 1 }, ...turn }, delivery) }],
    ['an error that is taken for an answer', { error: () => port.answer({ text: 'fine', finish: 'stop' }, 'whole').body }],
  ])('%s', async (_title, fault) => {
    const outcomes = await Promise.allSettled(chatAdapterCases.map((one) => one.run({ ...port, ...fault })));
    expect(outcomes.some((outcome) => outcome.status === 'rejected')).toBe(true);
  });
});

describe('loadAdapter', () => {
  it('[SG-030] loads a wire by its id, and refuses an unknown one', async () => {
    expect(await loadAdapter('openai-chat')).toBe(openaiChat);
    for (const id of ['no-such-wire', 'toString', '__proto__']) {
      await expect(loadAdapter(id)).rejects.toBeInstanceOf(SignalError);
      await expect(loadAdapter(id)).rejects.toMatchObject({ code: 'E_CONFIGURATION' });
    }
  });
});

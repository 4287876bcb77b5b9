import { describe, expect, it } from 'vitest';
import { ollamaDialect } from '../registry/dialects.ts';
import { type ChatAdapterPort, chatAdapterCases } from './adapter.cases.ts';
import { loadAdapter } from './load.ts';
import { ollama } from './ollama.ts';

const port: ChatAdapterPort = {
  create: ollama,
  dialect: ollamaDialect,
  answer(turn, delivery) {
    const head = { model: 'q', created_at: '2026-11-30T10:00:00.1Z' };
    const calls = (turn.calls ?? []).map(({ id, name, args }, index) => ({ id, function: { index, name, arguments: JSON.parse(args) } }));
    const end = {
      done: true,
      done_reason: 'stop',
      total_duration: 900_000_000,
      ...(turn.usage === undefined ? {} : { prompt_eval_count: turn.usage.input, eval_count: turn.usage.output }),
    };
    const said = (message: object, more: object = { done: false }): string =>
      JSON.stringify({ ...head, message: { role: 'assistant', content: '', ...message }, ...more });
    if (delivery === 'whole') {
      const message = {
        content: turn.text ?? '',
        ...(turn.thinking === undefined ? {} : { thinking: turn.thinking }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
      return { contentType: 'application/json', body: said(message, end) };
    }
    const lines = [
      ...[...(turn.thinking ?? '')].map((thinking) => said({ thinking })),
      ...[...(turn.text ?? '')].map((content) => said({ content })),
      ...calls.map((call) => said({ tool_calls: [call] })),
      said({}, end),
    ];
    return { contentType: 'application/x-ndjson', body: lines.map((line) => `${line}\n`).join('') };
  },
  error: (message) => JSON.stringify({ error: message }),
};

describe('ollama keeps what every chat adapter must', () => {
  it.each(chatAdapterCases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    await one.run(port);
  });

  it('[SG-030] is loaded by its id', async () => {
    expect(await loadAdapter('ollama')).toBe(ollama);
  });
});

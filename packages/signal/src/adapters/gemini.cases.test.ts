import { describe, expect, it } from 'vitest';
import { generateContentDialect } from '../registry/dialects.ts';
import { type ChatAdapterPort, chatAdapterCases } from './adapter.cases.ts';
import { gemini } from './gemini.ts';
import { loadAdapter } from './load.ts';

const port: ChatAdapterPort = {
  create: gemini,
  dialect: generateContentDialect,
  answer(turn, delivery) {
    const calls = (turn.calls ?? []).map(({ id, name, args }) => ({ functionCall: { name, args: JSON.parse(args) as object, id } }));
    const usageMetadata =
      turn.usage === undefined
        ? {}
        : { usageMetadata: { promptTokenCount: turn.usage.input, candidatesTokenCount: turn.usage.output - 2, thoughtsTokenCount: 2 } };
    const candidate = (parts: readonly object[], finish: object = {}): object => ({
      candidates: [{ content: { role: 'model', parts }, ...finish }],
      modelVersion: 'm',
      responseId: 'r1',
    });
    const thoughts = (text: string): object => ({ thought: true, text });
    if (delivery === 'whole') {
      const parts = [
        ...(turn.thinking === undefined ? [] : [thoughts(turn.thinking)]),
        ...(turn.text === undefined ? [] : [{ text: turn.text }]),
        ...calls,
      ];
      const body = JSON.stringify({ ...candidate(parts, { finishReason: 'STOP' }), ...usageMetadata });
      return { contentType: 'application/json', body };
    }
    const events = [
      ...[...(turn.thinking ?? '')].map((text) => candidate([thoughts(text)])),
      ...[...(turn.text ?? '')].map((text) => candidate([{ text }])),
      ...calls.map((call) => candidate([call])),
      { ...candidate([{ text: '' }], { finishReason: 'STOP' }), ...usageMetadata },
    ];
    return { contentType: 'text/event-stream', body: events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('') };
  },
  error: (message) => JSON.stringify({ error: { code: 401, message, status: 'UNAUTHENTICATED' } }),
};

describe('gemini keeps what every chat adapter must', () => {
  it.each(chatAdapterCases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    await one.run(port);
  });

  it('[SG-030] is loaded by its id', async () => {
    expect(await loadAdapter('gemini')).toBe(gemini);
  });
});

import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type Lab, pathologies, scripted, startLab } from './index.ts';

const schema = {
  type: 'object',
  properties: { pier: { type: 'integer' }, note: { type: 'string' } },
  required: ['pier'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: { name: 'find_berth', parameters: schema } }];
const text = { text: '{"pier":7,"note":"low é 🚀\\n"}' };
const call = { toolCalls: [{ name: 'find_berth', arguments: '{"pier":7,"note":"low tide"}' }] };
const two = { toolCalls: [...call.toolCalls, { name: 'find_berth', arguments: '{"pier":8}' }] };
const none = { toolCalls: [{ name: 'find_berth', arguments: '{}' }] };
const replies: Record<string, object> = { B3: two, B10: two, B33: two, B15: none, B16: none };

function bodyFor(id: string, needs: string, stream: boolean): Record<string, unknown> {
  const calls = needs === 'tools' ? { tools } : { response_format: { type: 'json_schema', json_schema: { name: 'berth', schema } } };
  const forced = id === 'B32' ? { tool_choice: { type: 'function', function: { name: 'find_berth' } } } : {};
  const single = id === 'B33' ? { parallel_tool_calls: false } : {};
  const messages: object[] = [{ role: 'user', content: 'Where?' }];
  if (id === 'B36') {
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_long', type: 'function', function: { name: 'find_berth', arguments: '{}' } }],
    });
    messages.push({ role: 'tool', tool_call_id: 'call_long', content: '{}' });
  }
  return {
    model: 'm',
    messages,
    ...calls,
    ...forced,
    ...single,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** Sends a request on a bare socket and gives every byte until the connection ends, or until nothing more will come. */
function exchange(lab: Lab, body: unknown): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(body));
  const { host, port } = new URL(lab.origin);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), '127.0.0.1');
    const finish = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes);
    waiting.add(finish);
  });
}

/** Exchanges that a stalled reply would keep for ever: the lab's close ends them. */
const waiting = new Set<() => void>();
const stalls = new Set(['D22', 'D23', 'S21']);
const labs: Lab[] = [];
afterAll(async () => {
  await Promise.all(labs.map((lab) => lab.close()));
});

describe('every row over HTTP', () => {
  const rows = pathologies.filter((row) => row.apply !== undefined);

  it.each(rows.map((row) => [row.id, row.title, row] as const))('lab pathology %s %s reaches the client', async (id, _title, row) => {
    const reply = replies[id] ?? (row.needs === 'tools' ? call : text);
    const lab = await startLab({ model: scripted(() => reply), pathologies: [{ id, rate: 1 }] });
    labs.push(lab);
    for (const stream of row.delivery === 'both' ? [false, true] : [row.delivery === 'parts']) {
      const pending = exchange(lab, bodyFor(id, row.needs, stream));
      if (stalls.has(id)) {
        await expect.poll(() => lab.requests().at(-1)?.status).toBe(200);
        await lab.close();
      }
      const received = await pending;
      const { applied, status } = lab.requests().at(-1) ?? {};
      expect(applied).toEqual([id]);
      expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });
});

import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openExchanges } from './open-exchanges.ts';

function pair(): { readonly socket: Socket; readonly response: ServerResponse } {
  return { socket: Object.assign(new EventEmitter(), { destroyed: false }) as Socket, response: new EventEmitter() as ServerResponse };
}

async function isIdle(exchanges: ReturnType<typeof openExchanges>): Promise<boolean> {
  return Promise.race([exchanges.idle().then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
}

it.each([
  [true, false],
  [false, true],
])('[SG-100] counting connections %s: idle between the end of a response and the close of its connection is %s', async (counts, idle) => {
  const exchanges = openExchanges(counts);
  const { socket, response } = pair();
  const told: string[] = [];
  expect(await isIdle(exchanges)).toBe(true);
  exchanges.begin(socket, response, () => told.push('ended'));
  expect(await isIdle(exchanges)).toBe(false);
  response.emit('close');
  expect(told).toEqual(['ended']);
  expect(await isIdle(exchanges)).toBe(idle);
  socket.emit('close');
  expect(await isIdle(exchanges)).toBe(true);
});

it('a connection that carries two exchanges is counted once', async () => {
  const exchanges = openExchanges(true);
  const { socket, response } = pair();
  const second = new EventEmitter() as ServerResponse;
  exchanges.begin(socket, response, () => undefined);
  response.emit('close');
  exchanges.begin(socket, second, () => undefined);
  second.emit('close');
  expect(socket.listenerCount('close')).toBe(1);
  socket.emit('close');
  expect(await isIdle(exchanges)).toBe(true);
});

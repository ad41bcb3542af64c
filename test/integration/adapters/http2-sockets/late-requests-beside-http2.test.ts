import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { HeaderBlockGate } from '../../../../src/adapters/http2-sockets/header-block-gate.js';
import { handleLate } from '../../../../src/adapters/loop-turn/late-reads.js';
import { frame, frameTypes } from '../../../support/http2-frames.js';

const passTime = (): void => {
  const beganMs = performance.now();
  while (performance.now() - beganMs < 2);
};

it('are handled before what a peer in HTTP/2 says more than a millisecond behind them', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const order: string[] = [];
  const gate = new HeaderBlockGate(socket, 'server', () => undefined);
  gate.on('data', () => order.push('of HTTP/2'));
  gate.resume();
  await new Promise(setImmediate);
  handleLate({ handleNow: () => void order.push('late') });
  passTime();
  socket.push(frame(frameTypes.settings, 0, 0));
  expect(order).toEqual(['late', 'of HTTP/2']);
  gate.destroy();
  server.close();
});

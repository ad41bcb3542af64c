import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'vitest';
import { deferRead } from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { HeaderBlockGate } from '../../../../src/adapters/http2-sockets/header-block-gate.js';
import { frame, frameTypes } from '../../../support/gateway/http2-frames.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { it } from '../../../support/shared/fixtures.js';
import { endOfTurn, passTime } from '../../../support/shared/loop-turns.js';

/**
 * What is done where a request has waited for long when its peer in HTTP/2 says something; `then` is done with the
 * request.
 */
const orderOf = async (cleanUp: CleanUp, then: (gate: HeaderBlockGate) => void): Promise<readonly string[]> => {
  const server = createServer().listen(0, '127.0.0.1');
  cleanUp.add(() => void server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const order: string[] = [];
  const gate = new HeaderBlockGate(socket, 'server', () => undefined);
  cleanUp.add(() => void gate.destroy());
  gate.on('data', () => order.push('of HTTP/2'));
  gate.resume();
  await endOfTurn();
  deferRead({
    handleNow: () => {
      order.push('late');
      then(gate);
    },
  });
  passTime();
  socket.push(frame(frameTypes.settings, 0, 0));
  await endOfTurn();
  return order;
};

it('are handled before HTTP/2 frames that arrive more than a millisecond later', async ({ cleanUp }) => {
  expect(await orderOf(cleanUp, () => undefined)).toEqual(['late', 'of HTTP/2']);
});

it('stop reads from a peer whose connection they end', async ({ cleanUp }) => {
  expect(await orderOf(cleanUp, (gate) => void gate.destroy())).toEqual(['late']);
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HeaderBlockBudget, HeaderBlockGate } from '../../../../src/adapters/http2-sockets/header-block-gate.js';
import { endHeaders, frame, frameTypes } from '../../../support/gateway/http2-frames.js';

let server: Server;
let sockets: Socket[] = [];

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  sockets = [];
  server.close();
});

const gated = async (
  budget: HeaderBlockBudget,
): Promise<{ peer: Socket; gate: HeaderBlockGate; passed: () => number }> => {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await accepted) as [Socket];
  sockets.push(socket, peer);
  const gate = new HeaderBlockGate(socket, 'server', () => undefined, budget);
  let octets = 0;
  gate.on('data', (piece: Buffer) => {
    octets += piece.length;
  });
  gate.resume();
  return { peer, gate, passed: () => octets };
};

const part = Buffer.alloc(15_000);
/** Two frames of a block that is not whole: 13 634 octets beyond the usual length. */
const begin = Buffer.concat([frame(frameTypes.headers, 0, 1, part), frame(frameTypes.continuation, 0, 1, part)]);
const charge = begin.length - 16_384;

it('ends a connection with a long block when the budget is used up, and returns the budget', async () => {
  const budget = new HeaderBlockBudget(20_000);
  const first = await gated(budget);
  first.peer.write(begin);
  await expect.poll(() => budget.left).toBe(20_000 - charge);
  const second = await gated(budget);
  const failure = once(second.gate, 'error');
  second.peer.write(begin);
  expect((await failure)[0]).toMatchObject({ code: 'ERR_HTTP2_HEADER_BLOCK', message: /too_much_held/ });
  await expect.poll(() => budget.left).toBe(20_000 - charge);
  expect([first.passed(), second.passed()]).toEqual([0, 0]);
  const end = frame(frameTypes.continuation, endHeaders, 1);
  first.peer.write(end);
  await expect.poll(first.passed).toBe(begin.length + end.length);
  expect(budget.left).toBe(20_000);
});

it('accepts any number of usual blocks, even with little budget left', async () => {
  const budget = new HeaderBlockBudget(-1);
  const { peer, gate, passed } = await gated(budget);
  peer.write(frame(frameTypes.headers, 0, 1, part));
  peer.write(frame(frameTypes.continuation, endHeaders, 1));
  await expect.poll(passed).toBe(15_018);
  expect(gate.destroyed).toBe(false);
});

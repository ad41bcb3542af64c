import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { HeaderBlockGate } from '../../../../src/adapters/http2-sockets/header-block-gate.js';

/** An empty SETTINGS (RFC 9113, section 6.5). */
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

it('delivers data from before the end, and ends, for a reader that stays paused', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await accepted) as [Socket];
  try {
    const gate = new HeaderBlockGate(socket, 'server', () => undefined);
    const told: string[] = [];
    gate.on('data', (octets: Buffer) => told.push(`${octets.length} octets`));
    gate.on('end', () => told.push('end'));
    gate.resume();
    gate.pause();
    const closed = once(gate, 'close');
    peer.write(settings);
    await once(socket, 'pause');
    socket.resume();
    peer.end();
    await once(socket, 'end');
    socket.destroy();
    await closed;
    expect(told).toEqual(['9 octets', 'end']);
  } finally {
    peer.destroy();
    socket.destroy();
    server.close();
  }
});

import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { NodeListeningSockets } from '../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import type { StreamSocket } from '../../../src/adapters/stream-sockets/stream-socket.js';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import { sleep } from '../../support/gateway/stream-socket-attacks.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

describe('a socket whose peer half-closed', () => {
  it('sends what was written in a drain listener before its end', async ({ cleanUp }) => {
    const listening = await new NodeListeningSockets().open('k', { host: '127.0.0.1', port: 0 }, 'k');
    let taken: StreamSocket | null = null;
    const acceptor = testSocketLayers.current.acceptor(listening, (socket) => {
      taken = socket;
      socket.on('error', () => undefined);
      socket.resume();
    });
    await acceptor.listen();
    cleanUp.add(() => {
      taken?.destroy();
      acceptor.close(() => undefined);
    });
    const client = connect({ port: listening.address.port, host: '127.0.0.1', allowHalfOpen: true });
    let octets = 0;
    let isOver = false;
    client.on('error', () => undefined);
    client.on('close', () => {
      isOver = true;
    });
    client.on('end', () => {
      isOver = true;
    });
    client.pause();
    await eventually(() => taken !== null);
    const socket = taken as unknown as StreamSocket;
    let hasEnded = false;
    socket.on('end', () => {
      hasEnded = true;
    });
    client.end();
    await eventually(() => hasEnded);
    const big = Buffer.alloc(8_000_000);
    let isFirst = true;
    socket.on('drain', () => {
      if (!isFirst) return;
      isFirst = false;
      socket.write(big);
      socket.end();
    });
    socket.write(big);
    await sleep(100);
    client.on('data', (piece) => {
      octets += piece.length;
    });
    client.resume();
    await eventually(() => isOver);
    expect(octets).toBe(16_000_000);
  });
});

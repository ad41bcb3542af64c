import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { serverOf, sleep } from '../../support/gateway/stream-socket-attacks.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

describe('a response that only the close ends', () => {
  it('is not complete where the upstream resets while the request body is still queued', async ({ cleanUp }) => {
    let reset = (): void => undefined;
    const { port } = await serverOf(cleanUp, (socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 200 OK\r\n\r\npartial');
        reset = () => void socket.resetAndDestroy();
      });
    });
    const gateway = await startInProcess(testConfiguration([testUpstream(port)]));
    cleanUp.add(() => gateway.stop());
    const client = connect(gateway.address.port, '127.0.0.1');
    cleanUp.add(() => void client.destroy());
    let text = '';
    client.on('error', () => undefined);
    client.on('data', (octets) => {
      text += octets.toString('latin1');
    });
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n`);
    client.write(Buffer.alloc(10_000_000, 0x61));
    await eventually(() => text.includes('partial'));
    await sleep(1_000);
    reset();
    await sleep(1_000);
    expect(text).toContain('partial');
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
  });
});

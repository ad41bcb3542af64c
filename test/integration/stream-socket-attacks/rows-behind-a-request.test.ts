import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { fillers, serverOf, sleep } from '../../support/gateway/stream-socket-attacks.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const start = async (cleanUp: Parameters<typeof serverOf>[0]) => {
  const { port, sockets } = await serverOf(cleanUp, (socket) => {
    let text = '';
    socket.on('data', (octets) => {
      text += octets.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      const isPost = text.startsWith('POST');
      if (isPost && !text.includes('END')) return;
      text = '';
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const gateway = await startInProcess(testConfiguration([testUpstream(port)]));
  cleanUp.add(() => gateway.stop());
  const client = connect(gateway.address.port, '127.0.0.1');
  client.setNoDelay(true);
  cleanUp.add(() => void client.destroy());
  const seen = { text: '' };
  client.on('error', () => undefined);
  client.on('data', (octets) => {
    seen.text += octets.toString('latin1');
  });
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually(() => seen.text.includes('ok'));
  await sleep(50);
  seen.text = '';
  return { client, seen, upstream: sockets[0] as Socket };
};
const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 103\r\n\r\n';

describe('what an idle upstream said before a request, read in the same turn behind it,', () => {
  it('is not its response', async ({ cleanUp }) => {
    const { client, seen, upstream } = await start(cleanUp);
    client.write(`${post}${'a'.repeat(50)}`);
    upstream.write('HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\nConnection: close\r\n\r\nEVIL');
    await sleep(100);
    client.write(`${'a'.repeat(50)}END`);
    await eventually(() => /HTTP\/1.1 \d/.test(seen.text));
    expect(seen.text).toMatch(/^HTTP\/1.1 200/);
  });
  it('left in the kernel by a full turn, is not its response', async ({ cleanUp }) => {
    const { client, seen, upstream } = await start(cleanUp);
    const { fill } = await fillers(cleanUp, 16, 65_536);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    fill();
    upstream.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL');
    await eventually(() => /HTTP\/1.1 \d/.test(seen.text));
    expect(seen.text).toMatch(/ok$/);
  });

  it('being its end, does not fail the request', async ({ cleanUp }) => {
    const { client, seen, upstream } = await start(cleanUp);
    client.write(`${post}${'a'.repeat(50)}`);
    upstream.end();
    await sleep(100);
    client.write(`${'a'.repeat(50)}END`);
    await eventually(() => /HTTP\/1.1 \d/.test(seen.text));
    expect(seen.text).toMatch(/^HTTP\/1.1 200/);
  });
});

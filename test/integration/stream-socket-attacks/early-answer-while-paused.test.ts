import { describe, expect } from 'vitest';
import { bodyOctets } from '../../support/gateway/scripted-body.js';
import { serverOf, sleep } from '../../support/gateway/stream-socket-attacks.js';
import { plainUpstreamRequest, targetClient } from '../../support/gateway/target-clients.js';
import { it } from '../../support/shared/fixtures.js';

describe('an early answer', () => {
  it('survives the reset behind it, also where its reader is slow', async ({ cleanUp }) => {
    const length = 170_000;
    const { port } = await serverOf(cleanUp, (socket) => {
      socket.once('data', () => {
        socket.pause();
        void (async () => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
          for (let sent = 0; sent < length; sent += 10_000) {
            socket.write(Buffer.alloc(10_000, 0x62));
            await sleep(10);
          }
          await sleep(500);
          socket.resetAndDestroy();
        })();
      });
    });
    const client = targetClient(port, cleanUp, { maxConnections: 1 });
    let left = 1_000;
    const body = {
      declaredLength: 4_000_000_000,
      read: () => {
        left -= 1;
        return left > 0 ? Buffer.alloc(65_536, 0x61) : new Promise<null>(() => undefined);
      },
      trailers: () => [],
      cancel: () => undefined,
    };
    const exchange = client.send({
      ...plainUpstreamRequest,
      headers: ['Host', 'a', 'Content-Length', '4000000000'],
      body,
    });
    const outcome = await exchange.response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    await sleep(1_500);
    expect((await bodyOctets(outcome.value.body)).length).toBe(length);
  });
});

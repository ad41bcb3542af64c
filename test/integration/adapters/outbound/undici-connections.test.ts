import { expect, it } from 'vitest';
import { UndiciUpstreamClient } from '../../../../src/adapters/outbound/undici-upstream/undici-upstream-client.js';
import { startHttpUpstream } from '../../../support/http-upstream.js';
import { testUpstream } from '../../../support/in-process-gateway.js';

it('requests that are given up while they connect leave no connection outside the pool', async () => {
  const upstream = await startHttpUpstream((_, response) => setTimeout(() => response.end('ok'), 1));
  upstream.server.keepAliveTimeout = 60_000;
  let open = 0;
  upstream.server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  const client = new UndiciUpstreamClient(testUpstream(upstream.port));
  const send = () =>
    client.send(0, {
      method: 'GET',
      target: '/',
      headers: ['Host', 'a'],
      body: null,
      upgradeToWebSocket: false,
      timeoutMs: 5_000,
    });
  for (let round = 0; round < 60; round += 1) {
    const sent = Array.from({ length: 64 }, send);
    await new Promise((resolve) => setTimeout(resolve, round % 5));
    for (const exchange of sent) exchange.cancel();
  }
  await expect
    .poll(() => open - client.figures().reduce((sum, { idleConnections }) => sum + idleConnections, 0), {
      timeout: 10_000,
    })
    .toBe(0);
  await client.close(0);
  await upstream.close();
});

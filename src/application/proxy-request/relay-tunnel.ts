import type { Scheduler } from '../ports/scheduler.js';
import type { Tunnel } from '../ports/tunnel.js';
import type { UpstreamResponse } from '../ports/upstream-client.js';
import type { Exchange } from './exchange.js';
import { clientHeaders } from './relay-response.js';

/** How long a peer may take nothing of what is sent to it. */
const stallMs = 60_000;

/** Silence in both directions after which a tunnel is given up; looked at once in this time, so at most twice it. */
const idleMs = 1_800_000;

/** Switches the client's connection too, and passes octets both ways until one side is done: then the result resolves. */
export const relayTunnel = (
  exchange: Exchange,
  upgraded: UpstreamResponse,
  upstream: Tunnel,
  scheduler: Scheduler,
): Promise<void> => {
  exchange.status = upgraded.status;
  const headers = [...clientHeaders(exchange, upgraded.headers), 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
  const client = exchange.response.upgrade(headers);
  let moved = false;
  const watch = scheduler.every(idleMs, () => {
    if (!moved) destroyBoth();
    moved = false;
  });
  const destroyBoth = () => {
    watch.cancel();
    client.destroy();
    upstream.destroy();
  };
  const pump = async (from: Tunnel, to: Tunnel): Promise<void> => {
    for await (const chunk of from) {
      moved = true;
      const stalled = scheduler.after(stallMs, destroyBoth);
      try {
        await written(to, chunk);
      } finally {
        stalled.cancel();
      }
    }
    to.end();
  };
  return Promise.all([pump(client, upstream), pump(upstream, client)]).then(destroyBoth, destroyBoth);
};

const written = (to: Tunnel, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

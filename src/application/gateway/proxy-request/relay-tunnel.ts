import type { Tunnel } from '../../ports/gateway/http-exchange.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { ExchangeView } from './exchange.js';
import { type RelayingExchange, relayedHead } from './relay-response.js';

/** How long a peer may take nothing of what is sent to it. */
const stallMs = 60_000;

/** How long a side may go on when the other one has said that it sends no more. */
const closingMs = 10_000;

/** Silence in both directions after which a tunnel is given up; looked at once in this time, so at most twice it. */
const idleMs = 1_800_000;

/**
 * Switches the client's connection too, and passes octets both ways until one side is gone, or both are done: then both
 * connections are closed, and the result resolves. A side that does not end when the other one does is cut off.
 */
export const relayTunnel = (
  exchange: RelayingExchange & ExchangeView<'request'>,
  upgraded: UpstreamResponse,
  upstream: Tunnel,
  scheduler: Scheduler,
): Promise<void> => {
  exchange.outcome.status = upgraded.status;
  const head = relayedHead(exchange, upgraded.status, upgraded.headers);
  const headers = [...head, 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
  const client = exchange.response.upgrade(headers);
  // No request comes by it any more.
  exchange.request.connection.known = null;
  let moved = false;
  let isOver = false;
  let closing: ScheduledTask | null = null;
  const watch = scheduler.every(idleMs, () => {
    if (!moved) destroyBoth();
    moved = false;
  });
  const destroyBoth = () => {
    isOver = true;
    watch.cancel();
    closing?.cancel();
    client.destroy();
    upstream.destroy();
  };
  const pump = async (from: Tunnel, to: Tunnel): Promise<void> => {
    for await (const chunk of from.iterator({ destroyOnReturn: false })) {
      moved = true;
      const stalled = scheduler.after(stallMs, destroyBoth);
      try {
        await written(to, chunk);
      } finally {
        stalled.cancel();
      }
    }
    to.end();
    if (!isOver) closing ??= scheduler.after(closingMs, destroyBoth);
  };
  // An upstream that has gone is noticed by its reader, once all that it sent is on its way to the client.
  client.once('close', destroyBoth);
  if (client.closed) destroyBoth();
  return Promise.all([pump(client, upstream), pump(upstream, client)]).then(destroyBoth, destroyBoth);
};

const written = (to: Tunnel, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

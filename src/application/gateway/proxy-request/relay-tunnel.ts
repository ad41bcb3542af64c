import type { Tunnel } from '../../ports/gateway/http-exchange.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { ExchangeView } from './exchange.js';
import { type RelayingExchange, relayedHead } from './relay-response.js';
import { withResponseRules } from './send-own.js';

/** How long a peer may refuse data; milliseconds. */
const stallMs = 60_000;

/** How long a side may continue after the other has ended; milliseconds. */
const closingMs = 10_000;

/** Idle timeout of a tunnel; milliseconds. It is checked once per period, so it takes at most twice as long. */
const idleMs = 1_800_000;

/**
 * Upgrades the client's connection too, and relays octets in both directions until both sides end or one closes. Then
 * closes both connections and resolves. A side that does not end soon after the other is closed.
 */
export const relayTunnel = (
  exchange: RelayingExchange & ExchangeView<'request'>,
  upgraded: UpstreamResponse,
  upstream: Tunnel,
  scheduler: Scheduler,
): Promise<void> => {
  exchange.outcome.status = upgraded.status;
  const head = withResponseRules(exchange, relayedHead(exchange, upgraded.status, upgraded.headers), 'upstream');
  const headers = [...head, 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
  const client = exchange.response.upgrade(headers);
  // The connection has no more requests.
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
  // `pump` notices a closed upstream after it has relayed all of its data.
  client.once('close', destroyBoth);
  if (client.closed) destroyBoth();
  return Promise.all([pump(client, upstream), pump(upstream, client)]).then(destroyBoth, destroyBoth);
};

const written = (to: Tunnel, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

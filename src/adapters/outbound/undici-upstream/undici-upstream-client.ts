import { Pool } from 'undici';
import type {
  TargetFigures,
  UpstreamClient,
  UpstreamExchange,
  UpstreamRequest,
} from '../../../application/ports/upstream-client.js';
import type { SocketAddress, UpstreamConfiguration } from '../../../domain/configuration/gateway-configuration.js';
import { err } from '../../../domain/shared/result.js';
import { UndiciExchange } from './undici-exchange.js';

/** Requests that may wait for a connection to one target. */
const maxWaiting = 1_000;
/** Octets of a response head. */
const maxResponseHeadBytes = 65_536;

interface Target {
  readonly address: SocketAddress;
  readonly pool: Pool;
  unfinished: number;
}

/** Connections to the targets of an upstream, one undici Pool for each. */
export class UndiciUpstreamClient implements UpstreamClient {
  readonly #targets: readonly Target[];
  readonly #maxUnfinished: number;

  constructor(upstream: UpstreamConfiguration) {
    this.#maxUnfinished = upstream.maxConnections + maxWaiting;
    this.#targets = upstream.targets.map(({ address }) => ({
      address,
      unfinished: 0,
      pool: new Pool(origin(address), {
        connections: upstream.maxConnections,
        pipelining: 1,
        connect: { timeout: upstream.timeouts.connectMs },
        headersTimeout: upstream.timeouts.readMs,
        bodyTimeout: upstream.timeouts.readMs,
        maxHeaderSize: maxResponseHeadBytes,
        allowH2: false,
      }),
    }));
  }

  send(index: number, request: UpstreamRequest): UpstreamExchange {
    const target = this.#targets[index] as Target;
    if (target.unfinished >= this.#maxUnfinished) {
      const failure = { code: 'overloaded', detail: 'every connection is busy and so is the queue' } as const;
      return { response: Promise.resolve(err(failure)), cancel: () => undefined };
    }
    target.unfinished += 1;
    const exchange = new UndiciExchange(request, () => {
      target.unfinished -= 1;
    });
    exchange.start(target.pool);
    return exchange;
  }

  figures(): readonly TargetFigures[] {
    return this.#targets.map(({ address, pool }) => {
      const { connected, free } = pool.stats;
      return { address, activeConnections: connected - free, idleConnections: free };
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#targets.map(({ pool }) => pool.close()));
  }
}

const origin = ({ host, port }: SocketAddress): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

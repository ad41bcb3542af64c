import type {
  TargetFigures,
  UpstreamClient,
  UpstreamExchange,
  UpstreamRequest,
} from '../../../application/ports/upstream-client.js';
import type { SocketAddress, UpstreamConfiguration } from '../../../domain/configuration/gateway-configuration.js';
import { TargetConnections } from './target-connections.js';
import { UndiciExchange } from './undici-exchange.js';

interface Target {
  readonly address: SocketAddress;
  readonly connections: TargetConnections;
}

/** Connections to the targets of an upstream, each an undici Client. */
export class UndiciUpstreamClient implements UpstreamClient {
  readonly #targets: readonly Target[];

  constructor({ targets, timeouts, maxConnections }: UpstreamConfiguration) {
    const { connectMs, readMs } = timeouts;
    this.#targets = targets.map(({ address }) => ({
      address,
      connections: new TargetConnections({ address, connectMs, readMs }, maxConnections),
    }));
  }

  send(index: number, request: UpstreamRequest): UpstreamExchange {
    const exchange = new UndiciExchange(request, (this.#targets[index] as Target).connections);
    exchange.start();
    return exchange;
  }

  figures(): readonly TargetFigures[] {
    return this.#targets.map(({ address, connections }) => ({
      address,
      activeConnections: connections.active,
      idleConnections: connections.idle,
      waitingRequests: connections.waiting,
    }));
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#targets.map(({ connections }) => connections.close(graceMs)));
  }
}

import type {
  ConnectionFigures,
  TargetClient,
  TargetClientOptions,
  UpstreamExchange,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { SocketLayerSelector } from '../../../stream-sockets/socket-layer-selector.js';
import { TargetConnections } from '../pool/target-connections.js';
import { CoreExchange } from './core-exchange.js';
import { UpstreamConnection } from './upstream-connection.js';

/** HTTP/1.1 connections to one address, with the project's own codec. */
export class CoreTargetClient implements TargetClient {
  readonly #connections: TargetConnections<UpstreamConnection>;
  readonly #settings: TargetClientOptions;

  /** @param handshakeFailed called for each TLS handshake that fails */
  constructor(
    settings: TargetClientOptions,
    layers: SocketLayerSelector,
    handshakeFailed: () => void = () => undefined,
  ) {
    this.#settings = settings;
    this.#connections = new TargetConnections(
      settings,
      (onLost) => new UpstreamConnection(settings, layers, { onLost, handshakeFailed }),
    );
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const exchange = new CoreExchange(request, listener, this.#connections, this.#settings);
    exchange.start();
    return exchange;
  }

  get isFull(): boolean {
    return this.#connections.isFull;
  }

  evictQueued(): void {
    this.#connections.evictQueued();
  }

  figures(): ConnectionFigures {
    return this.#connections.figures();
  }

  close(graceMs: number): Promise<void> {
    return this.#connections.close(graceMs);
  }
}

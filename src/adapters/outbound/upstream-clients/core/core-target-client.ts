import type {
  ConnectAttempt,
  ConnectAttemptListener,
  ConnectionFigures,
  TargetClient,
  TargetClientOptions,
  UpstreamExchange,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { SocketLayerSelector } from '../../../stream-sockets/socket-layer-selector.js';
import { TargetConnections } from '../pool/target-connections.js';
import { ConnectAttempts } from './connect-attempts.js';
import { CoreExchange } from './core-exchange.js';
import { UpstreamConnection } from './upstream-connection.js';

/** HTTP/1.1 connections to one address, with the project's own codec. */
export class CoreTargetClient implements TargetClient {
  readonly #connections: TargetConnections<UpstreamConnection>;
  readonly #attempts: ConnectAttempts;
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
    this.#attempts = new ConnectAttempts(this.#connections, settings);
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const exchange = new CoreExchange(request, listener, this.#connections, this.#settings);
    exchange.start();
    return exchange;
  }

  get isFull(): boolean {
    return this.#connections.isFull;
  }

  /** An upgrade always opens a connection. */
  mustConnect(forUpgrade: boolean): boolean {
    return forUpgrade ? !this.#connections.isFull : this.#connections.mustConnect;
  }

  connect(forUpgrade: boolean, listener: ConnectAttemptListener): ConnectAttempt {
    return this.#attempts.connect(forUpgrade, listener);
  }

  evictQueued(): void {
    this.#connections.evictQueued();
  }

  figures(): ConnectionFigures {
    return this.#connections.figures();
  }

  close(graceMs: number): Promise<void> {
    this.#attempts.close();
    return this.#connections.close(graceMs);
  }
}

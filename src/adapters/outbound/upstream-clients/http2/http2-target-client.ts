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
import { Http2Exchange } from './http2-exchange.js';
import { SessionAttempt } from './session-attempt.js';
import { SessionPool } from './session-pool.js';
import { UpstreamSession } from './upstream-session.js';

/**
 * HTTP/2 to one address, with as few connections as possible: over TLS, or with prior knowledge
 * (RFC 9113, section 3.3).
 */
export class Http2TargetClient implements TargetClient {
  readonly #settings: TargetClientOptions;
  readonly #sessions: SessionPool;

  /** @param handshakeFailed called for each TLS handshake that fails */
  constructor(settings: TargetClientOptions, handshakeFailed: () => void = () => undefined) {
    this.#settings = settings;
    this.#sessions = new SessionPool(settings, (listener) => new UpstreamSession(settings, listener, handshakeFailed));
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const exchange = new Http2Exchange(request, listener, this.#settings, this.#sessions);
    exchange.start();
    return exchange;
  }

  get isFull(): boolean {
    return this.#sessions.isFull;
  }

  mustConnect(): boolean {
    return this.#sessions.mustConnect;
  }

  connect(_forUpgrade: boolean, listener: ConnectAttemptListener): ConnectAttempt {
    const attempt = new SessionAttempt(this.#sessions, listener, {
      send: (request, requestListener) => this.send(request, requestListener),
      release: () => undefined,
    });
    attempt.start();
    return attempt;
  }

  evictQueued(): void {
    this.#sessions.evictQueued();
  }

  figures(): ConnectionFigures {
    return this.#sessions.figures();
  }

  close(graceMs: number): Promise<void> {
    return this.#sessions.close(graceMs);
  }
}

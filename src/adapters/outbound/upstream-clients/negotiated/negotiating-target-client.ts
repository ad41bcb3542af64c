import type {
  ConnectAttempt,
  ConnectAttemptListener,
  ConnectionFigures,
  TargetClient,
  TargetClientOptions,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { TargetTls } from '../../../../application/ports/gateway/upstream-tls.js';
import { streamAddressText } from '../../../../domain/configuration/schema/grpc-address.js';
import { type AlpnProtocol, connectTls } from '../../../tls-sockets/connect-tls.js';
import { connectFailure } from '../core/upstream-failures.js';
import { RequestTimeout } from '../pool/request-timeout.js';
import { waitText } from '../pool/target-connections.js';

/** Time after which the target is asked again, in milliseconds: it may have learnt HTTP/2. */
const negotiatedMs = 600_000;
/** Requests that may wait for a negotiation. */
const maxWaiting = 1_000;

const offered: readonly AlpnProtocol[] = ['h2', 'http/1.1'];

/** Creates the client of one protocol. `handshakeFailed` is called for each TLS handshake that fails. */
export type ProtocolClientFactory = (
  protocol: AlpnProtocol,
  settings: TargetClientOptions,
  handshakeFailed: () => void,
) => TargetClient;

/**
 * A client for `http-version "auto"`: the target selects HTTP/2 or HTTP/1.1 in a TLS handshake
 * (ALPN, RFC 7301). One connection asks; the requests use others. Upgrades use HTTP/1.1.
 */
export class NegotiatingTargetClient implements TargetClient {
  readonly #settings: TargetClientOptions;
  readonly #tls: TargetTls;
  readonly #http1: TargetClient;
  readonly #http2: TargetClient;
  #protocol: AlpnProtocol | null = null;
  #askAgainMs = 0;
  #negotiatingSinceMs = 0;
  readonly #waiting = new Set<WaitingExchange | WaitingAttempt>();
  /** Ends the negotiation under way. */
  #stop: ((failure: UpstreamFailure) => void) | null = null;
  #isClosed = false;

  constructor(settings: TargetClientOptions, tls: TargetTls, create: ProtocolClientFactory) {
    // An upgrade to a target of HTTP/2 alone fails, which says nothing about the other requests.
    const failed = (protocol: AlpnProtocol) => (): void => {
      if (this.#protocol === protocol) this.#protocol = null;
    };
    this.#settings = settings;
    this.#tls = tls;
    this.#http1 = create('http/1.1', settings, failed('http/1.1'));
    this.#http2 = create('h2', settings, failed('h2'));
  }

  get isFull(): boolean {
    return this.#protocol === null ? false : this.#client(this.#protocol).isFull;
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    if (request.upgradeToWebSocket) return this.#http1.send(request, listener);
    if (this.#protocol !== null) {
      if (performance.now() > this.#askAgainMs) this.#negotiate();
      return this.#client(this.#protocol).send(request, listener);
    }
    const exchange = new WaitingExchange(request, listener, (ended) => this.#waiting.delete(ended));
    if (this.#isClosed || this.#waiting.size >= maxWaiting) {
      exchange.fail({ code: 'overloaded', detail: 'too many requests wait for the first connection' });
      return exchange;
    }
    this.#waiting.add(exchange);
    this.#negotiate();
    return exchange;
  }

  mustConnect(forUpgrade: boolean): boolean {
    if (forUpgrade) return this.#http1.mustConnect(true);
    if (this.#protocol !== null) return this.#client(this.#protocol).mustConnect(false);
    return !this.#isClosed && this.#waiting.size < maxWaiting;
  }

  connect(forUpgrade: boolean, listener: ConnectAttemptListener): ConnectAttempt {
    if (forUpgrade) return this.#http1.connect(true, listener);
    if (this.#protocol !== null) return this.#client(this.#protocol).connect(false, listener);
    const attempt = new WaitingAttempt(listener, () => this.#stopIfUnused());
    this.#waiting.add(attempt);
    this.#negotiate();
    attempt.beganMs = this.#negotiatingSinceMs;
    return attempt;
  }

  evictQueued(): void {
    this.#failWaiting({ code: 'overloaded', wasEvicted: true, detail: 'the target was taken out' });
    this.#http1.evictQueued();
    this.#http2.evictQueued();
  }

  figures(): ConnectionFigures {
    const [one, other] = [this.#http1.figures(), this.#http2.figures()];
    return {
      activeConnections: one.activeConnections + other.activeConnections,
      idleConnections: one.idleConnections + other.idleConnections,
      waitingRequests: one.waitingRequests + other.waitingRequests + this.#waiting.size,
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const failure = closedFailure;
    if (graceMs === 0) this.#stop?.(failure);
    this.#stopIfUnused();
    await Promise.all([this.#http1.close(graceMs), this.#http2.close(graceMs)]);
    this.#stop?.(failure);
  }

  /** Ends the negotiation of a closed client when no request waits for it. */
  #stopIfUnused(): void {
    if (!this.#isClosed) return;
    for (const { isAbandoned } of this.#waiting) if (!isAbandoned) return;
    this.#stop?.(closedFailure);
  }

  #client(protocol: AlpnProtocol): TargetClient {
    return protocol === 'h2' ? this.#http2 : this.#http1;
  }

  /** Opens a connection that offers both protocols, and closes it when the target has selected one. */
  #negotiate(): void {
    if (this.#stop !== null || this.#isClosed) return;
    this.#negotiatingSinceMs = performance.now();
    const { address, connectMs } = this.#settings;
    const end = (): void => {
      clearTimeout(deadline);
      this.#stop = null;
      socket.destroy();
    };
    const fail = (failure: UpstreamFailure): void => {
      if (this.#stop !== fail) return;
      end();
      this.#failWaiting(failure);
    };
    const opened = (protocol: AlpnProtocol): void => {
      if (this.#stop !== fail) return;
      end();
      this.#use(protocol);
    };
    const socket = connectTls({ address, tls: this.#tls, protocols: offered, opened });
    const deadline = setTimeout(() => {
      fail({
        code: 'timed_out',
        isUnconnected: true,
        detail: `no TLS connection to ${streamAddressText(address)} within ${waitText(connectMs)}`,
      });
    }, connectMs);
    deadline.unref();
    this.#stop = fail;
    socket.on('error', (error) => fail(connectFailure(error)));
    socket.on('close', () => fail(connectFailure(null)));
  }

  #use(protocol: AlpnProtocol): void {
    this.#protocol = protocol;
    this.#askAgainMs = performance.now() + negotiatedMs;
    const client = this.#client(protocol);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const each of waiting) each.sendBy(client);
  }

  #failWaiting(failure: UpstreamFailure): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const each of waiting) each.fail(failure);
  }
}

const closedFailure: UpstreamFailure = { code: 'cancelled', detail: 'the connections to the target are closed' };

/** A connection attempt that waits until the protocol is known. */
class WaitingAttempt implements ConnectAttempt {
  beganMs = 0;
  isAbandoned = false;
  readonly #listener: ConnectAttemptListener;
  readonly #onAbandoned: () => void;
  #attempt: ConnectAttempt | null = null;

  constructor(listener: ConnectAttemptListener, onAbandoned: () => void) {
    this.#listener = listener;
    this.#onAbandoned = onAbandoned;
  }

  sendBy(client: TargetClient): void {
    if (this.isAbandoned) this.#listener.connected(null);
    else if (client.mustConnect(false)) this.#attempt = client.connect(false, this.#listener);
    else {
      this.#listener.connected({
        send: (request, listener) => client.send(request, listener),
        release: () => undefined,
      });
    }
  }

  fail(failure: UpstreamFailure): void {
    queueMicrotask(() => this.#listener.notConnected({ ...failure, neverSent: true }));
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#attempt?.abandon();
    this.#onAbandoned();
  }
}

/** A request that waits until the protocol is known. */
class WaitingExchange implements UpstreamExchange {
  readonly isAbandoned = false;
  readonly #request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  readonly #whenOver: (exchange: WaitingExchange) => void;
  readonly #beganMs = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #sent: UpstreamExchange | null = null;
  #isOver = false;

  /** @param whenOver called once, when the request waits no longer */
  constructor(request: UpstreamRequest, listener: UpstreamListener, whenOver: (exchange: WaitingExchange) => void) {
    this.#request = request;
    this.#listener = listener;
    this.#whenOver = whenOver;
    const timeout = new RequestTimeout(request);
    timeout.begin();
    this.#deadline = setTimeout(() => this.fail(timeout.timeoutFailure('connection')), request.timeoutMs).unref();
  }

  sendBy(client: TargetClient): void {
    if (!this.#leave()) return;
    const leftMs = this.#request.timeoutMs - (performance.now() - this.#beganMs);
    this.#sent = client.send({ ...this.#request, timeoutMs: Math.max(1, leftMs) }, this.#listener);
  }

  fail(failure: UpstreamFailure): void {
    if (!this.#leave()) return;
    queueMicrotask(() => this.#listener.failed({ ...failure, neverSent: true }));
  }

  cancel(): void {
    if (this.#sent === null) this.fail({ code: 'cancelled', detail: 'the request is no longer wanted' });
    else this.#sent.cancel();
  }

  /** False: it was over before. */
  #leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#whenOver(this);
    return true;
  }
}

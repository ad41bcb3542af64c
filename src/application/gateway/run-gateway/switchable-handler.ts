import type { ConnectionAdmission, RequestHandler } from '../../ports/gateway/http-engine.js';

/** Connections to one listener that wait for its configuration, at the most. */
const maxWaiting = 1_024;

const notInForce: ConnectionAdmission = { kind: 'refused', answer: { status: 503, headers: [], body: '' } };

/**
 * Hands requests to whatever serves the listener at the moment: a reload may give its address another purpose. Connections
 * that come before the configuration of a new listener is in force wait for that, unread: the one before knows nothing of it.
 */
export class SwitchableHandler implements RequestHandler {
  #current: RequestHandler;
  #waiting = 0;
  #settle: (isInForce: boolean) => void = () => undefined;
  /** Null once it serves. */
  #inForce: Promise<boolean> | null = new Promise((resolve) => {
    this.#settle = resolve;
  });

  constructor(first: RequestHandler) {
    this.#current = first;
  }

  /** The configuration that names this handler is in force. Those that wait are asked about when that step is over. */
  serve(handler: RequestHandler): void {
    this.#current = handler;
    this.#inForce = null;
    this.#settle(true);
  }

  /** The configuration never comes into force. */
  abandon(): void {
    this.#settle(false);
  }

  /** A connection is released to whoever admitted it, since the admission carries that. */
  admit(...parameters: Parameters<RequestHandler['admit']>): ReturnType<RequestHandler['admit']> {
    if (this.#inForce === null) return this.#current.admit(...parameters);
    if (this.#waiting >= maxWaiting) return notInForce;
    this.#waiting += 1;
    return this.#inForce.then((isInForce) => (isInForce ? this.#current.admit(...parameters) : notInForce));
  }

  handle(...parameters: Parameters<RequestHandler['handle']>): void {
    this.#current.handle(...parameters);
  }

  reject(...parameters: Parameters<RequestHandler['reject']>): ReturnType<RequestHandler['reject']> {
    return this.#current.reject(...parameters);
  }

  handshakeFailed(...parameters: Parameters<RequestHandler['handshakeFailed']>): void {
    this.#current.handshakeFailed(...parameters);
  }

  proxyHeaderFailed(...parameters: Parameters<RequestHandler['proxyHeaderFailed']>): void {
    this.#current.proxyHeaderFailed(...parameters);
  }
}

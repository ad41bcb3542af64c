import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { ListenerTimeouts } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../domain/http/cidr-set.js';
import type {
  BoundListener,
  ConnectionAdmission,
  EngineLimits,
  HttpEngine,
  OpenListener,
  RequestHandler,
  TlsContext,
} from '../../ports/gateway/http-engine.js';

/** The most connections to one listener that wait for its configuration. */
const maxWaiting = 1_024;

const notInForce: ConnectionAdmission = { kind: 'refused', answer: { status: 503, headers: [], body: '' } };

/**
 * Passes requests to the current handler of a listener, because a reload may give its address another purpose.
 * Connections that arrive before the configuration of a new listener is in force wait, unread, because the previous
 * configuration does not know the listener.
 */
class SwitchableHandler implements RequestHandler {
  #current: RequestHandler;
  #waiting = 0;
  #settle: (isInForce: boolean) => void = () => undefined;
  /** Null when it serves. */
  #inForce: Promise<boolean> | null = new Promise((resolve) => {
    this.#settle = resolve;
  });

  constructor(first: RequestHandler) {
    this.#current = first;
  }

  /** The configuration with this handler is in force. Waiting connections are admitted after that step. */
  serve(handler: RequestHandler): void {
    this.#current = handler;
    this.#inForce = null;
    this.#settle(true);
  }

  /** The configuration never comes into force. */
  abandon(): void {
    this.#settle(false);
  }

  /** The admission carries its own release, so a connection is released to the handler that admitted it. */
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

/** A listener of a configuration. */
export interface ListenerPlan {
  /** See `listenerKey`. */
  readonly key: string;
  /** Its name in the configuration. */
  readonly name: string;
  readonly address: SocketAddress;
  readonly handler: RequestHandler;
  readonly timeouts: ListenerTimeouts;
  /** Null: plain HTTP. */
  readonly tls: TlsContext | null;
  /** See `ListenerOptions`. */
  readonly proxyHeaderFrom: CidrSet | null;
  readonly http2: boolean;
}

/**
 * The listeners of a new configuration. The new ones are bound but do not accept yet. After `listen`, their connections
 * wait, unread, until the configuration is in force.
 */
export interface PreparedListeners {
  /**
   * Makes the new listeners accept, all in one turn of the event loop. On an error, it rejects with the system's error
   * in the same turn, after closing them: no connection was accepted.
   */
  listen(): Promise<void>;
  /**
   * Puts these listeners in force. Returns the open listeners that are no longer used. The grace period applies to
   * requests on connections that would no longer be admitted; see `OpenListener.secure`.
   */
  commit(graceMs: number): readonly OpenListener[];
  /** Closes the new listeners. */
  abandon(): Promise<void>;
}

export const addressText = ({ host, port }: SocketAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * The key of a listener; configurations with the same key share the socket. It is the address, so that a listener can
 * change its name. With port 0 each name gets its own port, so the key includes the name.
 */
export const listenerKey = (address: SocketAddress, name: string): string =>
  address.port === 0 ? `${addressText(address)} ${name}` : addressText(address);

interface RegisteredListener {
  readonly listener: OpenListener;
  readonly handler: SwitchableHandler;
}

/** The open listeners, which outlive the configuration that first named them. */
export class ListenerRegistry {
  readonly #engine: HttpEngine;
  readonly #limits: EngineLimits;
  #open: ReadonlyMap<string, RegisteredListener> = new Map();

  constructor(engine: HttpEngine, limits: EngineLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  open(): readonly OpenListener[] {
    return [...this.#open.values()].map(({ listener }) => listener);
  }

  /**
   * Binds the listeners that are not yet bound, without listening. On an error, it rejects with the system's error and
   * changes nothing.
   */
  async prepare(wanted: readonly ListenerPlan[]): Promise<PreparedListeners> {
    const next = new Map<string, RegisteredListener>();
    const bound: BoundListener[] = [];
    const handlers: SwitchableHandler[] = [];
    const abandon = async () => {
      await Promise.all(bound.map((listener) => listener.drain(0)));
      // The waiting connections are already closed.
      for (const handler of handlers) handler.abandon();
    };
    for (const { key, name, address, handler, timeouts, tls, proxyHeaderFrom, http2 } of wanted) {
      const current = this.#open.get(key);
      if (current) {
        next.set(key, current);
        continue;
      }
      const switchable = new SwitchableHandler(handler);
      try {
        const options = { name, limits: this.#limits, timeouts, tls, proxyHeaderFrom, http2 };
        const listener = await this.#engine.bind(key, address, switchable, options);
        bound.push(listener);
        handlers.push(switchable);
        next.set(key, { listener, handler: switchable });
      } catch (error) {
        await abandon();
        throw error;
      }
    }
    const listen = async () => {
      const begun = await Promise.allSettled(bound.map((listener) => listener.listen()));
      const failed = begun.find(({ status }) => status === 'rejected');
      if (failed?.status !== 'rejected') return;
      await abandon();
      throw failed.reason;
    };
    return { listen, commit: (graceMs) => this.#commit(next, wanted, graceMs), abandon };
  }

  #commit(
    next: ReadonlyMap<string, RegisteredListener>,
    wanted: readonly ListenerPlan[],
    graceMs: number,
  ): readonly OpenListener[] {
    const dropped = [...this.#open].filter(([key]) => !next.has(key)).map(([, { listener }]) => listener);
    this.#open = next;
    for (const { key, handler, timeouts, tls, proxyHeaderFrom, http2 } of wanted) {
      const registered = next.get(key);
      if (!registered) continue;
      registered.listener.waitFor(timeouts);
      registered.listener.expectProxyHeaders(proxyHeaderFrom, graceMs);
      registered.listener.secure(tls, graceMs);
      registered.listener.acceptHttp2(http2);
      registered.handler.serve(handler);
    }
    return dropped;
  }
}

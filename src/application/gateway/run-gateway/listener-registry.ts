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

/** Connections to one listener that wait for its configuration, at most. */
const maxWaiting = 1_024;

const notInForce: ConnectionAdmission = { kind: 'refused', answer: { status: 503, headers: [], body: '' } };

/**
 * Hands requests to whatever serves the listener at the moment: a reload may give its address another purpose.
 * Connections that come before the configuration of a new listener is in force wait for that, unread: the one before
 * knows nothing of it.
 */
class SwitchableHandler implements RequestHandler {
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

/** A listener that a configuration wants. */
export interface WantedListener {
  /** See `listenerKey`. */
  readonly key: string;
  /** What the configuration calls it. */
  readonly name: string;
  readonly address: SocketAddress;
  readonly handler: RequestHandler;
  readonly timeouts: ListenerTimeouts;
  /** Null: it speaks plain HTTP. */
  readonly tls: TlsContext | null;
  /** See `ListenerOptions`. */
  readonly proxyHeaderFrom: CidrSet | null;
  readonly http2: boolean;
}

/**
 * Listeners that a new configuration will use, the new ones bound already; none of these accepts yet. Once they
 * listen, their connections wait, unread, for the configuration to come into force.
 */
export interface PreparedListeners {
  /**
   * The new ones begin to accept, all in one turn of the loop. Rejects with the system's error in the same turn, all
   * of them closed: no connection was accepted then.
   */
  listen(): Promise<void>;
  /**
   * Makes these the listeners. Gives back those that are no longer wanted, still open. The grace is for requests on
   * connections that would not be let in any more: see `OpenListener.secure`.
   */
  commit(graceMs: number): readonly OpenListener[];
  /** Closes those that were bound. */
  abandon(): Promise<void>;
}

export const addressText = ({ host, port }: SocketAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * What a listener is known by: two configurations that give the same key share the socket. That is the address, so that
 * a listener can change its name; but port 0 asks for a port of its own for each name.
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
   * Binds what is not bound yet, and does not listen on it. Rejects with the system's error, everything then as it
   * was.
   */
  async prepare(wanted: readonly WantedListener[]): Promise<PreparedListeners> {
    const next = new Map<string, RegisteredListener>();
    const bound: BoundListener[] = [];
    const handlers: SwitchableHandler[] = [];
    const abandon = async () => {
      await Promise.all(bound.map((listener) => listener.drain(0)));
      // Whoever waited has been cut off.
      for (const handler of handlers) handler.abandon();
    };
    for (const { key, name, address, handler, timeouts, tls, proxyHeaderFrom, http2 } of wanted) {
      const present = this.#open.get(key);
      if (present) {
        next.set(key, present);
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
    wanted: readonly WantedListener[],
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

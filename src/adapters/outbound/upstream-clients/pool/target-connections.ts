import type {
  ConnectionFigures,
  TargetClientOptions,
  UpstreamFailure,
} from '../../../../application/ports/gateway/upstream-client.js';
import { type IdleConnection, IdleConnectionPool } from './idle-connection-pool.js';

/**
 * Failure for a lack of file descriptors, which is not the target's fault; null for other reasons.
 */
export const descriptorShortage = (error: Error): UpstreamFailure | null => {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') return null;
  return { code: 'overloaded', isOutOfDescriptors: true, detail: `no file descriptor is free: ${error.message}` };
};

/** A duration for logs: `20 ms`, `1.5 s`. */
export const waitText = (ms: number): string => {
  const whole = Math.round(ms);
  return whole < 1_000 ? `${whole} ms` : `${Math.round(whole / 100) / 10} s`;
};

/** Requests that may wait for a connection to one target. */
const maxWaiting = 1_000;

/** A connection to a target with one request at a time. */
export interface PooledUpstreamConnection extends IdleConnection {
  readonly isOpen: boolean;
  /** Open or connecting: a request may be sent on it. */
  readonly isUsable: boolean;
  /** The last read emptied the kernel buffer; later input arrived afterwards. */
  readonly isReadDry: boolean;
  /** All writes are done. */
  readonly isFlushed: boolean;
  /** Closes the connection at once. */
  destroy(): unknown;
}

/** A request that needs a connection. */
export interface ConnectionUser<Connection> {
  /** Exclusive use until it is returned. */
  use(connection: Connection): void;
  /** No connection: the pool is closing. */
  giveUp(): void;
  /** No connection: the target is being drained. */
  evictQueued(): void;
}

/** The connections that a request uses. */
export interface ConnectionSource<Connection> {
  readonly turnAways: number;
  request(user: ConnectionUser<Connection>): boolean;
  forget(user: ConnectionUser<Connection>): void;
  giveBack(connection: Connection): void;
}

/** Connections to one target, and a FIFO queue of requests for them. */
export class TargetConnections<Connection extends PooledUpstreamConnection> implements ConnectionSource<Connection> {
  readonly #settings: TargetClientOptions;
  /** Active and idle. */
  readonly #all = new Set<Connection>();
  readonly #idle: IdleConnectionPool<Connection>;
  readonly #waiting = new Set<ConnectionUser<Connection>>();
  /** Active connections. */
  #busy = 0;
  #turnAways = 0;
  #isClosed = false;
  #whenUnused: (() => void) | null = null;
  readonly #noteLost = (connection: Connection): void => this.#forgetIdle(connection);
  readonly #create: (onLost: (connection: Connection) => void) => Connection;

  /** `create` makes a connection and must call `onLost` when it closes for any reason. */
  constructor(settings: TargetClientOptions, create: (onLost: (connection: Connection) => void) => Connection) {
    this.#settings = settings;
    this.#create = create;
    this.#idle = new IdleConnectionPool<Connection>(settings, (connection) => this.#drop(connection));
  }

  /** A new request would have to wait. Idle connections are used first, so all are busy. */
  get isFull(): boolean {
    return this.#busy >= this.#settings.maxConnections;
  }

  /** A connection can be opened, and no open one is idle. */
  get mustConnect(): boolean {
    return !this.isFull && this.#idle.last?.isOpen !== true;
  }

  /** Number of evictions; users from before the last one must not ask again. */
  get turnAways(): number {
    return this.#turnAways;
  }

  figures(): ConnectionFigures {
    const idleConnections = openOf(this.#idle.values());
    return {
      activeConnections: openOf(this.#all) - idleConnections,
      idleConnections,
      waitingRequests: this.#waiting.size,
    };
  }

  /** Gives `user` a connection, now or later. False if the queue is full. */
  request(user: ConnectionUser<Connection>): boolean {
    if (this.#isClosed) return false;
    const connection = this.#free();
    if (connection !== null) {
      this.#busy += 1;
      user.use(connection);
      return true;
    }
    this.#settings.onExhausted();
    if (this.#waiting.size >= maxWaiting) return false;
    this.#waiting.add(user);
    return true;
  }

  /** A new connection, to be given back; null: the limit is reached, or the pool is closed. */
  takeNew(): Connection | null {
    if (this.#isClosed || this.isFull) return null;
    this.#busy += 1;
    return this.#createNew();
  }

  /** Removes a waiting user. */
  forget(user: ConnectionUser<Connection>): void {
    this.#waiting.delete(user);
    this.#noticeUnused();
  }

  evictQueued(): void {
    this.#turnAways += 1;
    for (const user of this.#waiting) user.evictQueued();
  }

  giveBack(connection: Connection): void {
    // Unrequested data behind a response must arrive while the connection is idle, which closes it;
    // otherwise the next user takes it for its response. One turn may end before all is read, so
    // wait for a whole one.
    if (!connection.isReadDry) setImmediate(() => setImmediate(() => this.#passOnSettled(connection)));
    // A request may end where its connection cannot be reused yet.
    else if (this.#waiting.size > 0) queueMicrotask(() => this.#passOn(connection));
    else this.#rest(connection);
  }

  /** Active and waiting requests may finish within the grace. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const cut = setTimeout(() => this.#cutOff(), graceMs);
    await new Promise<void>((resolve) => {
      this.#whenUnused = resolve;
      this.#noticeUnused();
    });
    clearTimeout(cut);
    const idle = this.#idle.takeAll();
    for (const connection of idle) this.#all.delete(connection);
    await Promise.all(idle.map((connection) => connection.destroy()));
  }

  /** An idle connection, or a new one. */
  #free(): Connection | null {
    for (let connection = this.#idle.take(); connection !== undefined; connection = this.#idle.take()) {
      if (connection.isUsable) return connection;
      this.#drop(connection);
    }
    return this.isFull ? null : this.#createNew();
  }

  #createNew(): Connection {
    const connection = this.#create(this.#noteLost);
    this.#all.add(connection);
    return connection;
  }

  #passOnSettled(connection: Connection): void {
    // Part of its last request may be unsent; the next user opens it anew.
    if (!connection.isFlushed) connection.destroy();
    this.#passOn(connection);
  }

  #passOn(connection: Connection): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next.use(connection);
      return;
    }
    this.#rest(connection);
  }

  #rest(connection: Connection): void {
    this.#busy -= 1;
    if (connection.isUsable && !this.#idle.areNone) this.#idle.add(connection);
    else {
      this.#all.delete(connection);
      // The connection may still be inside the ended request.
      queueMicrotask(() => void connection.destroy());
    }
    this.#noticeUnused();
  }

  #forgetIdle(connection: Connection): void {
    if (this.#idle.remove(connection)) this.#drop(connection);
  }

  #drop(connection: Connection): void {
    this.#all.delete(connection);
    void connection.destroy();
  }

  #cutOff(): void {
    for (const user of this.#waiting) {
      this.#waiting.delete(user);
      user.giveUp();
    }
    for (const connection of this.#all) if (connection.idleIndex < 0) void connection.destroy();
    this.#noticeUnused();
  }

  #noticeUnused(): void {
    if (this.#busy === 0 && this.#waiting.size === 0) this.#whenUnused?.();
  }
}

const openOf = (connections: Iterable<PooledUpstreamConnection>): number => {
  let open = 0;
  for (const connection of connections) if (connection.isOpen) open += 1;
  return open;
};

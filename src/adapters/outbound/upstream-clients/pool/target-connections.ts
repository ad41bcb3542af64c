import type {
  ConnectionFigures,
  TargetClientSettings,
  UpstreamFailure,
} from '../../../../application/ports/gateway/upstream-client.js';
import { type RestingConnection, RestingConnections } from './resting-connections.js';

/** Where a connection could not be opened because no file descriptor is free: no fault of its target. Null: another reason. */
export const descriptorShortage = (error: Error): UpstreamFailure | null => {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EMFILE' && code !== 'ENFILE') return null;
  return { code: 'overloaded', isOutOfDescriptors: true, detail: `no file descriptor is free: ${error.message}` };
};

/** A time as a log says it: `20 ms`, `1.5 s`. */
export const waitText = (ms: number): string => {
  const whole = Math.round(ms);
  return whole < 1_000 ? `${whole} ms` : `${Math.round(whole / 100) / 10} s`;
};

/** Requests that may wait for a connection to one target. */
const maxWaiting = 1_000;

/** A connection to a target, that takes one request at a time. */
export interface PooledUpstreamConnection extends RestingConnection {
  readonly isOpen: boolean;
  /** It stands, or is being made: a request may be sent on it. */
  readonly isUsable: boolean;
  /** All that lay ready to be read has been: what comes from now on was not there when the last octets were read. */
  readonly isReadDry: boolean;
  /** Cuts off what is under way. */
  destroy(): unknown;
}

/** What waits for a connection. */
export interface ConnectionUser<Connection> {
  /** It is the only user until it gives the connection back. */
  use(connection: Connection): void;
  /** There will be none: the connections close. */
  giveUp(): void;
  /** There will be none: the target gets no more requests. */
  evictQueued(): void;
}

/** The connections to one target, and who waits for them, in the order of their coming. */
export class TargetConnections<Connection extends PooledUpstreamConnection> {
  readonly #settings: TargetClientSettings;
  /** Used or kept. */
  readonly #all = new Set<Connection>();
  readonly #idle: RestingConnections<Connection>;
  readonly #waiting = new Set<ConnectionUser<Connection>>();
  /** Connections that are used. */
  #busy = 0;
  #turnAways = 0;
  #isClosed = false;
  #whenUnused: (() => void) | null = null;
  readonly #noteLost = (connection: Connection): void => this.#forgetIdle(connection);
  readonly #create: (onLost: (connection: Connection) => void) => Connection;

  /** `create` makes a connection; `onLost` has to be called when it has closed, whoever closed it. */
  constructor(settings: TargetClientSettings, create: (onLost: (connection: Connection) => void) => Connection) {
    this.#settings = settings;
    this.#create = create;
    this.#idle = new RestingConnections<Connection>(settings, (connection) => this.#drop(connection));
  }

  /** Whoever asks for a connection now has to wait. What is kept is used before a connection is made, so all are busy. */
  get isFull(): boolean {
    return this.#busy >= this.#settings.maxConnections;
  }

  /** How often users were turned away: who was meant to come before the last time must not ask any more. */
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

  /** Has `user` use a connection, now or later. False where too many wait already. */
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

  /** A user that waits no longer. */
  forget(user: ConnectionUser<Connection>): void {
    this.#waiting.delete(user);
    this.#noticeUnused();
  }

  evictQueued(): void {
    this.#turnAways += 1;
    for (const user of this.#waiting) user.evictQueued();
  }

  giveBack(connection: Connection): void {
    // What lies behind the response, unasked, must come while nobody has the connection, which closes it: the next user
    // would take it for an answer. One turn may stop reading before all is read, so a whole one has to go by.
    if (!connection.isReadDry) setImmediate(() => setImmediate(() => this.#passOn(connection)));
    // A request may end in a place where its connection cannot be given another one yet.
    else if (this.#waiting.size > 0) queueMicrotask(() => this.#passOn(connection));
    else this.#rest(connection);
  }

  /** Who uses a connection or waits for one may finish within the grace. */
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

  /** One that stands, else one that can be made. */
  #free(): Connection | null {
    for (let connection = this.#idle.take(); connection !== undefined; connection = this.#idle.take()) {
      if (connection.isUsable) return connection;
      this.#drop(connection);
    }
    if (this.isFull) return null;
    const connection = this.#create(this.#noteLost);
    this.#all.add(connection);
    return connection;
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
      // It may still be in the middle of the request that has ended.
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
    for (const connection of this.#all) if (connection.restingAt < 0) void connection.destroy();
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

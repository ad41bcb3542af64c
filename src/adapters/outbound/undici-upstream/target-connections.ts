import { Connection, type ConnectionOptions } from './connection.js';

/** Requests that may wait for a connection to one target. */
const maxWaiting = 1_000;

/** What waits for a connection. */
export interface ConnectionUser {
  /** It is the only user until it gives the connection back. */
  use(connection: Connection): void;
  /** There will be none. */
  giveUp(): void;
}

/** The connections to one target, and who waits for them, in the order of their coming. */
export class TargetConnections {
  readonly #options: ConnectionOptions;
  readonly #maxConnections: number;
  readonly #busy = new Set<Connection>();
  /** The one used last is used next, so that the others may end. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionUser>();
  #isClosed = false;
  #whenUnused: (() => void) | null = null;

  constructor(options: ConnectionOptions, maxConnections: number) {
    this.#options = options;
    this.#maxConnections = maxConnections;
  }

  get active(): number {
    let open = 0;
    for (const connection of this.#busy) if (connection.isOpen) open += 1;
    return open;
  }

  get idle(): number {
    let open = 0;
    for (const connection of this.#idle) if (connection.isOpen) open += 1;
    return open;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Has `user` use a connection, now or later. False where too many wait already. */
  request(user: ConnectionUser): boolean {
    if (this.#isClosed) return false;
    const connection = this.#free();
    if (connection !== null) {
      this.#busy.add(connection);
      user.use(connection);
      return true;
    }
    if (this.#waiting.size >= maxWaiting) return false;
    this.#waiting.add(user);
    return true;
  }

  /** A user that waits no longer. */
  forget(user: ConnectionUser): void {
    this.#waiting.delete(user);
    this.#noticeUnused();
  }

  giveBack(connection: Connection): void {
    // undici ends requests in places where it cannot be given another one yet.
    if (this.#waiting.size > 0) queueMicrotask(() => this.#passOn(connection));
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
    await Promise.all(this.#idle.map((connection) => connection.destroy()));
  }

  /** One that stands, else one that can be made. */
  #free(): Connection | null {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable) return connection;
      void connection.destroy();
    }
    return this.#busy.size < this.#maxConnections ? new Connection(this.#options) : null;
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
    this.#busy.delete(connection);
    this.#idle.push(connection);
    this.#noticeUnused();
  }

  #cutOff(): void {
    for (const user of this.#waiting) {
      this.#waiting.delete(user);
      user.giveUp();
    }
    for (const connection of this.#busy) void connection.destroy();
    this.#noticeUnused();
  }

  #noticeUnused(): void {
    if (this.#busy.size === 0 && this.#waiting.size === 0) this.#whenUnused?.();
  }
}

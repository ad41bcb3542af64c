import type { ConnectionFigures, TargetClientSettings } from '../../../application/ports/upstream-client.js';
import { Connection } from './connection.js';

/** Requests that may wait for a connection to one target. */
const maxWaiting = 1_000;

/** What waits for a connection. */
export interface ConnectionUser {
  /** It is the only user until it gives the connection back. */
  use(connection: Connection): void;
  /** There will be none: the connections close. */
  giveUp(): void;
  /** There will be none: the target gets no more requests. */
  turnAway(): void;
}

/** The connections to one target, and who waits for them, in the order of their coming. */
export class TargetConnections {
  readonly #settings: TargetClientSettings;
  readonly #busy = new Set<Connection>();
  /** The one used last is used next, so that the others may end. Each has its part of the upstream's allowance. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionUser>();
  #turnAways = 0;
  #isClosed = false;
  #whenUnused: (() => void) | null = null;

  constructor(settings: TargetClientSettings) {
    this.#settings = settings;
  }

  /** Whoever asks for a connection now has to wait. What is kept is used before a connection is made, so all are busy. */
  get isFull(): boolean {
    return this.#busy.size >= this.#settings.maxConnections;
  }

  /** How often users were turned away: who was meant to come before the last time must not ask any more. */
  get turnAways(): number {
    return this.#turnAways;
  }

  figures(): ConnectionFigures {
    return {
      activeConnections: openOf(this.#busy),
      idleConnections: openOf(this.#idle),
      waitingRequests: this.#waiting.size,
    };
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

  turnAway(): void {
    this.#turnAways += 1;
    for (const user of this.#waiting) user.turnAway();
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
    const idle = this.#idle.splice(0);
    for (const _ of idle) this.#settings.idle.giveBack();
    await Promise.all(idle.map((connection) => connection.destroy()));
  }

  /** One that stands, else one that can be made. */
  #free(): Connection | null {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      this.#settings.idle.giveBack();
      if (connection.isUsable) return connection;
      void connection.destroy();
    }
    if (this.isFull) return null;
    return new Connection(this.#settings, (lost) => this.#forgetIdle(lost));
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
    if (this.#mayBeKept(connection)) this.#idle.push(connection);
    // undici is still in the middle of the request that has ended.
    else queueMicrotask(() => void connection.destroy());
    this.#noticeUnused();
  }

  #mayBeKept(connection: Connection): boolean {
    const { maxIdle, idle } = this.#settings;
    return connection.isUsable && this.#idle.length < maxIdle && idle.take();
  }

  #forgetIdle(connection: Connection): void {
    const index = this.#idle.lastIndexOf(connection);
    if (index < 0) return;
    this.#idle.splice(index, 1);
    this.#settings.idle.giveBack();
    void connection.destroy();
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

const openOf = (connections: Iterable<Connection>): number => {
  let open = 0;
  for (const connection of connections) if (connection.isOpen) open += 1;
  return open;
};

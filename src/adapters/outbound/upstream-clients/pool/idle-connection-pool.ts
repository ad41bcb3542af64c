import type { IdleAllowance } from '../../../../application/ports/gateway/upstream-client.js';

/**
 * Interval for trimming idle connections, in milliseconds. Connections reused within it stay open:
 * under load nearly all are idle for some microseconds, and many clients ask once a second.
 */
const lookMs = 1_000;

/** Limit for idle connections. */
export interface IdleLimits {
  readonly maxIdle: number;
  readonly idle: IdleAllowance;
}

export interface IdleConnection {
  /** Index in `IdleConnectionPool`, which alone writes it; -1 if active. */
  idleIndex: number;
}

/**
 * Idle connections to one target, reused last-in first-out so that the others can close. The limit
 * applies from the second unused interval on; the longest idle are closed first.
 */
export class IdleConnectionPool<Connection extends IdleConnection> {
  readonly #limits: IdleLimits;
  readonly #letGo: (connection: Connection) => void;
  /** Longest idle first; null marks a free entry. */
  #all: (Connection | null)[] = [];
  #count = 0;
  /** Number of leading entries that count against the allowance. */
  #counted = 0;
  /** Minimum size since the last check: so many leading entries were unused. */
  #fewest = 0;
  #look: NodeJS.Timeout | null = null;

  /** @param letGo receives each removed connection that may not be kept */
  constructor(limits: IdleLimits, letGo: (connection: Connection) => void) {
    this.#limits = limits;
    this.#letGo = letGo;
  }

  /** No idle connection may be kept. */
  get areNone(): boolean {
    return this.#limits.maxIdle === 0 || this.#limits.idle.isNone;
  }

  get count(): number {
    return this.#count;
  }

  /** The most recently used connection. */
  get last(): Connection | null {
    return this.#all.at(-1) ?? null;
  }

  /** Removes and returns the most recently used connection. */
  take(): Connection | undefined {
    const connection = this.#all.at(-1) ?? undefined;
    if (connection !== undefined) this.remove(connection);
    return connection;
  }

  add(connection: Connection): void {
    connection.idleIndex = this.#all.length;
    this.#all.push(connection);
    this.#count += 1;
    if (this.#look === null) this.#lookLater();
  }

  /** False if the connection was not idle. */
  remove(connection: Connection): boolean {
    const place = connection.idleIndex;
    if (place < 0) return false;
    this.#all[place] = null;
    connection.idleIndex = -1;
    // INVARIANT: the last entry is not null, so free entries do not accumulate.
    while (this.#all.at(-1) === null) this.#all.pop();
    this.#count -= 1;
    // The connection may have been among the unused ones.
    if (place < this.#all.length) this.#fewest -= 1;
    this.#fewest = Math.max(0, Math.min(this.#fewest, this.#count));
    if (this.#counted > this.#count) this.#countFirst(this.#count);
    return true;
  }

  /** Removes and returns all. */
  takeAll(): Connection[] {
    const all = this.values();
    for (const connection of all) connection.idleIndex = -1;
    this.#all = [];
    this.#count = 0;
    this.#fewest = 0;
    this.#countFirst(0);
    if (this.#look !== null) clearTimeout(this.#look);
    this.#look = null;
    return all;
  }

  values(): Connection[] {
    return this.#all.filter((connection) => connection !== null);
  }

  /** Counts the first `wanted` entries against the allowance, or as many as it permits. */
  #countFirst(wanted: number): void {
    const { idle } = this.#limits;
    for (; this.#counted > wanted; this.#counted -= 1) idle.giveBack();
    while (this.#counted < wanted && idle.take()) this.#counted += 1;
  }

  #lookLater(): void {
    this.#fewest = this.#count;
    this.#look = setTimeout(() => this.#lookNow(), lookMs);
    this.#look.unref();
  }

  #lookNow(): void {
    this.#look = null;
    const unused = this.#fewest;
    this.#countFirst(Math.min(unused, this.#limits.maxIdle));
    const left = this.values();
    const tooMany = left.splice(0, unused - this.#counted);
    for (const connection of tooMany) connection.idleIndex = -1;
    for (const [place, connection] of left.entries()) connection.idleIndex = place;
    this.#all = left;
    this.#count = left.length;
    if (this.#count > this.#counted) this.#lookLater();
    for (const connection of tooMany) this.#letGo(connection);
  }
}

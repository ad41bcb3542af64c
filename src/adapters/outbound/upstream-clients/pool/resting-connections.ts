import type { IdleAllowance } from '../../../../application/ports/gateway/upstream-client.js';

/**
 * How often it is looked whether fewer would do, in milliseconds. What is used again within it is not closed meanwhile: under load,
 * between two requests, nearly all connections to a target have no request for some microseconds; and many clients ask once a
 * second.
 */
const lookMs = 1_000;

/** How many connections may be kept while nothing uses them. */
export interface RestLimits {
  readonly maxIdle: number;
  readonly idle: IdleAllowance;
}

export interface RestingConnection {
  /** Where it rests; -1: it does not. `RestingConnections` alone writes it. */
  restingAt: number;
}

/**
 * Connections to one target that nothing uses. The one used last is used next, so that the others may end. They have to be within
 * what may be kept from the second look on that they were not used: until then there may be more. Of those that are too many the
 * ones that have rested longest are let go of.
 */
export class RestingConnections<Connection extends RestingConnection> {
  readonly #limits: RestLimits;
  readonly #letGo: (connection: Connection) => void;
  /** Those that have rested longest are the first; null: it is in here no more. */
  #all: (Connection | null)[] = [];
  #count = 0;
  /** How many of them, from the first on, have a part of the allowance. */
  #counted = 0;
  /** The fewest that there were since the last look: so many of the first were not used. */
  #fewest = 0;
  #look: NodeJS.Timeout | null = null;

  /** @param letGo called with each that may not be kept, which is in here no more */
  constructor(limits: RestLimits, letGo: (connection: Connection) => void) {
    this.#limits = limits;
    this.#letGo = letGo;
  }

  /** None may be kept, not even for a moment. */
  get areNone(): boolean {
    return this.#limits.maxIdle === 0 || this.#limits.idle.isNone;
  }

  get count(): number {
    return this.#count;
  }

  /** The one that was used last, taken out; undefined where there is none. */
  take(): Connection | undefined {
    const connection = this.#all.at(-1) ?? undefined;
    if (connection !== undefined) this.remove(connection);
    return connection;
  }

  add(connection: Connection): void {
    connection.restingAt = this.#all.length;
    this.#all.push(connection);
    this.#count += 1;
    if (this.#look === null) this.#lookLater();
  }

  /** False: it was not in here. */
  remove(connection: Connection): boolean {
    const place = connection.restingAt;
    if (place < 0) return false;
    this.#all[place] = null;
    connection.restingAt = -1;
    // INVARIANT: the last one is there, so that places which are free do not grow with each that comes and goes.
    while (this.#all.at(-1) === null) this.#all.pop();
    this.#count -= 1;
    // It may have been one of those that were not used, and was not where it was the last one.
    if (place < this.#all.length) this.#fewest -= 1;
    this.#fewest = Math.max(0, Math.min(this.#fewest, this.#count));
    if (this.#counted > this.#count) this.#countFirst(this.#count);
    return true;
  }

  /** Takes out all of them. */
  takeAll(): Connection[] {
    const all = this.values();
    for (const connection of all) connection.restingAt = -1;
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

  /** Has so many of the first have a part of the allowance, or as many as there are parts. */
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
    for (const connection of tooMany) connection.restingAt = -1;
    for (const [place, connection] of left.entries()) connection.restingAt = place;
    this.#all = left;
    this.#count = left.length;
    if (this.#count > this.#counted) this.#lookLater();
    for (const connection of tooMany) this.#letGo(connection);
  }
}

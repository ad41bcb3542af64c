import type { IdleAllowance } from '../../../../application/ports/upstream-client.js';

/**
 * How often it is looked whether fewer would do, in milliseconds. What is used again within it is not closed meanwhile: under load,
 * between two requests, nearly all connections to a target have no request for some microseconds.
 */
const lookMs = 500;

/** How many connections may be kept while nothing uses them. */
export interface RestLimits {
  readonly maxIdle: number;
  readonly idle: IdleAllowance;
}

/**
 * Connections to one target that nothing uses. The one used last is used next, so that the others may end. More than may be kept
 * are there for as long as all of them are used from time to time: of those that were not since the last look, and are too many,
 * the ones that have rested longest are let go of.
 */
export class RestingConnections<Connection> {
  readonly #limits: RestLimits;
  readonly #letGo: (connection: Connection) => void;
  /** Those that have rested longest are the first. */
  readonly #all: Connection[] = [];
  /** How many of them have a part of the allowance. */
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

  /** The one that was used last, taken out; undefined where there is none. */
  take(): Connection | undefined {
    const connection = this.#all.pop();
    this.#noteFewer();
    return connection;
  }

  add(connection: Connection): void {
    this.#all.push(connection);
    this.#count();
    if (this.#all.length > this.#counted) this.#lookLater();
  }

  /** False: it was not in here. */
  remove(connection: Connection): boolean {
    const index = this.#all.lastIndexOf(connection);
    if (index < 0) return false;
    this.#all.splice(index, 1);
    this.#noteFewer();
    return true;
  }

  /** Takes out all of them. */
  takeAll(): Connection[] {
    const all = this.#all.splice(0);
    this.#noteFewer();
    if (this.#look !== null) clearTimeout(this.#look);
    this.#look = null;
    return all;
  }

  has(connection: Connection): boolean {
    return this.#all.includes(connection);
  }

  values(): Iterable<Connection> {
    return this.#all.values();
  }

  #count(): void {
    const { maxIdle, idle } = this.#limits;
    while (this.#counted < this.#all.length && this.#counted < maxIdle && idle.take()) this.#counted += 1;
  }

  #noteFewer(): void {
    const { length } = this.#all;
    this.#fewest = Math.min(this.#fewest, length);
    for (; this.#counted > length; this.#counted -= 1) this.#limits.idle.giveBack();
  }

  #lookLater(): void {
    if (this.#look !== null) return;
    this.#fewest = this.#all.length;
    this.#look = setTimeout(() => this.#lookNow(), lookMs);
    this.#look.unref();
  }

  #lookNow(): void {
    this.#look = null;
    // Another target may have given back what is wanted here.
    this.#count();
    const unused = this.#all.splice(0, Math.max(0, this.#fewest - this.#counted));
    if (this.#all.length > this.#counted) this.#lookLater();
    for (const connection of unused) this.#letGo(connection);
  }
}

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairQueue, type QueueNode } from '../../../../../src/domain/gateway/limits/fair-queue.js';
import { expectModelAgreement } from '../../../../support/shared/model-run.js';

interface Waiting {
  readonly client: string;
  readonly number: number;
}

/** A model of the queue with plain lists and linear search. */
class NaiveQueue {
  /** Clients with waiting entries, the next one first. */
  #rotation: string[] = [];
  #waiting: Waiting[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  of(client: string): readonly Waiting[] {
    return this.#waiting.filter((entry) => entry.client === client);
  }

  get most(): number {
    return Math.max(0, ...this.#rotation.map((client) => this.of(client).length));
  }

  add(entry: Waiting): void {
    if (!this.#rotation.includes(entry.client)) this.#rotation.push(entry.client);
    this.#waiting.push(entry);
  }

  take(): Waiting | null {
    const client = this.#rotation[0];
    if (client === undefined) return null;
    const first = this.of(client)[0] as Waiting;
    this.remove(first);
    if (this.#rotation[0] === client) this.#rotation = [...this.#rotation.slice(1), client];
    return first;
  }

  remove(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    this.#rotation = this.#rotation.filter((client) => this.of(client).length > 0);
  }
}

interface Real {
  readonly queue: FairQueue<Waiting>;
  readonly nodes: Map<Waiting, QueueNode<Waiting>>;
  made: number;
}

class Offer implements fc.Command<NaiveQueue, Real> {
  constructor(
    readonly client: string,
    readonly maxSize: number,
  ) {}

  check(): boolean {
    return true;
  }

  run(model: NaiveQueue, real: Real): void {
    const { client, maxSize } = this;
    real.made += 1;
    const entry = { client, number: real.made };
    const own = model.of(client).length;
    const { most, size } = model;
    const offer = real.queue.offer(client, entry, maxSize);
    if (offer.kind === 'full') {
      // Refused only if it is full, and every client would have fewer entries than the new one.
      expect(size).toBeGreaterThanOrEqual(maxSize);
      expect(own + 1).toBeGreaterThanOrEqual(most);
      return;
    }
    real.nodes.set(entry, offer.node);
    if (size < maxSize) expect(offer.evicted).toBeNull();
    else {
      const evicted = offer.evicted as Waiting;
      const queue = model.of(evicted.client);
      expect(queue).toHaveLength(most);
      expect(queue.at(-1)).toBe(evicted);
      model.remove(evicted);
      expect(own + 1).toBeLessThanOrEqual(model.of(evicted.client).length);
    }
    model.add(entry);
    expect(real.queue.size).toBe(model.size);
  }

  toString(): string {
    return `offer(${this.client}, ${this.maxSize})`;
  }
}

class Take implements fc.Command<NaiveQueue, Real> {
  check(): boolean {
    return true;
  }

  run(model: NaiveQueue, real: Real): void {
    expect(real.queue.take()).toBe(model.take());
    expect(real.queue.size).toBe(model.size);
  }

  toString(): string {
    return 'take';
  }
}

/** Includes removed entries, which must have no effect. */
class Remove implements fc.Command<NaiveQueue, Real> {
  constructor(readonly which: number) {}

  check(): boolean {
    return true;
  }

  run(model: NaiveQueue, real: Real): void {
    const [entry, node] = [...real.nodes][this.which % Math.max(1, real.nodes.size)] ?? [];
    if (entry === undefined || node === undefined) return;
    real.queue.remove(node);
    model.remove(entry);
    expect(real.queue.size).toBe(model.size);
  }

  toString(): string {
    return `remove(${this.which})`;
  }
}

const clients = fc.constantFrom('a', 'b', 'c', 'd');

it('behaves like a model with plain lists', () => {
  const commands = [
    fc.tuple(clients, fc.integer({ min: 0, max: 6 })).map(([client, maxSize]) => new Offer(client, maxSize)),
    // Most entries belong to one client, which is the case that fairness is for.
    fc.integer({ min: 0, max: 6 }).map((maxSize) => new Offer('a', maxSize)),
    fc.constant(new Take()),
    fc.nat({ max: 50 }).map((which) => new Remove(which)),
  ];
  fc.assert(
    fc.property(fc.commands(commands, { maxCommands: 60 }), (run) => {
      const real: Real = { queue: new FairQueue(), nodes: new Map(), made: 0 };
      expectModelAgreement(() => ({ model: new NaiveQueue(), real }), run);
    }),
    { numRuns: 300 },
  );
});

it('serves every waiting client before it serves one again', () => {
  fc.assert(
    fc.property(fc.array(clients, { minLength: 1, maxLength: 40 }), (offered) => {
      const queue = new FairQueue<string>();
      for (const client of offered) queue.offer(client, client, 1_000);
      const left = new Map<string, number>();
      for (const client of offered) left.set(client, (left.get(client) ?? 0) + 1);
      let round = new Set<string>();
      for (let client = queue.take(); client !== null; client = queue.take()) {
        if (round.has(client)) {
          for (const [other, count] of left) if (count > 0) expect(round).toContain(other);
          round = new Set();
        }
        round.add(client);
        left.set(client, (left.get(client) ?? 0) - 1);
      }
      expect([...left.values()].every((count) => count === 0)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairQueue, type QueuePlace } from '../../../../../src/domain/gateway/limits/fair-queue.js';
import { expectModelAgreement } from '../../../../support/shared/model-run.js';

interface Waiting {
  readonly client: string;
  readonly number: number;
}

/** A model of the queue with plain lists and linear search. */
class NaiveQueue {
  /** Clients with waiting entries, the next one first. */
  #turns: string[] = [];
  #waiting: Waiting[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  of(client: string): readonly Waiting[] {
    return this.#waiting.filter((entry) => entry.client === client);
  }

  get most(): number {
    return Math.max(0, ...this.#turns.map((client) => this.of(client).length));
  }

  add(entry: Waiting): void {
    if (!this.#turns.includes(entry.client)) this.#turns.push(entry.client);
    this.#waiting.push(entry);
  }

  take(): Waiting | null {
    const client = this.#turns[0];
    if (client === undefined) return null;
    const first = this.of(client)[0] as Waiting;
    this.remove(first);
    if (this.#turns[0] === client) this.#turns = [...this.#turns.slice(1), client];
    return first;
  }

  remove(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    this.#turns = this.#turns.filter((client) => this.of(client).length > 0);
  }
}

interface Real {
  readonly queue: FairQueue<Waiting>;
  readonly places: Map<Waiting, QueuePlace<Waiting>>;
  made: number;
}

class Offer implements fc.Command<NaiveQueue, Real> {
  constructor(
    readonly client: string,
    readonly maxPlaces: number,
  ) {}

  check(): boolean {
    return true;
  }

  run(model: NaiveQueue, real: Real): void {
    const { client, maxPlaces } = this;
    real.made += 1;
    const entry = { client, number: real.made };
    const own = model.of(client).length;
    const { most, size } = model;
    const offer = real.queue.offer(client, entry, maxPlaces);
    if (offer.kind === 'full') {
      // Refused only if it is full, and every client would have fewer entries than the new one.
      expect(size).toBeGreaterThanOrEqual(maxPlaces);
      expect(own + 1).toBeGreaterThanOrEqual(most);
      return;
    }
    real.places.set(entry, offer.place);
    if (size < maxPlaces) expect(offer.displaced).toBeNull();
    else {
      const displaced = offer.displaced as Waiting;
      const line = model.of(displaced.client);
      expect(line).toHaveLength(most);
      expect(line.at(-1)).toBe(displaced);
      model.remove(displaced);
      expect(own + 1).toBeLessThanOrEqual(model.of(displaced.client).length);
    }
    model.add(entry);
    expect(real.queue.size).toBe(model.size);
  }

  toString(): string {
    return `offer(${this.client}, ${this.maxPlaces})`;
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
    const [entry, place] = [...real.places][this.which % Math.max(1, real.places.size)] ?? [];
    if (entry === undefined || place === undefined) return;
    real.queue.remove(place);
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
    fc.tuple(clients, fc.integer({ min: 0, max: 6 })).map(([client, maxPlaces]) => new Offer(client, maxPlaces)),
    // Most entries belong to one client, which is the case that fairness is for.
    fc.integer({ min: 0, max: 6 }).map((maxPlaces) => new Offer('a', maxPlaces)),
    fc.constant(new Take()),
    fc.nat({ max: 50 }).map((which) => new Remove(which)),
  ];
  fc.assert(
    fc.property(fc.commands(commands, { maxCommands: 60 }), (run) => {
      const real: Real = { queue: new FairQueue(), places: new Map(), made: 0 };
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

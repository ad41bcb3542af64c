/** A node of a `Chain`, which owns the links. */
class ChainLink<Value> {
  earlier: ChainLink<Value> | null = null;
  later: ChainLink<Value> | null = null;

  constructor(readonly value: Value) {}
}

/** A doubly linked list. Appending and removing take constant time. */
class Chain<Value> {
  #first: ChainLink<Value> | null = null;
  #last: ChainLink<Value> | null = null;

  get first(): Value | null {
    return this.#first === null ? null : this.#first.value;
  }

  get last(): Value | null {
    return this.#last === null ? null : this.#last.value;
  }

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** Appends a value. The link is needed to remove it. */
  append(value: Value): ChainLink<Value> {
    const link = new ChainLink(value);
    link.earlier = this.#last;
    if (this.#last === null) this.#first = link;
    else this.#last.later = link;
    this.#last = link;
    return link;
  }

  /** INVARIANT: the link is in this chain. */
  remove(link: ChainLink<Value>): void {
    if (link.earlier === null) this.#first = link.later;
    else link.earlier.later = link.later;
    if (link.later === null) this.#last = link.earlier;
    else link.later.earlier = link.earlier;
    link.earlier = null;
    link.later = null;
  }
}

/** The waiting entries of one client. */
class ClientLine<Entry> {
  readonly places = new Chain<QueuePlace<Entry>>();
  count = 0;
  /** Its link in the order of turns; null: it has no entries. */
  turn: ChainLink<ClientLine<Entry>> | null = null;
  /** Its link among clients with equally many entries; null: it has none. */
  level: ChainLink<ClientLine<Entry>> | null = null;

  constructor(readonly client: string) {}
}

/** A waiting entry. */
export class QueuePlace<Entry> {
  /** Null: it no longer waits. */
  link: ChainLink<QueuePlace<Entry>> | null = null;

  constructor(
    readonly line: ClientLine<Entry>,
    readonly entry: Entry,
  ) {}
}

/** The result of `offer`. */
export type QueueOffer<Entry> =
  /** The entry waits. `displaced` was evicted for it, because the queue was full. */
  | { readonly kind: 'queued'; readonly place: QueuePlace<Entry>; readonly displaced: Entry | null }
  /** The queue is full, and no client has enough entries to evict one. */
  | { readonly kind: 'full' };

/**
 * Whether a client of a full queue may evict an entry of the client with the most entries. Afterwards it must not have
 * more than that client; otherwise two clients could evict each other forever.
 */
export const mayDisplace = (ownPlaces: number, mostPlaces: number): boolean => ownPlaces + 1 < mostPlaces;

/**
 * A queue that serves clients round-robin, so that a client with many entries does not delay the others. Entries of one
 * client keep their order. All operations take constant time.
 */
export class FairQueue<Entry> {
  readonly #lines = new Map<string, ClientLine<Entry>>();
  /** Clients with waiting entries, the next one first. */
  readonly #turns = new Chain<ClientLine<Entry>>();
  /** The same clients by number of entries. */
  readonly #levels: Chain<ClientLine<Entry>>[] = [];
  #mostPlaces = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Enqueues an entry, in a queue of at most `maxPlaces`. A displaced entry is the newest of its client. */
  offer(client: string, entry: Entry, maxPlaces: number): QueueOffer<Entry> {
    let displaced: Entry | null = null;
    if (this.#size >= maxPlaces) {
      if (!mayDisplace(this.#lines.get(client)?.count ?? 0, this.#mostPlaces)) return { kind: 'full' };
      displaced = this.#dropOfGreediest();
    }
    const line = this.#lines.get(client) ?? this.#newLine(client);
    const place = new QueuePlace(line, entry);
    place.link = line.places.append(place);
    this.#size += 1;
    this.#count(line, line.count + 1);
    return { kind: 'queued', place, displaced };
  }

  /** Dequeues the next entry; null: the queue is empty. */
  take(): Entry | null {
    const line = this.#turns.first;
    const place = line?.places.first ?? null;
    if (line === null || place === null) return null;
    this.remove(place);
    if (line.turn !== null) {
      this.#turns.remove(line.turn);
      line.turn = this.#turns.append(line);
    }
    return place.entry;
  }

  /** Removes an entry, unless it is already removed. */
  remove(place: QueuePlace<Entry>): void {
    const { line, link } = place;
    if (link === null) return;
    place.link = null;
    line.places.remove(link);
    this.#size -= 1;
    this.#count(line, line.count - 1);
    if (line.count > 0 || line.turn === null) return;
    this.#turns.remove(line.turn);
    line.turn = null;
    this.#lines.delete(line.client);
  }

  #newLine(client: string): ClientLine<Entry> {
    const line = new ClientLine<Entry>(client);
    line.turn = this.#turns.append(line);
    this.#lines.set(client, line);
    return line;
  }

  #dropOfGreediest(): Entry | null {
    const place = this.#levels[this.#mostPlaces]?.first?.places.last ?? null;
    if (place === null) return null;
    this.remove(place);
    return place.entry;
  }

  #count(line: ClientLine<Entry>, count: number): void {
    if (line.level !== null) this.#level(line.count).remove(line.level);
    line.level = count === 0 ? null : this.#level(count).append(line);
    line.count = count;
    if (count > this.#mostPlaces) this.#mostPlaces = count;
    // INVARIANT: a count changes by one, so the maximum falls by at most one.
    else if (this.#mostPlaces > 0 && this.#level(this.#mostPlaces).isEmpty) this.#mostPlaces -= 1;
  }

  #level(count: number): Chain<ClientLine<Entry>> {
    let level = this.#levels[count];
    if (level === undefined) {
      level = new Chain();
      this.#levels[count] = level;
    }
    return level;
  }
}

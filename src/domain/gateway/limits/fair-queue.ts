/** A place in a `Chain`. The links belong to the chain. */
class ChainLink<Value> {
  earlier: ChainLink<Value> | null = null;
  later: ChainLink<Value> | null = null;

  constructor(readonly value: Value) {}
}

/**
 * Things in the order in which they came. Adding at the end and taking out anywhere cost the same however many there
 * are.
 */
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

  /** Adds a value at the end; the link is what it is taken out by. */
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

/** What one client has waiting. */
class ClientLine<Entry> {
  readonly places = new Chain<QueuePlace<Entry>>();
  count = 0;
  /** Where it stands among those whose turn it will be; null while it holds no place. */
  turn: ChainLink<ClientLine<Entry>> | null = null;
  /** Where it stands among those that hold as many places; null while it holds none. */
  level: ChainLink<ClientLine<Entry>> | null = null;

  constructor(readonly client: string) {}
}

/** Something that waits. */
export class QueuePlace<Entry> {
  /** Null once it waits no more. */
  link: ChainLink<QueuePlace<Entry>> | null = null;

  constructor(
    readonly line: ClientLine<Entry>,
    readonly entry: Entry,
  ) {}
}

/** What became of something that was to wait. */
export type QueueOffer<Entry> =
  /** It waits. `displaced` waits no more in its favour: the queue was full. */
  | { readonly kind: 'queued'; readonly place: QueuePlace<Entry>; readonly displaced: Entry | null }
  /** The queue is full, and nobody in it holds so many more places that one could be taken from them. */
  | { readonly kind: 'full' };

/**
 * Whether a client that holds so many places of a full queue gets one of the client that holds the most. Only where
 * it then holds no more than the other: two clients would else take the same place from each other again and again.
 */
export const mayDisplace = (ownPlaces: number, mostPlaces: number): boolean => ownPlaces + 1 < mostPlaces;

/**
 * Things of many clients that wait for their turn. It goes round by client, so that one that has many waiting does
 * not keep out one that has a single one; within a client they keep their order. No operation costs more the more
 * there are.
 */
export class FairQueue<Entry> {
  readonly #lines = new Map<string, ClientLine<Entry>>();
  /** Every client that has something waiting; the next one first. */
  readonly #turns = new Chain<ClientLine<Entry>>();
  /** The same clients by the number of places that they hold. */
  readonly #levels: Chain<ClientLine<Entry>>[] = [];
  #mostPlaces = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Has something of a client wait, in a queue of so many places. The displaced entry is the newest of its client. */
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

  /** Takes out what is next; null where nothing waits. */
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

  /** Takes out what waits there; nothing where it has been taken out already. */
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
    // INVARIANT: a count changes by one, so that this goes down by one at most.
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

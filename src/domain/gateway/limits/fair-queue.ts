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
class ClientQueue<Entry> {
  readonly nodes = new Chain<QueueNode<Entry>>();
  count = 0;
  /** Its link in the rotation; null: it has no entries. */
  rotationLink: ChainLink<ClientQueue<Entry>> | null = null;
  /** Its link among the clients with the same count; null: it has no entries. */
  countLink: ChainLink<ClientQueue<Entry>> | null = null;

  constructor(readonly client: string) {}
}

/** A waiting entry, as `remove` needs it. */
export class QueueNode<Entry> {
  /** Null: it no longer waits. */
  link: ChainLink<QueueNode<Entry>> | null = null;

  constructor(
    readonly queue: ClientQueue<Entry>,
    readonly entry: Entry,
  ) {}
}

/** The result of `offer`. */
export type QueueOffer<Entry> =
  /** The entry waits. If the queue was full, `evicted` is the entry that it replaced. */
  | { readonly kind: 'queued'; readonly node: QueueNode<Entry>; readonly evicted: Entry | null }
  /** The queue is full, and no client has enough entries to evict one. */
  | { readonly kind: 'full' };

/**
 * Whether a client with `ownCount` entries may evict an entry of the client with the most, in a full queue. Afterwards
 * it must not have more than that client; otherwise two clients could evict each other forever.
 */
const mayEvict = (ownCount: number, largestCount: number): boolean => ownCount + 1 < largestCount;

/**
 * A queue that serves clients round-robin, so that a client with many entries does not delay the others. Entries of one
 * client keep their order. All operations take constant time.
 */
export class FairQueue<Entry> {
  readonly #clients = new Map<string, ClientQueue<Entry>>();
  /** The clients with entries, the next one first. */
  readonly #rotation = new Chain<ClientQueue<Entry>>();
  /** The same clients; the index is their count. */
  readonly #byCount: Chain<ClientQueue<Entry>>[] = [];
  #largestCount = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Enqueues an entry, in a queue of at most `maxSize`. An evicted entry is the newest of its client. */
  offer(client: string, entry: Entry, maxSize: number): QueueOffer<Entry> {
    let evicted: Entry | null = null;
    if (this.#size >= maxSize) {
      if (!mayEvict(this.#clients.get(client)?.count ?? 0, this.#largestCount)) return { kind: 'full' };
      evicted = this.#evictFromLargestQueue();
    }
    const queue = this.#clients.get(client) ?? this.#addClient(client);
    const node = new QueueNode(queue, entry);
    node.link = queue.nodes.append(node);
    this.#size += 1;
    this.#setCount(queue, queue.count + 1);
    return { kind: 'queued', node, evicted };
  }

  /** Dequeues the next entry; null: the queue is empty. */
  take(): Entry | null {
    const queue = this.#rotation.first;
    const node = queue?.nodes.first ?? null;
    if (queue === null || node === null) return null;
    this.remove(node);
    if (queue.rotationLink !== null) {
      this.#rotation.remove(queue.rotationLink);
      queue.rotationLink = this.#rotation.append(queue);
    }
    return node.entry;
  }

  /** Removes an entry, unless it is already removed. */
  remove(node: QueueNode<Entry>): void {
    const { queue, link } = node;
    if (link === null) return;
    node.link = null;
    queue.nodes.remove(link);
    this.#size -= 1;
    this.#setCount(queue, queue.count - 1);
    if (queue.count > 0 || queue.rotationLink === null) return;
    this.#rotation.remove(queue.rotationLink);
    queue.rotationLink = null;
    this.#clients.delete(queue.client);
  }

  #addClient(client: string): ClientQueue<Entry> {
    const queue = new ClientQueue<Entry>(client);
    queue.rotationLink = this.#rotation.append(queue);
    this.#clients.set(client, queue);
    return queue;
  }

  #evictFromLargestQueue(): Entry | null {
    const node = this.#byCount[this.#largestCount]?.first?.nodes.last ?? null;
    if (node === null) return null;
    this.remove(node);
    return node.entry;
  }

  #setCount(queue: ClientQueue<Entry>, count: number): void {
    if (queue.countLink !== null) this.#clientsWith(queue.count).remove(queue.countLink);
    queue.countLink = count === 0 ? null : this.#clientsWith(count).append(queue);
    queue.count = count;
    if (count > this.#largestCount) this.#largestCount = count;
    // INVARIANT: a count changes by one, so the maximum falls by at most one.
    else if (this.#largestCount > 0 && this.#clientsWith(this.#largestCount).isEmpty) this.#largestCount -= 1;
  }

  #clientsWith(count: number): Chain<ClientQueue<Entry>> {
    let clients = this.#byCount[count];
    if (clients === undefined) {
      clients = new Chain();
      this.#byCount[count] = clients;
    }
    return clients;
  }
}

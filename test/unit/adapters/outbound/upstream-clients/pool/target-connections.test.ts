import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ConnectionUser,
  type PooledUpstreamConnection,
  TargetConnections,
} from '../../../../../../src/adapters/outbound/upstream-clients/pool/target-connections.js';
import { IdleConnections } from '../../../../../../src/application/gateway/choose-upstream/endpoint-set.js';

/** Milliseconds within which a connection has to be used again that is one too many. */
const lookMs = 1_000;
/** Requests that may wait for a connection. */
const maxWaiting = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that says it is open whatever happened to it, so that a pool which has not forgotten it counts it. */
class Connection implements PooledUpstreamConnection {
  idleIndex = -1;
  isOpen = true;
  isUsable = true;
  isReadDry = true;
  isFlushed = true;
  destroyed = 0;
  readonly name: string;
  /** The upstream closed it. */
  readonly lose: () => void;

  constructor(name: string, onLost: (connection: Connection) => void) {
    this.name = name;
    this.lose = () => {
      this.isUsable = false;
      onLost(this);
    };
  }

  /** As sockets do that had not connected: whoever waits for the end is told before this returns. */
  destroy(): void {
    this.destroyed += 1;
    if (this.destroyed === 1) this.lose();
  }
}

/** What waits for a connection, and notes what came of it. */
class User implements ConnectionUser<Connection> {
  readonly name: string;
  readonly #events: string[];
  connection: Connection | null = null;

  constructor(name: string, events: string[]) {
    this.name = name;
    this.#events = events;
  }

  use(connection: Connection): void {
    this.connection = connection;
    this.#events.push(`${this.name} uses ${connection.name}`);
  }

  giveUp(): void {
    this.#events.push(`${this.name} gave up`);
  }

  evictQueued(): void {
    this.#events.push(`${this.name} was turned away`);
  }
}

interface Limits {
  readonly maxConnections?: number;
  readonly maxIdle?: number;
  readonly idle?: IdleConnections;
  readonly onExhausted?: () => void;
}

const poolOf = ({
  maxConnections = 100,
  maxIdle = 100,
  idle = new IdleConnections(100),
  onExhausted = () => undefined,
}: Limits = {}) => {
  const created: Connection[] = [];
  const events: string[] = [];
  const pool = new TargetConnections<Connection>(
    {
      address: { host: '127.0.0.1', port: 80 },
      authority: '127.0.0.1:80',
      replacesHost: false,
      tls: null,
      connectMs: 1_000,
      readMs: 1_000,
      maxConnections,
      onExhausted,
      maxIdle,
      idle,
      httpVersion: '1.1',
    },
    (onLost) => {
      const connection = new Connection(`c${created.length + 1}`, onLost);
      created.push(connection);
      return connection;
    },
  );
  /** A user of that name, which has a connection or waits for one. */
  const request = (name: string): User => {
    const user = new User(name, events);
    if (!pool.request(user)) events.push(`${name} was refused`);
    return user;
  };
  /** It had better have one. */
  const usedBy = (user: User): Connection => {
    if (user.connection === null) throw new Error(`${user.name} has no connection`);
    return user.connection;
  };
  return {
    pool,
    created,
    events,
    request,
    usedBy,
    finish: (...users: User[]): void => {
      for (const user of users) pool.giveBack(usedBy(user));
    },
    destroyed: () => created.filter((connection) => connection.destroyed > 0).map(({ name }) => name),
    /** Used, kept, waiting. */
    figures: () => {
      const { activeConnections, idleConnections, waitingRequests } = pool.figures();
      return [activeConnections, idleConnections, waitingRequests];
    },
  };
};

/** Parts of an allowance that nobody has taken. */
const leftOf = (idle: IdleConnections): number => {
  let left = 0;
  while (idle.take()) left += 1;
  for (let taken = 0; taken < left; taken += 1) idle.giveBack();
  return left;
};

/** Microtasks have run, and timers that were due at once. */
const settled = () => vi.advanceTimersByTimeAsync(0);

describe('the connections to a target', () => {
  it('are made as requests come, and used again by those that come later', () => {
    const { request, finish, events, figures } = poolOf();
    const first = request('a');
    const second = request('b');
    expect(figures()).toEqual([2, 0, 0]);
    finish(first, second);
    expect(figures()).toEqual([0, 2, 0]);
    request('c');
    expect(events).toEqual(['a uses c1', 'b uses c2', 'c uses c2']);
    expect(figures()).toEqual([1, 1, 0]);
  });

  it('are destroyed once and forgotten where they are too many and were not used', async () => {
    const { request, finish, created, destroyed, figures } = poolOf({ maxIdle: 1 });
    finish(...['a', 'b', 'c'].map(request));
    expect(figures()).toEqual([0, 3, 0]);
    await vi.advanceTimersByTimeAsync(2 * lookMs);
    expect(destroyed()).toEqual(['c1', 'c2']);
    expect(created.map((connection) => connection.destroyed)).toEqual([1, 1, 0]);
    expect(figures()).toEqual([0, 1, 0]);
  });

  it('are destroyed and forgotten as soon as they are lost while nothing uses them', () => {
    const idle = new IdleConnections(100);
    const { request, finish, usedBy, events, destroyed, figures } = poolOf({ idle });
    const first = request('a');
    finish(first, request('b'));
    vi.advanceTimersByTime(2 * lookMs);
    expect(leftOf(idle)).toBe(98);
    usedBy(first).lose();
    expect([destroyed(), figures(), leftOf(idle)]).toEqual([['c1'], [0, 1, 0], 99]);
    request('c');
    request('d');
    expect(events.slice(2)).toEqual(['c uses c2', 'd uses c3']);
  });

  it('stay where they are when they are lost while a request uses them, and are forgotten behind it', async () => {
    const { request, finish, usedBy, destroyed, figures } = poolOf();
    const user = request('a');
    usedBy(user).lose();
    expect([destroyed(), figures()]).toEqual([[], [1, 0, 0]]);
    finish(user);
    await settled();
    expect([destroyed(), figures()]).toEqual([['c1'], [0, 0, 0]]);
  });

  it('are not given to a request where they turned out to be useless while nothing used them', () => {
    const { request, finish, usedBy, events, destroyed, figures } = poolOf();
    const [first, second] = [request('a'), request('b')];
    finish(first, second);
    usedBy(second).isUsable = false;
    request('c');
    expect(events.at(-1)).toBe('c uses c1');
    expect([destroyed(), figures()]).toEqual([['c2'], [1, 0, 0]]);
  });

  it.each([
    ['the target may have none', { maxIdle: 0 }],
    ['the upstream may have none', { idle: new IdleConnections(0) }],
  ])('are not kept for a moment where %s', async (_why, limits) => {
    const { request, finish, destroyed, figures } = poolOf(limits);
    finish(request('a'));
    expect(figures()).toEqual([0, 0, 0]);
    // The request that has ended may still be at work on it.
    expect(destroyed()).toEqual([]);
    await settled();
    expect(destroyed()).toEqual(['c1']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are never more than may be, of which those that nothing uses are a part', () => {
    const { pool, request, finish, created, figures } = poolOf({ maxConnections: 3 });
    const users = ['a', 'b', 'c'].map(request);
    expect(pool.isFull).toBe(true);
    request('d');
    expect([created.length, figures()]).toEqual([3, [3, 0, 1]]);
    finish(...users);
    expect(pool.isFull).toBe(true);
  });

  it('may be as many again once some have gone that were lost in use', async () => {
    const { pool, request, finish, usedBy, events } = poolOf({ maxConnections: 1 });
    const user = request('a');
    usedBy(user).lose();
    finish(user);
    await settled();
    expect(pool.isFull).toBe(false);
    request('b');
    expect(events).toEqual(['a uses c1', 'b uses c2']);
  });
});

describe('requests that wait for a connection', () => {
  it('tell the owner of the pool, and so do those that are refused', () => {
    let told = 0;
    const { request } = poolOf({
      maxConnections: 1,
      onExhausted: () => {
        told += 1;
      },
    });
    request('a');
    expect(told).toBe(0);
    for (let count = 0; count < 1_001; count += 1) request('b');
    expect(told).toBe(1_001);
  });

  it('get one in the order of their coming, and not before the one that had it is out of its code', async () => {
    const { request, finish, events, figures } = poolOf({ maxConnections: 1 });
    const first = request('a');
    const second = request('b');
    request('c');
    finish(first);
    expect(events).toEqual(['a uses c1']);
    await settled();
    expect([events, figures()]).toEqual([
      ['a uses c1', 'b uses c1'],
      [1, 0, 1],
    ]);
    finish(second);
    await settled();
    expect([events.at(-1), figures()]).toEqual(['c uses c1', [1, 0, 0]]);
  });

  it('get no connection that has octets before it which nobody has read', async () => {
    const { request, finish, usedBy, events, figures } = poolOf({ maxConnections: 1 });
    const first = request('a');
    usedBy(first).isReadDry = false;
    request('b');
    finish(first);
    // A whole turn of the loop has to go by: the one it is in may not read any more.
    await vi.advanceTimersToNextTimerAsync();
    expect(events).toEqual(['a uses c1']);
    expect(figures()).toEqual([1, 0, 1]);
    await vi.advanceTimersToNextTimerAsync();
    expect(events).toEqual(['a uses c1', 'b uses c1']);
  });

  it('get a new connection if the last one has still to write', async () => {
    const { request, finish, usedBy } = poolOf({ maxConnections: 1 });
    const first = request('a');
    const connection = Object.assign(usedBy(first), { isReadDry: false, isFlushed: false });
    finish(first);
    await vi.advanceTimersToNextTimerAsync();
    await vi.advanceTimersToNextTimerAsync();
    expect(connection.destroyed).toBeGreaterThan(0);
  });

  it('are no more than a thousand: the next is refused, and asked for nothing later', async () => {
    const { request, finish, events, figures, pool } = poolOf({ maxConnections: 1 });
    const first = request('a');
    const users = Array.from({ length: maxWaiting }, (_, number) => request(`w${number}`));
    expect(figures()).toEqual([1, 0, maxWaiting]);
    request('refused');
    expect(events.at(-1)).toBe('refused was refused');
    for (const user of users.slice(1)) pool.forget(user);
    finish(first);
    await settled();
    expect(events.slice(1)).toEqual(['refused was refused', 'w0 uses c1']);
  });

  it('get none once they wait no longer', async () => {
    const { pool, request, finish, events, figures } = poolOf({ maxConnections: 1 });
    const first = request('a');
    const second = request('b');
    pool.forget(second);
    finish(first);
    await settled();
    expect([events, figures()]).toEqual([['a uses c1'], [0, 1, 0]]);
  });

  it('are all told that they are turned away, and how often is told to those that come', () => {
    const { pool, request, events } = poolOf({ maxConnections: 1 });
    for (const name of ['a', 'b', 'c']) request(name);
    const before = pool.turnAways;
    pool.evictQueued();
    expect(events.slice(1)).toEqual(['b was turned away', 'c was turned away']);
    expect(pool.turnAways).toBe(before + 1);
  });
});

describe('closing the connections to a target', () => {
  it('destroys at once what nothing uses, gives the allowance back and leaves no timer', async () => {
    const idle = new IdleConnections(2);
    const { pool, request, finish, created, figures } = poolOf({ idle });
    finish(...['a', 'b', 'c'].map(request));
    // By now one of them has its part of the allowance, and the others are more than may be kept.
    vi.advanceTimersByTime(lookMs);
    expect([figures(), leftOf(idle)]).toEqual([[0, 3, 0], 1]);
    await pool.close(10_000);
    expect(created.map((connection) => connection.destroyed)).toEqual(created.map(() => 1));
    expect([figures(), leftOf(idle), vi.getTimerCount()]).toEqual([[0, 0, 0], 2, 0]);
  });

  it('waits for who uses one and for who waits for one, and takes nobody else', async () => {
    const { pool, request, finish, events, destroyed } = poolOf({ maxConnections: 1 });
    const first = request('a');
    const second = request('b');
    let isClosed = false;
    const closing = pool.close(10_000).then(() => {
      isClosed = true;
    });
    request('late');
    finish(first);
    await settled();
    expect(events).toEqual(['a uses c1', 'late was refused', 'b uses c1']);
    expect([isClosed, destroyed()]).toEqual([false, []]);
    finish(second);
    await closing;
    expect([destroyed(), vi.getTimerCount()]).toEqual([['c1'], 0]);
  });

  it('cuts off what is left behind the grace, and gives up what waits', async () => {
    const { pool, request, finish, usedBy, events, destroyed, figures } = poolOf({ maxConnections: 2 });
    const [first, second] = [request('a'), request('b')];
    request('waits');
    finish(second);
    await settled();
    const stuck = request('also waits');
    expect(stuck.connection).toBeNull();
    const closing = pool.close(5_000);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(destroyed()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(destroyed()).toEqual(['c1', 'c2']);
    expect(events.slice(2)).toEqual(['waits uses c2', 'also waits gave up']);
    // What was cut off says so, by and by.
    pool.giveBack(usedBy(first));
    pool.giveBack(usedBy(second));
    await closing;
    expect(figures()).toEqual([0, 0, 0]);
  });

  it('leaves alone what nothing uses until the last that is used was cut off', async () => {
    const { pool, request, finish, usedBy, created, destroyed } = poolOf();
    const [stuck, done] = [request('a'), request('b')];
    finish(done);
    const closing = pool.close(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(destroyed()).toEqual(['c1']);
    pool.giveBack(usedBy(stuck));
    await closing;
    await settled();
    expect([destroyed(), created[1]?.destroyed]).toEqual([['c1', 'c2'], 1]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleConnectionPool } from '../../../../../../src/adapters/outbound/upstream-clients/pool/idle-connection-pool.js';
import { IdleConnections } from '../../../../../../src/application/gateway/choose-upstream/endpoint-set.js';

/** Milliseconds within which a connection has to be used again that is one too many. */
const lookMs = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const resting = (maxIdle: number, idle = new IdleConnections(100)) => {
  const closed: string[] = [];
  const known = new Map<string, { readonly name: string; idleIndex: number }>();
  const named = (name: string) => {
    const connection = known.get(name) ?? { name, idleIndex: -1 };
    known.set(name, connection);
    return connection;
  };
  const connections = new IdleConnectionPool<ReturnType<typeof named>>({ maxIdle, idle }, ({ name }) => {
    closed.push(name);
  });
  return {
    connections,
    closed,
    add: (...names: string[]): void => {
      for (const name of names) connections.add(named(name));
    },
    take: () => connections.take()?.name,
    remove: (name: string) => connections.remove(named(name)),
    left: () => connections.values().map(({ name }) => name),
  };
};

/** Parts of an allowance that nobody has taken. */
const leftOf = (idle: IdleConnections): number => {
  let left = 0;
  while (idle.take()) left += 1;
  for (let taken = 0; taken < left; taken += 1) idle.giveBack();
  return left;
};

describe('connections that nothing uses', () => {
  it('are used again from the last one on', () => {
    const { add, take } = resting(5);
    add('a', 'b', 'c');
    expect([take(), take(), take(), take()]).toEqual(['c', 'b', 'a', undefined]);
  });

  it('are kept for ever as far as they may be', () => {
    const { add, closed, left } = resting(3);
    add('a', 'b', 'c');
    vi.advanceTimersByTime(100 * lookMs);
    expect([closed, left()]).toEqual([[], ['a', 'b', 'c']]);
  });

  it('are closed where they are too many and were not used since the look before, those first that have rested longest', () => {
    const { add, closed, left } = resting(2);
    add('a', 'b', 'c', 'd', 'e');
    // Not all of them were there for the whole time before the first look.
    vi.advanceTimersByTime(2 * lookMs - 1);
    expect(closed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect([closed, left()]).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });

  it('are all kept, however many, while all of them are used between two looks', () => {
    const { add, take, closed, left } = resting(2);
    add('a', 'b', 'c', 'd', 'e');
    for (let turn = 0; turn < 10; turn += 1) {
      vi.advanceTimersByTime(lookMs / 2);
      add(...left().map(() => String(take())));
    }
    expect([closed, left()]).toEqual([[], ['a', 'b', 'c', 'd', 'e']]);
  });

  it('are closed but for as many as are used, and as may be kept', () => {
    const { add, take, closed, left } = resting(2);
    add('a', 'b', 'c', 'd', 'e', 'f');
    for (let turn = 0; turn < 4; turn += 1) {
      // Three of them are, at the same time.
      add(...[take(), take(), take()].map(String).reverse());
      vi.advanceTimersByTime(lookMs);
    }
    expect([closed, left()]).toEqual([['a'], ['b', 'c', 'd', 'e', 'f']]);
    vi.advanceTimersByTime(2 * lookMs);
    expect([closed, left()]).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f'],
    ]);
  });

  it('have an allowance together with those to other targets, and leave their part when they are used, lost or closed', () => {
    const idle = new IdleConnections(3);
    const [one, other] = [resting(3, idle), resting(3, idle)];
    one.add('a', 'b');
    other.add('x', 'y', 'z');
    vi.advanceTimersByTime(2 * lookMs);
    expect([one.left(), other.left(), leftOf(idle)]).toEqual([['a', 'b'], ['z'], 0]);
    one.take();
    expect(leftOf(idle)).toBe(1);
    expect([other.remove('z'), other.remove('z')]).toEqual([true, false]);
    expect(leftOf(idle)).toBe(2);
    expect([one.connections.takeAll().map(({ name }) => name), leftOf(idle)]).toEqual([['a'], 3]);
  });

  it('take no part of the allowance between two requests', () => {
    const idle = new IdleConnections(2);
    const [busy, quiet] = [resting(2, idle), resting(2, idle)];
    busy.add('a', 'b', 'c');
    for (let passed = 0; passed < 3 * lookMs; passed += 100) {
      busy.add(...[busy.take(), busy.take(), busy.take()].map(String));
      vi.advanceTimersByTime(100);
      if (passed === lookMs / 2) quiet.add('x', 'y');
    }
    expect([busy.left().length, quiet.left(), quiet.closed, leftOf(idle)]).toEqual([3, ['x', 'y'], [], 0]);
  });

  it('have what another target gives back before the next look', () => {
    const idle = new IdleConnections(1);
    const [one, other] = [resting(2, idle), resting(2, idle)];
    one.add('a');
    vi.advanceTimersByTime(lookMs / 2);
    other.add('x');
    vi.advanceTimersByTime(lookMs / 2);
    expect(leftOf(idle)).toBe(0);
    one.take();
    vi.advanceTimersByTime(4 * lookMs);
    expect([other.left(), other.closed, leftOf(idle)]).toEqual([['x'], [], 0]);
  });

  it('are let go of in a moment where thousands are lost, the oldest first', () => {
    const { add, connections, remove, left } = resting(2);
    const names = Array.from({ length: 30_000 }, (_, number) => String(number));
    add(...names);
    for (const name of names.slice(0, -1)) remove(name);
    expect([connections.count, left()]).toEqual([1, ['29999']]);
  });

  it('are none where none may be kept, to their target or their upstream', () => {
    expect([
      resting(0).connections.areNone,
      resting(1, new IdleConnections(0)).connections.areNone,
      resting(1, new IdleConnections(1)).connections.areNone,
    ]).toEqual([true, true, false]);
  });

  it('have a timer while one of them has no part of the allowance', () => {
    const { connections, add } = resting(1);
    add('a', 'b');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2 * lookMs);
    expect(vi.getTimerCount()).toBe(0);
    add('c');
    connections.takeAll();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keep no process alive', () => {
    vi.useRealTimers();
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const { connections, add } = resting(1);
    add('a', 'b');
    expect(timers()).toBe(before);
    connections.takeAll();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RestingConnections } from '../../../../../../src/adapters/outbound/upstream-clients/pool/resting-connections.js';
import { IdleConnections } from '../../../../../../src/application/upstream-targets/idle-connections.js';

/** Milliseconds within which a connection has to be used again that is one too many. */
const lookMs = 500;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const resting = (maxIdle: number, idle = new IdleConnections(100)) => {
  const closed: string[] = [];
  const connections = new RestingConnections<string>({ maxIdle, idle }, (connection) => closed.push(connection));
  const add = (...names: string[]): void => {
    for (const name of names) connections.add(name);
  };
  return { connections, add, closed, left: () => [...connections.values()] };
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
    const { connections, add } = resting(5);
    add('a', 'b', 'c');
    expect([connections.take(), connections.take(), connections.take(), connections.take()]).toEqual([
      'c',
      'b',
      'a',
      undefined,
    ]);
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
    vi.advanceTimersByTime(lookMs - 1);
    expect(closed).toEqual([]);
    // The first look finds those that were there when it was set.
    vi.advanceTimersByTime(1);
    expect(closed).toEqual(['a']);
    vi.advanceTimersByTime(lookMs);
    expect([closed, left()]).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });

  it('are all kept, however many, while all of them are used between two looks', () => {
    const { connections, add, closed, left } = resting(2);
    add('a', 'b', 'c', 'd', 'e');
    for (let turn = 0; turn < 10; turn += 1) {
      vi.advanceTimersByTime(lookMs / 2);
      const used = left().map(() => connections.take() as string);
      add(...used);
    }
    expect([closed, left()]).toEqual([[], ['a', 'b', 'c', 'd', 'e']]);
  });

  it('are closed but for as many as are used, and as may be kept', () => {
    const { connections, add, closed, left } = resting(2);
    add('a', 'b', 'c', 'd', 'e', 'f');
    for (let turn = 0; turn < 4; turn += 1) {
      // Three of them are, at the same time.
      add(...[connections.take(), connections.take(), connections.take()].map(String).reverse());
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
    one.connections.take();
    expect(leftOf(idle)).toBe(1);
    expect([other.connections.remove('z'), other.connections.remove('z')]).toEqual([true, false]);
    expect(leftOf(idle)).toBe(2);
    expect([one.connections.takeAll(), leftOf(idle)]).toEqual([['a'], 3]);
  });

  it('have what another target gives back before the next look', () => {
    const idle = new IdleConnections(2);
    const [one, other] = [resting(2, idle), resting(2, idle)];
    one.add('a', 'b');
    other.add('x');
    one.connections.take();
    vi.advanceTimersByTime(4 * lookMs);
    expect([other.left(), other.closed, leftOf(idle)]).toEqual([['x'], [], 0]);
  });

  it('are none where none may be kept, to their target or their upstream', () => {
    expect([
      resting(0).connections.areNone,
      resting(1, new IdleConnections(0)).connections.areNone,
      resting(1, new IdleConnections(1)).connections.areNone,
    ]).toEqual([true, true, false]);
  });

  it('keep no process alive, and no timer where none is too many', () => {
    const { connections, add } = resting(1);
    add('a');
    expect(vi.getTimerCount()).toBe(0);
    add('b');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(lookMs);
    expect(vi.getTimerCount()).toBe(0);
    add('c');
    connections.takeAll();
    expect(vi.getTimerCount()).toBe(0);
  });
});

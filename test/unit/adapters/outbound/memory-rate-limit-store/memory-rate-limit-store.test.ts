import { describe, expect, it } from 'vitest';
import { MemoryRateLimitStore } from '../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const limit = { requestsPerSecond: 1, burst: 2 };

const storeOf = (most: number) => {
  const clock = new ManualClock();
  const store = new MemoryRateLimitStore(clock, most);
  return { clock, store, take: (key: string, space = 'client') => store.take([{ space, key, limit }]).kind };
};

describe('buckets in memory', () => {
  it('are so many at most: the one that was not used for longest goes', () => {
    const { store, take } = storeOf(3);
    for (const key of ['a', 'a', 'b', 'b', 'c', 'c']) take(key);
    // A refusal is a use too: who is held back must not get free by staying away from the others.
    expect(take('a')).toBe('refused');
    take('d');
    expect(store.sizes()).toEqual({ client: 3 });
    expect(['a', 'c'].map((key) => take(key))).toEqual(['refused', 'refused']);
    expect(take('b')).toBe('taken');
  });

  it('of one space drive out none of another', () => {
    const { store, take } = storeOf(3);
    take('a', 'policy one');
    take('a', 'policy one');
    for (let index = 0; index < 100; index += 1) take(`client ${index}`, 'policy two');
    expect(take('a', 'policy one')).toBe('refused');
    expect(store.sizes()).toEqual({ 'policy one': 1, 'policy two': 3 });
  });

  it('go again once they are full, also those of a space that nothing is taken from any more', () => {
    const { store, clock, take } = storeOf(1_000);
    for (let index = 0; index < 500; index += 1) take(`client ${index}`, 'policy of a route that is gone');
    clock.advance(2_000);
    for (let index = 0; index < 500; index += 1) {
      take('one');
      clock.advance(1_000);
    }
    expect(Object.keys(store.sizes())).toEqual(['client']);
  });

  it('are kept for a second behind that while they are few', () => {
    const { store, clock, take } = storeOf(10_000);
    take('early');
    clock.advance(1_999);
    take('late');
    expect(store.sizes()).toEqual({ client: 2 });
    clock.advance(1);
    take('late');
    expect(store.sizes()).toEqual({ client: 1 });
  });

  it('are not kept any longer where they are many', () => {
    const { store, clock, take } = storeOf(10_000);
    for (let index = 0; index < 1_500; index += 1) take(`client ${index}`);
    clock.advance(1_000);
    take('one');
    expect(store.sizes()['client']).toBeLessThan(1_500);
    for (let index = 0; index < 500; index += 1) take('one');
    expect(store.sizes()['client']).toBeLessThanOrEqual(1_000);
  });

  it('are none for others once they are full, and stand as they were put', () => {
    const { store, clock, take } = storeOf(10);
    take('a');
    const found = store.find('client', 'a');
    expect(found).toEqual({ tokens: 1, atMs: clock.monotonicMs() });
    take('a');
    expect(found?.tokens).toBe(1);
    clock.advance(2_000);
    expect(store.find('client', 'a')).toBeNull();
    store.put({ space: 'client', key: 'a', limit }, { tokens: 0.5, atMs: clock.monotonicMs() });
    expect(take('a')).toBe('refused');
  });

  it('stay while they are not full', () => {
    const { store, clock, take } = storeOf(1_000);
    take('slow');
    clock.advance(999);
    for (let index = 0; index < 10; index += 1) take('other', 'route');
    expect(store.sizes()).toMatchObject({ client: 1 });
  });

  it('are none of those that were refused before they had any', () => {
    const { store } = storeOf(10);
    const charges = ['a', 'b'].map((key) => ({ space: key, key, limit: { requestsPerSecond: 1, burst: 1 } }));
    store.take(charges.slice(0, 1));
    expect(store.take(charges).kind).toBe('refused');
    expect(store.sizes()).toEqual({ a: 1 });
  });

  it('are those that others find and put, until they are full', () => {
    const { store, clock, take } = storeOf(10);
    take('a');
    expect(store.find('client', 'a')).toEqual({ tokens: 1, atMs: 0 });
    store.put({ space: 'client', key: 'a', limit }, { tokens: 0, atMs: 0 });
    expect(take('a')).toBe('refused');
    clock.advance(1_999);
    expect(store.find('client', 'a')).not.toBeNull();
    clock.advance(1);
    expect([store.find('client', 'a'), store.find('client', 'b'), store.find('route', 'a')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('are judged by the limit in force: one that was full by the limit before has all that the new one gives', () => {
    const { store, clock } = storeOf(10);
    const taken = (burst: number) =>
      store.take([{ space: 'client', key: 'a', limit: { requestsPerSecond: 1, burst } }]);
    taken(2);
    clock.advance(1_000);
    expect(taken(10)).toEqual({ kind: 'taken', left: [9] });
    clock.advance(500);
    // By the limit before it would be full.
    expect(store.find('client', 'a')).toEqual({ tokens: 9, atMs: 1_000 });
    expect(taken(5)).toEqual({ kind: 'taken', left: [4] });
  });

  it('are full by the limit that they were used by last', () => {
    const { store, clock } = storeOf(10);
    for (const burst of [2, 10]) {
      store.take([{ space: 'client', key: 'a', limit: { requestsPerSecond: 1, burst } }]);
    }
    clock.advance(2_000);
    expect(store.find('client', 'a')).toEqual({ tokens: 0, atMs: 0 });
  });

  it('get nothing by a clock that goes back and comes again', () => {
    const { store, clock, take } = storeOf(10);
    clock.advance(1_000);
    take('a');
    clock.advance(-600);
    take('a');
    clock.advance(600);
    expect(store.find('client', 'a')).toEqual({ tokens: 0, atMs: 1_000 });
    clock.advance(500);
    expect(take('a')).toBe('refused');
  });
});

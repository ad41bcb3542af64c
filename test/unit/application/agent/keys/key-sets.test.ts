import { describe, expect, it } from 'vitest';
import { maximumUnusedKeySets, unusedKeySetTtlMs } from '../../../../../src/application/agent/keys/key-sets.js';
import { keysAt } from '../../../../support/agent/fake-key-set-source.js';
import { formedJwk, keySetUrl, testKeySets } from '../../../../support/agent/test-key-sets.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const hour = 3_600_000;

const published = () => {
  const made = testKeySets();
  made.source.publish(formedJwk('first'));
  return made;
};

describe('KeySets', () => {
  it('shares one set among users of the same URL and interval', async () => {
    const { sets, source } = published();
    const [first, second] = [sets.acquire(keysAt(keySetUrl), hour), sets.acquire(keysAt(keySetUrl), hour)];
    await first.keys.firstLoad();
    expect(second.keys).toBe(first.keys);
    expect(source.requests).toBe(1);
    expect(sets.acquire(keysAt(keySetUrl), hour / 2).keys).not.toBe(first.keys);
    expect(sets.acquire(keysAt('https://id.example/others'), hour).keys).not.toBe(first.keys);
    expect(source.requests).toBe(3);
  });

  it('reuses a recently released set with its keys', async () => {
    const { sets, source, scheduler } = published();
    const old = sets.acquire(keysAt(keySetUrl), hour);
    await old.keys.firstLoad();
    old.release();
    await scheduler.advance(unusedKeySetTtlMs - 1);
    const next = sets.acquire(keysAt(keySetUrl), hour);
    expect(next.keys).toBe(old.keys);
    expect(next.keys.state()).toBe('fresh');
    await scheduler.advance(hour);
    expect(source.requests).toBe(2);
  });

  it('ends an unused set: no timer, no request, no effect of a late answer', async () => {
    const { sets, source, scheduler } = published();
    const [first, second] = [sets.acquire(keysAt(keySetUrl), hour), sets.acquire(keysAt(keySetUrl), hour)];
    await first.keys.firstLoad();
    first.release();
    await scheduler.advance(hour);
    expect(source.requests).toBe(2);
    source.isHeld = true;
    void first.keys.refetch(800, neverCancelled);
    second.release();
    await scheduler.advance(unusedKeySetTtlMs);
    expect(scheduler.waiting).toBe(0);
    source.publish(formedJwk('second'));
    source.letGo();
    await settled();
    expect(first.keys.find('second', 'ES256')).toBeNull();
    await scheduler.advance(2 * hour);
    expect(source.requests).toBe(3);
    expect(sets.acquire(keysAt(keySetUrl), hour).keys).not.toBe(first.keys);
  });

  it('cancels an unused fetch, which would keep the process alive', async () => {
    const { sets, source, scheduler } = published();
    source.isHeld = true;
    const { keys, release } = sets.acquire(keysAt(keySetUrl), hour);
    release();
    expect([source.cancelled, source.unanswered]).toEqual([1, 0]);
    await keys.firstLoad();
    expect(keys.refetch(800, neverCancelled)).toBe('too_soon');
    await scheduler.advance(unusedKeySetTtlMs);
    expect(source.requests).toBe(1);
  });

  it('repeats a cancelled fetch when the set is used again', async () => {
    const { sets, source } = published();
    source.isHeld = true;
    sets.acquire(keysAt(keySetUrl), hour).release();
    const { keys } = sets.acquire(keysAt(keySetUrl), hour);
    expect(source.requests).toBe(2);
    source.letGo();
    await keys.firstLoad();
    expect(keys.find('first', 'ES256')).not.toBeNull();
    expect(source.mostAtOnce).toBe(1);
  });

  it('catches up on a refresh that was due while unused', async () => {
    const { sets, source, scheduler } = published();
    const lease = sets.acquire(keysAt(keySetUrl), 60_000);
    await lease.keys.firstLoad();
    await scheduler.advance(55_000);
    lease.release();
    await scheduler.advance(6_000);
    expect(source.requests).toBe(1);
    sets.acquire(keysAt(keySetUrl), 60_000);
    expect(source.requests).toBe(2);
  });

  it('counts a doubly released lease once', async () => {
    const { sets, scheduler } = published();
    const [first, second] = [sets.acquire(keysAt(keySetUrl), hour), sets.acquire(keysAt(keySetUrl), hour)];
    first.release();
    first.release();
    await scheduler.advance(unusedKeySetTtlMs);
    expect(sets.acquire(keysAt(keySetUrl), hour).keys).toBe(second.keys);
  });

  it('keeps few unused sets, and ends the least recently used first', async () => {
    const { sets, scheduler } = published();
    const urlOf = (index: number) => `https://id.example/${index}`;
    const leases = Array.from({ length: maximumUnusedKeySets + 1 }, (_, index) =>
      sets.acquire(keysAt(urlOf(index)), hour),
    );
    const used = sets.acquire(keysAt('https://id.example/used'), hour);
    await settled();
    leases.toReversed().forEach((lease) => lease.release());
    // A refresh and the end of the time for each that is kept, a refresh for the one in use.
    expect(scheduler.waiting).toBe(2 * maximumUnusedKeySets + 1);
    expect(sets.acquire(keysAt(urlOf(0)), hour).keys).toBe(leases[0]?.keys);
    expect(sets.acquire(keysAt(urlOf(maximumUnusedKeySets)), hour).keys).not.toBe(leases[maximumUnusedKeySets]?.keys);
    expect(sets.acquire(keysAt('https://id.example/used'), hour).keys).toBe(used.keys);
  });

  it('reports how each fetch of each set ended, until released', async () => {
    const { sets, source, scheduler } = published();
    const told: string[] = [];
    const end = sets.onRefresh((result, keys) => told.push(`${keys === others ? 'others' : 'first'}: ${result}`));
    sets.acquire(keysAt(keySetUrl), hour);
    const { keys: others } = sets.acquire(keysAt('https://id.example/others'), 2 * hour);
    await settled();
    source.goDown();
    await scheduler.advance(hour + 5_000);
    end();
    await scheduler.advance(hour);
    expect(told).toEqual(['first: success', 'others: success', 'first: failure', 'first: failure']);
  });
});

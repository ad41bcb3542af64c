import { describe, expect, it } from 'vitest';
import { type KeySet, maximumRefetchWaiters } from '../../../../../src/application/agent/keys/key-set.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { keysAt } from '../../../../support/agent/fake-key-set-source.js';
import { formedJwk, keySetUrl, testKeySets, unfitNumber } from '../../../../support/agent/test-key-sets.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const hour = 3_600_000;

/** A set that has been fetched once, with the key `first`. */
const loaded = async (refreshMs = hour) => {
  const made = testKeySets();
  made.source.publish(formedJwk('first'));
  const lease = made.sets.acquire(keysAt(keySetUrl), refreshMs);
  await lease.keys.firstLoad();
  return { ...made, lease, keys: lease.keys };
};

const refetch = (keys: KeySet, longestMs = 800, cancellation: Cancellation = neverCancelled) =>
  keys.refetch(longestMs, cancellation);

describe('a key set', () => {
  it('is fetched immediately, and returns keys by kid and algorithm', async () => {
    const { keys, source } = await loaded();
    expect(source.urls).toEqual([keySetUrl]);
    expect(keys.state()).toBe('fresh');
    expect(keys.find('first', 'ES256')).toMatchObject({ kid: 'first', algorithm: 'ES256', isWithdrawn: false });
    expect(keys.find('first', 'ES384')).toBeNull();
    expect(keys.find('other', 'ES256')).toBeNull();
    expect([keys.hasKid('first'), keys.hasKid('other')]).toEqual([true, false]);
  });

  it('is fetched after each interval, and not in between', async () => {
    const { scheduler, source } = await loaded(60_000);
    await scheduler.advance(59_999);
    expect(source.requests).toBe(1);
    await scheduler.advance(1);
    expect(source.requests).toBe(2);
    await scheduler.advance(600_000);
    expect(source.requests).toBe(12);
  });

  it('is fetched randomly up to a tenth of the interval earlier', async () => {
    const { scheduler, source, random, sets } = testKeySets();
    source.publish(formedJwk('first'));
    random.value = 0.5;
    await sets.acquire(keysAt(keySetUrl), 60_000).keys.firstLoad();
    await scheduler.advance(57_000 - 1);
    expect(source.requests).toBe(1);
    await scheduler.advance(1);
    expect(source.requests).toBe(2);
  });

  it('returns the same key object while it is published, and then marks it', async () => {
    const { keys, scheduler, source } = await loaded();
    const first = keys.find('first', 'ES256');
    source.publish(formedJwk('second'), formedJwk('first'));
    await scheduler.advance(hour);
    expect(keys.find('first', 'ES256')).toBe(first);
    source.publish(formedJwk('second'));
    await scheduler.advance(hour);
    expect(keys.find('first', 'ES256')).toBeNull();
    expect(first?.isWithdrawn).toBe(true);
    expect(keys.find('second', 'ES256')?.isWithdrawn).toBe(false);
  });

  it('treats another key under the same kid as different', async () => {
    const { keys, scheduler, source } = await loaded();
    const first = keys.find('first', 'ES256');
    source.publish(formedJwk('first', 'another-number'));
    await scheduler.advance(hour);
    expect(first?.isWithdrawn).toBe(true);
    expect(keys.find('first', 'ES256')).not.toBe(first);
  });

  it('does not revive a withdrawn key that is published again', async () => {
    const { keys, scheduler, source } = await loaded();
    const first = keys.find('first', 'ES256');
    source.publish(formedJwk('second'));
    await scheduler.advance(hour);
    source.publish(formedJwk('first'));
    await scheduler.advance(hour);
    expect(first?.isWithdrawn).toBe(true);
    expect(keys.find('first', 'ES256')?.isWithdrawn).toBe(false);
  });

  it('keeps its keys during an outage, retries with backoff, and recovers', async () => {
    const { keys, scheduler, source, logger } = await loaded();
    source.goDown();
    await scheduler.advance(hour);
    expect(keys.state()).toBe('stale');
    expect(keys.lastFailure()).toBe('unreachable: nobody listens');
    expect(keys.find('first', 'ES256')?.isWithdrawn).toBe(false);
    const waits: number[] = [];
    for (let attempt = 0, seen = source.requests, waited = 0; attempt < 8; ) {
      await scheduler.advance(1_000);
      waited += 1;
      if (source.requests === seen) continue;
      waits.push(waited);
      [attempt, seen, waited] = [attempt + 1, source.requests, 0];
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    source.publish(formedJwk('first'));
    await scheduler.advance(300_000);
    expect(keys.state()).toBe('fresh');
    expect(keys.lastFailure()).toBeNull();
    expect(logger.lines.at(-1)).toMatchObject({ level: 'info', message: 'the key set is fresh again' });
  });

  it('retries at least as often as it refreshes', async () => {
    const { scheduler, source } = await loaded(12_000);
    source.goDown();
    await scheduler.advance(12_000 + 5_000 + 10_000);
    const before = source.requests;
    await scheduler.advance(120_000);
    expect(source.requests - before).toBe(10);
  });

  it.each([
    ['no set', { key: 'first' }],
    ['a list', []],
    ['an empty set', { keys: [] }],
    ['a set of what are no keys', { keys: [{}, 'first', { kid: 'first' }] }],
    ['a set of too many keys', { keys: Array.from({ length: 101 }, (_, index) => formedJwk(`key-${index}`)) }],
  ])('keeps its keys if the provider answers with %s', async (_, json) => {
    const { keys, scheduler, source } = await loaded();
    source.answerWith(json);
    await scheduler.advance(hour);
    expect(keys.state()).toBe('stale');
    expect(keys.find('first', 'ES256')?.isWithdrawn).toBe(false);
  });

  it.each([
    ['keys that cannot be made ready', formedJwk('first', unfitNumber)],
    ['keys for encryption', { ...formedJwk('first'), use: 'enc' }],
    ['shared secrets', { kty: 'oct', kid: 'first', k: 'AAAA' }],
    ['keys of a type to come', { kty: 'AKP', kid: 'first', alg: 'ML-DSA-44', pub: 'AAAA' }],
  ])('withdraws its keys if the provider publishes only %s, and logs it', async (_, jwk) => {
    const { keys, scheduler, source, logger } = await loaded();
    const first = keys.find('first', 'ES256');
    source.publish(jwk);
    await scheduler.advance(hour);
    expect(first?.isWithdrawn).toBe(true);
    expect(keys.find('first', 'ES256')).toBeNull();
    expect(keys.state()).toBe('stale');
    expect(keys.lastFailure()).toContain('none that can be used');
    expect(logger.lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['keys of the set are not used', 'the key set could not be fetched']),
    );
    source.publish(formedJwk('first'));
    await scheduler.advance(5_000);
    expect(keys.state()).toBe('fresh');
    expect(first?.isWithdrawn).toBe(true);
    expect(keys.find('first', 'ES256')?.isWithdrawn).toBe(false);
  });

  it('skips unusable keys, and logs it once while they stay the same', async () => {
    const { keys, scheduler, source, logger } = await loaded();
    source.publish(formedJwk('first'), formedJwk('weak', unfitNumber), { kty: 'oct', kid: 'shared', k: 'c2VjcmV0' });
    await scheduler.advance(3 * hour);
    expect(keys.state()).toBe('fresh');
    expect(keys.find('weak', 'ES256')).toBeNull();
    const told = logger.lines.filter(({ message }) => message === 'keys of the set are not used');
    expect(told).toHaveLength(1);
    expect(told[0]?.fields['keys']).toEqual(['shared: has secret members', 'weak: is no point of the curve']);
    expect(JSON.stringify(logger.lines)).not.toContain('c2VjcmV0');
  });

  it('notifies only its listeners about state changes', async () => {
    const { keys, scheduler, source } = await loaded();
    const states: string[] = [];
    const end = keys.onChange(() => states.push(keys.state()));
    source.goDown();
    await scheduler.advance(hour + 5_000);
    source.publish(formedJwk('first'));
    await scheduler.advance(hour);
    end();
    source.goDown();
    await scheduler.advance(hour);
    expect(states).toEqual(['stale', 'fresh']);
  });

  it('logs neither the query of its URL nor the whole of a long kid', async () => {
    const { scheduler, source, logger } = await loaded();
    source.publish(formedJwk(`k${'!'.repeat(200)}`));
    await scheduler.advance(hour);
    source.goDown();
    await scheduler.advance(hour);
    const told = JSON.stringify(logger.lines);
    expect(told).toContain('https://id.example/keys');
    expect(told).not.toContain('secret-of-the-url');
    expect(told).not.toContain('!'.repeat(65));
  });
});

describe('a refetch', () => {
  it('fetches a recently published key', async () => {
    const { keys, source } = await loaded();
    source.publish(formedJwk('first'), formedJwk('second'));
    await refetch(keys);
    expect(keys.find('second', 'ES256')).not.toBeNull();
    expect(source.requests).toBe(2);
  });

  it('is shared by concurrent requests, and not repeated for 30 seconds', async () => {
    const { keys, source, scheduler } = await loaded();
    source.isHeld = true;
    const asked = Array.from({ length: 100 }, () => refetch(keys));
    source.letGo();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['ended']));
    expect(source.requests).toBe(2);
    expect(refetch(keys)).toBe('too_soon');
    await scheduler.advance(29_999);
    expect(refetch(keys)).toBe('too_soon');
    await scheduler.advance(1);
    await refetch(keys);
    expect(source.requests).toBe(3);
  });

  it('is allowed right after a scheduled refresh, which clients cannot trigger', async () => {
    const { keys, source, scheduler } = await loaded();
    await scheduler.advance(hour);
    expect(source.requests).toBe(2);
    await refetch(keys);
    expect(source.requests).toBe(3);
  });

  it('replaces the next scheduled refresh', async () => {
    const { keys, source, scheduler } = await loaded();
    await scheduler.advance(hour / 2);
    await refetch(keys);
    await scheduler.advance(hour - 1);
    expect(source.requests).toBe(2);
    await scheduler.advance(1);
    expect(source.requests).toBe(3);
  });

  it('joins a running refresh', async () => {
    const { keys, source, scheduler } = await loaded();
    source.isHeld = true;
    await scheduler.advance(hour);
    const asked = refetch(keys);
    source.publish(formedJwk('second'));
    source.letGo();
    await asked;
    expect(keys.find('second', 'ES256')).not.toBeNull();
    expect(source.requests).toBe(2);
  });

  it("is awaited for each caller's own timeout, and its result still counts", async () => {
    const { keys, source, scheduler } = await loaded();
    source.isHeld = true;
    const ends: string[] = [];
    for (const longestMs of [500, 800]) {
      void Promise.resolve(refetch(keys, longestMs)).then((end) => ends.push(`${longestMs}: ${end}`));
    }
    await scheduler.advance(499);
    expect(ends).toEqual([]);
    await scheduler.advance(1);
    expect(ends).toEqual(['500: timed_out']);
    await scheduler.advance(300);
    expect(ends).toEqual(['500: timed_out', '800: timed_out']);
    source.publish(formedJwk('second'));
    source.letGo();
    await settled();
    expect(keys.find('second', 'ES256')).not.toBeNull();
  });

  it('has a limited number of waiters, and accepts others after they leave', async () => {
    const { keys, source, scheduler } = await loaded();
    source.isHeld = true;
    const cancellation = new CancellationSource();
    const first = refetch(keys, 800, cancellation);
    const waits = Array.from({ length: maximumRefetchWaiters - 1 }, () => refetch(keys));
    expect(waits).not.toContain('crowded');
    expect(refetch(keys)).toBe('crowded');
    cancellation.cancel();
    expect(await first).toBe('cancelled');
    const next = refetch(keys);
    expect(refetch(keys)).toBe('crowded');
    await scheduler.advance(800);
    expect(new Set(await Promise.all([next, ...waits]))).toEqual(new Set(['timed_out']));
    expect(refetch(keys)).toBeInstanceOf(Promise);
    expect(source.requests).toBe(2);
  });

  it('leaves no timer or listener after a cancelled wait', async () => {
    const { keys, source, scheduler } = await loaded();
    source.isHeld = true;
    void refetch(keys);
    const before = scheduler.waiting;
    const cancellation = new CancellationSource();
    const wait = refetch(keys, 800, cancellation);
    expect(scheduler.waiting).toBe(before + 1);
    cancellation.cancel();
    expect(await wait).toBe('cancelled');
    expect(scheduler.waiting).toBe(before);
  });
});

describe('a stopped set', () => {
  it('waits for nothing, and ignores a late answer', async () => {
    const { keys, source, scheduler, logger } = await loaded();
    source.isHeld = true;
    const asked = refetch(keys);
    const lines = logger.lines.length;
    keys.stop();
    expect(await asked).toBe('ended');
    expect(source.cancelled).toBe(1);
    expect(source.unanswered).toBe(0);
    expect(scheduler.waiting).toBe(0);
    source.publish(formedJwk('second'));
    source.letGo();
    await settled();
    expect(keys.find('second', 'ES256')).toBeNull();
    expect(keys.find('first', 'ES256')?.isWithdrawn).toBe(false);
    expect(logger.lines).toHaveLength(lines);
    expect(scheduler.waiting).toBe(0);
  });

  it('is never fetched again', async () => {
    const { keys, source, scheduler } = await loaded();
    keys.stop();
    expect(refetch(keys)).toBe('too_soon');
    await scheduler.advance(2 * hour);
    expect(source.requests).toBe(1);
  });
});

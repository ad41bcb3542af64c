import { describe, expect, it } from 'vitest';
import { ExpiringMap } from '../../../../../src/adapters/outbound/memory-session-store/expiring-map.js';
import type { MemoryStoreLimits } from '../../../../../src/adapters/outbound/memory-session-store/memory-limits.js';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { hashOf, noonMs, succeeded, testSession, testSignOnRequest } from '../../../../support/agent/test-sessions.js';

const opened = (limits: Partial<MemoryStoreLimits>) =>
  succeeded(new MemoryStoreOpener(limits).open({ kind: 'memory' }));

describe('stores in memory', () => {
  it('refuse a session where they are full of such as last, and let it in where one is over', async () => {
    const { sessions } = await opened({ sessions: 2 });
    await succeeded(sessions.insert(testSession('lasts')));
    await succeeded(sessions.insert(testSession('ends', { expiresMs: noonMs + 100 })));
    expect(await sessions.insert(testSession('early', { createdMs: noonMs + 99 }))).toEqual({
      ok: false,
      error: { reason: 'the memory session store is full' },
    });
    await succeeded(sessions.insert(testSession('in time', { createdMs: noonMs + 100 })));
    expect(await succeeded(sessions.find(hashOf('ends')))).toBeNull();
    expect(await succeeded(sessions.find(hashOf('lasts')))).not.toBeNull();
    expect(await succeeded(sessions.count())).toBe(2);
  });

  it('refuse a session that is too large beside the others, and have its room again once one is gone', async () => {
    const { sessions } = await opened({ sessionCharacters: 3_000 });
    const large = (name: string) =>
      testSession(name, { attributes: [{ name: 'a', values: ['x'.repeat(1_000), 'y'.repeat(800)] }] });
    expect(await sessions.insert(large('one'))).toMatchObject({ ok: true });
    expect(await sessions.insert(large('two'))).toMatchObject({ ok: false });
    for (let round = 0; round < 5; round += 1) {
      await succeeded(sessions.touch([{ idHash: hashOf('one'), lastSeenMs: noonMs + round }]));
      await succeeded(sessions.remove(hashOf('one')));
      await succeeded(sessions.insert(large('one')));
    }
    expect(await sessions.insert(large('two'))).toMatchObject({ ok: false });
    await succeeded(sessions.removeOfUser('alice'));
    expect(await sessions.insert(large('two'))).toMatchObject({ ok: true });
  });

  it('refuse new details that are too large beside the other sessions, and count those that they have', async () => {
    const { sessions } = await opened({ sessionCharacters: 3_000 });
    await succeeded(sessions.insert(testSession('one')));
    const { idHash } = testSession('one');
    const renew = async (length: number) => {
      await sessions.takeRefreshLease({ idHash, holder: 'h', untilMs: noonMs + 1, nowMs: noonMs });
      const details = { token: 'x'.repeat(length) };
      return sessions.endRefresh({ idHash, holder: 'h', details, backoffUntilMs: 0 });
    };
    expect(await renew(3_000)).toEqual({ ok: false, error: { reason: 'the memory session store is full' } });
    for (let round = 0; round < 5; round += 1) expect(await succeeded(renew(2_000 + round))).toBe(true);
    const large = testSession('two', { attributes: [{ name: 'a', values: ['x'.repeat(800)] }] });
    expect(await sessions.insert(large)).toMatchObject({ ok: false });
    expect(await succeeded(renew(10))).toBe(true);
    expect(await sessions.insert(large)).toMatchObject({ ok: true });
  });

  it('fail to remember a message where they are full of such as count, rather than forget one', async () => {
    const { replays } = await opened({ replays: 2 });
    const remember = (key: string, untilMs: number, nowMs: number) => replays.remember(key, untilMs, nowMs);
    expect(await succeeded(remember('lasts', noonMs + 500, noonMs))).toBe('first');
    expect(await succeeded(remember('ends', noonMs + 100, noonMs))).toBe('first');
    expect(await remember('early', noonMs + 500, noonMs + 99)).toEqual({
      ok: false,
      error: { reason: 'the memory replay store is full' },
    });
    expect(await succeeded(remember('lasts', noonMs + 500, noonMs + 99))).toBe('seen');
    expect(await succeeded(remember('in time', noonMs + 500, noonMs + 100))).toBe('first');
    expect(await succeeded(remember('lasts', noonMs + 500, noonMs + 100))).toBe('seen');
    expect(await succeeded(remember('lasts', noonMs + 900, noonMs + 500))).toBe('first');
  });

  it('keep so many characters of requests: the oldest make way, and one that is longer than all may be is refused', async () => {
    const { requests } = await opened({ requestCharacters: 3_500 });
    const insert = (name: string, length: number) =>
      requests.insert({ ...testSignOnRequest(name), returnTo: `/${'x'.repeat(length)}` });
    for (const name of ['one', 'two', 'three']) await succeeded(insert(name, 500));
    await succeeded(insert('long', 1_500));
    expect(await succeeded(requests.take(hashOf('one'), noonMs))).toBeNull();
    expect(await succeeded(requests.take(hashOf('three'), noonMs))).not.toBeNull();
    expect(await insert('too long', 4_000)).toMatchObject({ ok: false });
    // What was taken or is over leaves its room.
    await succeeded(requests.removeExpired(Number.MAX_SAFE_INTEGER, 100));
    for (let round = 0; round < 5; round += 1) {
      await succeeded(insert('again', 2_500));
      expect(await succeeded(requests.take(hashOf('again'), noonMs))).not.toBeNull();
    }
    await succeeded(insert('first', 1_000));
    await succeeded(insert('second', 1_000));
    expect(await succeeded(requests.take(hashOf('first'), noonMs))).not.toBeNull();
  });

  it('are empty each time they are opened', async () => {
    const opener = new MemoryStoreOpener();
    const one = await succeeded(opener.open({ kind: 'memory' }));
    const other = await succeeded(opener.open({ kind: 'memory' }));
    await succeeded(one.requests.insert(testSignOnRequest('one')));
    expect(await succeeded(other.requests.take(hashOf('one'), noonMs))).toBeNull();
    expect(await opener.open({ kind: 'sqlite', path: '/nowhere' })).toMatchObject({ ok: false });
  });
});

describe('a map whose entries have an end', () => {
  it('gives what is over after any order of coming and going, as a plain search does', () => {
    const map = new ExpiringMap<number>((end) => end);
    const plain = new Map<string, number>();
    // A fixed sequence of numbers that looks like none.
    let state = 12_345;
    const next = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % below;
    };
    for (let step = 0; step < 5_000; step += 1) {
      const key = `k${next(40)}`;
      const now = step + next(20);
      if (next(3) > 0) {
        const end = step + next(60);
        map.set(key, end);
        plain.set(key, end);
      } else if (next(2) > 0) {
        expect(map.delete(key)).toBe(plain.delete(key));
      } else {
        const limit = 1 + next(50);
        const expected = [...plain].filter(([, end]) => end <= now).map(([name]) => name);
        const over = map.expired(now, limit);
        expect(over).toHaveLength(Math.min(limit, expected.length));
        expect(new Set([...over, ...expected])).toEqual(new Set(expected));
        expect(new Set(over).size).toBe(over.length);
        for (const name of over) {
          map.delete(name);
          plain.delete(name);
        }
      }
      expect([map.size, map.firstKey()]).toEqual([plain.size, plain.keys().next().value]);
      expect([...map.values()]).toEqual([...plain.values()]);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { maximumLookUps } from '../../../../../src/application/agent/sessions/session-cache.js';
import type { SessionCheckResult } from '../../../../../src/application/agent/sessions/session-check-result.js';
import {
  preparedIdentityOf,
  rememberedSessions,
  type SwappedSessionsParts,
  sessionIdOf,
  sessionOf,
} from '../../../../support/agent/remembered-sessions.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const ann = sessionIdOf('ann');

const opened = async (swapped: SwappedSessionsParts = {}) => {
  const test = rememberedSessions(swapped);
  const session = sessionOf('ann', test.clock.wallMs());
  expect(await test.sessions.open(session)).toEqual({ ok: true, value: undefined });
  return { ...test, session };
};

/** A store that has the session of ann, of which nothing is remembered. */
const stored = (swapped: SwappedSessionsParts = {}) => {
  const test = rememberedSessions(swapped);
  const session = sessionOf('ann', test.clock.wallMs());
  test.store.sessions.set(session.idHash, session);
  return { ...test, session };
};

const kindOf = (result: SessionCheckResult | Promise<SessionCheckResult>): string =>
  result instanceof Promise ? 'a promise' : result.kind;

describe('an opened session', () => {
  it('is in the store, and is checked without asking the store', async () => {
    const { sessions, store, session } = await opened();
    expect(store.sessions.get(session.idHash)).toEqual(session);
    expect(sessions.check(ann)).toEqual({ kind: 'active', prepared: preparedIdentityOf(session), session });
    expect(store.asked('find')).toBe(0);
  });

  it('does not exist if the store refused it', async () => {
    const { sessions, store, clock } = rememberedSessions();
    store.isDown = true;
    expect(await sessions.open(sessionOf('ann', clock.wallMs()))).toEqual({
      ok: false,
      error: { reason: 'the disk is full' },
    });
    store.isDown = false;
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
  });

  it('is not cached before the store has it', async () => {
    const { sessions, store, clock } = rememberedSessions();
    store.hold('insert');
    const opening = sessions.open(sessionOf('ann', clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('a promise');
    store.letGo();
    await opening;
    expect(kindOf(sessions.check(ann))).toBe('active');
  });

  it('is active although a lookup just before found nothing', async () => {
    const { sessions, clock } = rememberedSessions();
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    await sessions.open(sessionOf('ann', clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('active');
  });

  it('expires at its end, even if cached', async () => {
    const { sessions, clock, session } = await opened();
    clock.advance(session.expiresMs - clock.wallMs() - 1);
    expect((await sessions.check(ann)).kind).toBe('active');
    clock.advance(1);
    expect(sessions.check(ann)).toEqual({ kind: 'expired' });
  });
});

describe('a session in the store', () => {
  it('is found by its id, and cached', async () => {
    const { sessions, store, session } = stored();
    expect(await sessions.check(ann)).toMatchObject({ kind: 'active', session: { userId: 'ann' } });
    expect(sessions.check(ann)).toMatchObject({ kind: 'active', session });
    expect(store.asked('find')).toBe(1);
  });

  it('is looked up once for concurrent requests', async () => {
    const { sessions, store } = stored();
    store.hold('find');
    const checks = Array.from({ length: 50 }, () => sessions.check(ann));
    store.letGo();
    for (const result of await Promise.all(checks)) expect(result.kind).toBe('active');
    expect(store.asked('find')).toBe(1);
  });

  it('has its headers prepared once', async () => {
    let made = 0;
    const { sessions, scheduler } = stored({
      prepare: (session) => {
        made += 1;
        return preparedIdentityOf(session);
      },
    });
    for (let times = 0; times < 5; times += 1) {
      expect((await sessions.check(ann)).kind).toBe('active');
      await scheduler.advance(6_000);
    }
    expect(made).toBe(1);
  });

  it('has its headers prepared anew after another process renews its details', async () => {
    const prepare: SwappedSessionsParts['prepare'] = (session) =>
      preparedIdentityOf({ ...session, userId: `${session.details['claims']}` });
    const { sessions, store, scheduler, session } = stored({ prepare });
    store.sessions.set(session.idHash, { ...session, details: { claims: 'old' } });
    const claims = async () => {
      const result = await sessions.check(ann);
      return result.kind === 'active' ? result.prepared.identity.userId : result.kind;
    };
    expect(await claims()).toBe('old');
    store.sessions.set(session.idHash, { ...session, details: { claims: 'new' } });
    await scheduler.advance(4_999);
    expect(await claims()).toBe('old');
    await scheduler.advance(1);
    expect(await claims()).toBe('new');
  });

  it('is ignored if another identity provider is configured now', async () => {
    let issuer: string | null = null;
    const { sessions } = stored({ accepts: ({ provider }) => issuer === null || provider === issuer });
    expect((await sessions.check(ann)).kind).toBe('active');
    issuer = 'https://other.example/metadata';
    expect(sessions.check(ann)).toEqual({ kind: 'unknown' });
  });

  it('expires 5 s after it ends in another process, and the store is not asked earlier', async () => {
    const { sessions, store, scheduler, session } = stored();
    expect((await sessions.check(ann)).kind).toBe('active');
    store.sessions.delete(session.idHash);
    await scheduler.advance(4_999);
    expect(kindOf(sessions.check(ann))).toBe('active');
    await scheduler.advance(1);
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    expect(store.asked('find')).toBe(2);
  });
});

describe('an id without a session', () => {
  it.each([
    ['is empty', ''],
    ['is too short', ann.slice(1)],
    ['is too long', `${ann}A`],
    ['holds other characters', `${ann.slice(1)}=`],
    ['holds a line break', `${ann.slice(1)}\n`],
    ['is the hash of one', sessionOf('ann', 0).idHash],
  ])('that %s is unknown without asking the store', (_, id) => {
    const { sessions, store } = stored();
    expect(sessions.check(id)).toEqual({ kind: 'unknown' });
    expect(store.calls).toEqual([]);
  });

  it('is unknown, and the store is not asked again for 2 s', async () => {
    const { sessions, store, clock } = rememberedSessions();
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    clock.advance(1_999);
    expect(sessions.check(ann)).toEqual({ kind: 'unknown' });
    clock.advance(1);
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    expect(store.asked('find')).toBe(2);
  });

  it('causes a limited number of concurrent store lookups', async () => {
    const { sessions, store } = rememberedSessions();
    store.hold('find');
    const many = Array.from({ length: maximumLookUps + 10 }, (_, index) =>
      sessions.check(sessionIdOf(`made-up-${index}`)),
    );
    expect(store.asked('find')).toBe(maximumLookUps);
    store.letGo();
    const kinds = (await Promise.all(many)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'unknown')).toHaveLength(maximumLookUps);
    expect(kinds.filter((kind) => kind === 'unavailable')).toHaveLength(10);
  });

  it('evicts no session, for any number of unknown ids', async () => {
    const { sessions, store } = await opened({ memory: { maximumEntries: 2, maximumSize: 100_000 } });
    for (let index = 0; index < 100; index += 1) await sessions.check(sessionIdOf(`made-up-${index}`));
    expect(kindOf(sessions.check(ann))).toBe('active');
    expect(store.asked('find')).toBe(100);
  });
});

describe('the session cache', () => {
  it.each([
    ['so many sessions', { maximumEntries: 2, maximumSize: 1_000_000 }],
    ['so many characters', { maximumEntries: 100, maximumSize: 1_400 }],
  ])('holds %s, those used last', async (_, memory) => {
    const { sessions, store, clock } = rememberedSessions({ memory });
    for (const name of ['ann', 'bob']) await sessions.open(sessionOf(name, clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('active');
    await sessions.open(sessionOf('eve', clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('active');
    expect(kindOf(sessions.check(sessionIdOf('eve')))).toBe('active');
    expect(kindOf(sessions.check(sessionIdOf('bob')))).toBe('a promise');
    expect(store.asked('find')).toBe(1);
  });

  it('stores nothing that would evict everything else', async () => {
    const { sessions, clock } = await opened({ memory: { maximumEntries: 10, maximumSize: 5_000 } });
    const attributes = [{ name: 'photo', values: ['x'.repeat(5_000)] }];
    await sessions.open(sessionOf('bob', clock.wallMs(), { attributes }));
    expect(kindOf(sessions.check(ann))).toBe('active');
    expect((await sessions.check(sessionIdOf('bob'))).kind).toBe('active');
  });
});

describe('while the store is unavailable', () => {
  it('a cached session stays active for a minute, and no longer', async () => {
    const { sessions, store, clock } = await opened();
    store.isDown = true;
    for (let second = 1; second < 60; second += 1) {
      clock.advance(1_000);
      expect((await sessions.check(ann)).kind).toBe('active');
    }
    // Once in five seconds, not for every request.
    expect(store.asked('find')).toBe(11);
    clock.advance(1_000);
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    store.isDown = false;
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('other sessions are unavailable, not unknown, and are found after recovery', async () => {
    const { sessions, store } = stored();
    store.isDown = true;
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    store.isDown = false;
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('a session still expires at its end', async () => {
    const { sessions, store, clock } = rememberedSessions();
    const nowMs = clock.wallMs();
    await sessions.open(sessionOf('ann', nowMs, { expiresMs: nowMs + 10_000 }));
    store.isDown = true;
    clock.advance(10_000);
    expect(await sessions.check(ann)).toEqual({ kind: 'expired' });
  });
});

describe('the idle timeout', () => {
  const idleMs = 60_000;

  it('ends a session, by the cache and by the store', async () => {
    const { sessions, another, scheduler } = await opened({ idleMs });
    await scheduler.advance(idleMs);
    expect(await sessions.check(ann)).toEqual({ kind: 'expired' });
    expect(await another().check(ann)).toEqual({ kind: 'expired' });
  });

  it('restarts with every use, before the store records it', async () => {
    const { sessions, scheduler, store } = await opened({ idleMs });
    store.isDown = true;
    for (let times = 0; times < 3; times += 1) {
      await scheduler.advance(idleMs / 2);
      store.isDown = false;
      expect((await sessions.check(ann)).kind).toBe('active');
      store.isDown = true;
    }
  });

  it('counts from the last use although the session was evicted', async () => {
    const { sessions, scheduler, clock } = await opened({ idleMs, memory: { maximumEntries: 1, maximumSize: 10_000 } });
    await scheduler.advance(idleMs - 1_000);
    expect((await sessions.check(ann)).kind).toBe('active');
    await sessions.open(sessionOf('bob', clock.wallMs()));
    await scheduler.advance(2_000);
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('does not end a session in use in another process', async () => {
    const { sessions, another, scheduler } = await opened({ idleMs });
    const elsewhere = another();
    for (let times = 0; times < 20; times += 1) {
      await scheduler.advance(10_000);
      expect((await elsewhere.check(ann)).kind).toBe('active');
    }
    expect((await sessions.check(ann)).kind).toBe('active');
  });
});

describe('the last use', () => {
  it('is written asynchronously, once for many uses', async () => {
    const { sessions, scheduler, store, session, clock } = await opened();
    const begunMs = clock.wallMs();
    for (let times = 0; times < 9; times += 1) {
      await scheduler.advance(1_000);
      await sessions.check(ann);
    }
    expect(store.touches).toEqual([]);
    await scheduler.advance(2_000);
    expect(store.touches).toEqual([1]);
    expect(store.sessions.get(session.idHash)?.lastSeenMs).toBe(begunMs + 9_000);
    await scheduler.advance(60_000);
    expect(store.touches).toEqual([1]);
    expect(scheduler.waiting).toBe(0);
  });

  it('is written within a quarter of the idle timeout', async () => {
    const { sessions, scheduler, store } = await opened({ idleMs: 8_000 });
    await scheduler.advance(1);
    await sessions.check(ann);
    await scheduler.advance(2_000);
    expect(store.touches).toEqual([1]);
  });

  it('is written for a limited number at a time', async () => {
    const { sessions, clock, store } = rememberedSessions();
    const names = Array.from({ length: 1_200 }, (_, index) => `user-${index}`);
    for (const name of names) await sessions.open(sessionOf(name, clock.wallMs()));
    clock.advance(1);
    for (const name of names) await sessions.check(sessionIdOf(name));
    await sessions.flush();
    expect(store.touches).toEqual([500, 500, 200]);
    await sessions.flush();
    expect(store.touches).toEqual([500, 500, 200]);
  });

  it('is written later if the store is unavailable', async () => {
    const { sessions, scheduler, store, clock, session } = await opened();
    await scheduler.advance(1);
    await sessions.check(ann);
    const seenMs = clock.wallMs();
    store.isDown = true;
    await scheduler.advance(10_000);
    expect(store.asked('touch')).toBe(1);
    store.isDown = false;
    await scheduler.advance(10_000);
    expect(store.sessions.get(session.idHash)?.lastSeenMs).toBe(seenMs);
    expect(scheduler.waiting).toBe(0);
  });

  it('is not lost during another write', async () => {
    const { sessions, store, clock, session } = await opened();
    clock.advance(1);
    await sessions.check(ann);
    store.hold('touch');
    const flushed = sessions.flush();
    clock.advance(1);
    await sessions.check(ann);
    store.letGo();
    await flushed;
    await sessions.flush();
    expect(store.sessions.get(session.idHash)?.lastSeenMs).toBe(clock.wallMs());
  });

  it('is written at shutdown, and no timer remains', async () => {
    const { sessions, scheduler, store, clock, session } = await opened();
    clock.advance(5);
    await sessions.check(ann);
    const seenMs = clock.wallMs();
    await sessions.stop();
    expect(store.sessions.get(session.idHash)?.lastSeenMs).toBe(seenMs);
    clock.advance(5);
    expect((await sessions.check(ann)).kind).toBe('active');
    expect(scheduler.waiting).toBe(0);
  });

  it('does not block shutdown if the store fails', async () => {
    const { sessions, scheduler, store, clock } = await opened();
    clock.advance(5);
    await sessions.check(ann);
    store.isDown = true;
    await sessions.stop();
    expect(scheduler.waiting).toBe(0);
  });
});

describe('the end of a session', () => {
  it('returns the session once, and ends it', async () => {
    const { sessions, store, session } = await opened();
    expect(await sessions.end(ann)).toEqual({ ok: true, value: session });
    expect(store.sessions.size).toBe(0);
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    expect(await sessions.end(ann)).toEqual({ ok: true, value: null });
    expect(await sessions.end('no id')).toEqual({ ok: true, value: null });
  });

  it('returns the session to only one of two callers', async () => {
    const { sessions } = await opened();
    const ends = await Promise.all([sessions.end(ann), sessions.end(ann)]);
    expect(ends.filter((end) => end.ok && end.value !== null)).toHaveLength(1);
  });

  it.each(['find', 'remove'] as const)('applies to requests that arrive during it (%s)', async (method) => {
    const { sessions, store, scheduler } = await opened();
    await scheduler.advance(6_000);
    // Has read the session, and is told of it only once that has ended.
    store.hold('find');
    const before = sessions.check(ann);
    store.letGo();
    store.hold(method);
    const ending = sessions.end(ann);
    await settled();
    const meanwhile = sessions.check(ann);
    store.letGo();
    await ending;
    await before;
    await meanwhile;
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
  });

  it('is not undone by a lookup that began before it', async () => {
    const { sessions, store } = await opened();
    const elsewhere = sessionIdOf('bob');
    await sessions.open(sessionOf('bob', 0));
    store.hold('remove');
    const ending = sessions.end(ann);
    await settled();
    store.hold('find');
    const late = sessions.check(ann);
    store.letGo();
    await ending;
    expect(await late).toEqual({ kind: 'unknown' });
    expect(await sessions.check(elsewhere)).toEqual({ kind: 'expired' });
  });

  it('is verified by the next request if its result is unknown', async () => {
    const { sessions, store } = await opened();
    store.isDown = true;
    expect((await sessions.end(ann)).ok).toBe(false);
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    store.isDown = false;
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('is not overwritten by the last use', async () => {
    const { sessions, store, clock } = await opened();
    clock.advance(1);
    await sessions.check(ann);
    await sessions.end(ann);
    await sessions.flush();
    expect(store.touches).toEqual([]);
  });
});

describe('a sign-out by the identity provider', () => {
  const subject = {
    method: 'saml',
    provider: sessionOf('ann', 0).provider,
    subject: 'ann',
    sessionIndexes: [],
  } as const;

  it('ends every session of the subject, cached ones immediately', async () => {
    const { sessions, clock } = await opened();
    const second = sessionIdOf('ann on the phone');
    const { logout } = sessionOf('ann', 0);
    await sessions.open(sessionOf('ann on the phone', clock.wallMs(), { logout }));
    await sessions.open(sessionOf('bob', clock.wallMs()));
    expect(await sessions.endOfSubject(subject)).toMatchObject({ ok: true, value: { length: 2 } });
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    expect(await sessions.check(second)).toEqual({ kind: 'unknown' });
    expect(kindOf(sessions.check(sessionIdOf('bob')))).toBe('active');
  });

  it('overrides a lookup that found the session before', async () => {
    const { sessions, store, session } = stored();
    store.hold('find');
    const late = sessions.check(ann);
    expect(await sessions.endOfSubject(subject)).toEqual({ ok: true, value: [session.idHash] });
    store.letGo();
    expect(await late).toEqual({ kind: 'unknown' });
    expect(store.sessions.has(session.idHash)).toBe(false);
  });

  it('removes the subject from the cache if its result is unknown', async () => {
    const { sessions, store, clock } = await opened();
    await sessions.open(sessionOf('bob', clock.wallMs()));
    store.isDown = true;
    expect((await sessions.endOfSubject(subject)).ok).toBe(false);
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    expect(kindOf(sessions.check(sessionIdOf('bob')))).toBe('active');
  });
});

describe('a new configuration', () => {
  const renamed: SwappedSessionsParts['prepare'] = ({ userId }) =>
    preparedIdentity({ method: 'saml', userId, claims: null, certificate: null }, [
      { kind: 'set', name: 'X-New-User', value: userId },
    ]);

  it('keeps the cache while the store is unavailable, with its own headers', async () => {
    const { sessions, successor, store } = await opened();
    store.isDown = true;
    const next = successor({ prepare: renamed });
    expect(next.check(ann)).toMatchObject({
      kind: 'active',
      prepared: { operations: [{ name: 'X-New-User', value: 'ann' }] },
    });
    expect(sessions.check(ann)).toMatchObject({ prepared: { operations: [{ name: 'X-User-Id' }] } });
  });

  it('prepares the headers of a session once', async () => {
    const { successor } = await opened();
    let made = 0;
    const next = successor({
      prepare: (session) => {
        made += 1;
        return preparedIdentityOf(session);
      },
    });
    for (let times = 0; times < 3; times += 1) expect(kindOf(next.check(ann))).toBe('active');
    expect(made).toBe(1);
  });

  it('has its own idle timeout and provider', async () => {
    const { successor, clock } = await opened();
    clock.advance(4_000);
    expect(kindOf(successor({ accepts: ({ provider }) => provider === 'https://other.example' }).check(ann))).toBe(
      'unknown',
    );
    expect(kindOf(successor({ idleMs: 12_000 }).check(ann))).toBe('a promise');
    expect(kindOf(successor({ idleMs: 40_000 }).check(ann))).toBe('active');
  });

  it('immediately knows sessions that its predecessor ended, even during a lookup', async () => {
    const { sessions, successor, store, clock } = await opened();
    const next = successor();
    clock.advance(5_000);
    store.hold('find');
    const asked = next.check(ann);
    const ended = sessions.end(ann);
    await settled();
    store.letGo();
    await ended;
    expect(await asked).toEqual({ kind: 'unknown' });
    expect(kindOf(next.check(ann))).toBe('unknown');
  });
});

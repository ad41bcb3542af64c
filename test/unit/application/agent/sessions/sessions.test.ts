import { describe, expect, it } from 'vitest';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { maximumLookUps } from '../../../../../src/application/agent/sessions/known-sessions.js';
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

describe('a session that was opened', () => {
  it('is in the store, and checked at once without asking that', async () => {
    const { sessions, store, session } = await opened();
    expect(store.sessions.get(session.idHash)).toEqual(session);
    expect(sessions.check(ann)).toEqual({ kind: 'active', prepared: preparedIdentityOf(session), session });
    expect(store.asked('find')).toBe(0);
  });

  it('is none where the store would not take it', async () => {
    const { sessions, store, clock } = rememberedSessions();
    store.isDown = true;
    expect(await sessions.open(sessionOf('ann', clock.wallMs()))).toEqual({
      ok: false,
      error: { reason: 'the disk is full' },
    });
    store.isDown = false;
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
  });

  it('is not remembered before the store has it', async () => {
    const { sessions, store, clock } = rememberedSessions();
    store.hold('insert');
    const opening = sessions.open(sessionOf('ann', clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('a promise');
    store.letGo();
    await opening;
    expect(kindOf(sessions.check(ann))).toBe('active');
  });

  it('counts although somebody has asked for it a moment before', async () => {
    const { sessions, clock } = rememberedSessions();
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    await sessions.open(sessionOf('ann', clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('active');
  });

  it('is over at its end, remembered as it is', async () => {
    const { sessions, clock, session } = await opened();
    clock.advance(session.expiresMs - clock.wallMs() - 1);
    expect((await sessions.check(ann)).kind).toBe('active');
    clock.advance(1);
    expect(sessions.check(ann)).toEqual({ kind: 'expired' });
  });
});

describe('a session that the store has', () => {
  it('is found by its id, and remembered', async () => {
    const { sessions, store, session } = stored();
    expect(await sessions.check(ann)).toMatchObject({ kind: 'active', session: { userId: 'ann' } });
    expect(sessions.check(ann)).toMatchObject({ kind: 'active', session });
    expect(store.asked('find')).toBe(1);
  });

  it('is looked up once for all who ask at the same time', async () => {
    const { sessions, store } = stored();
    store.hold('find');
    const checks = Array.from({ length: 50 }, () => sessions.check(ann));
    store.letGo();
    for (const result of await Promise.all(checks)) expect(result.kind).toBe('active');
    expect(store.asked('find')).toBe(1);
  });

  it('has its headers made once', async () => {
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

  it('does not count where it is of another identity provider than the one that does now', async () => {
    let issuer: string | null = null;
    const { sessions } = stored({ provider: () => issuer });
    expect((await sessions.check(ann)).kind).toBe('active');
    issuer = 'https://other.example/metadata';
    expect(sessions.check(ann)).toEqual({ kind: 'unknown' });
  });

  it('that ends in another process is over 5 s later, and no sooner is the store asked again', async () => {
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
  ])('that %s is unknown without the store being asked', (_, id) => {
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

  it('holds up no one, however many come at once: the store is asked so many things at a time', async () => {
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

  it('forgets no session, however many come one after the other', async () => {
    const { sessions, store } = await opened({ memory: { maximumEntries: 2, maximumSize: 100_000 } });
    for (let index = 0; index < 100; index += 1) await sessions.check(sessionIdOf(`made-up-${index}`));
    expect(kindOf(sessions.check(ann))).toBe('active');
    expect(store.asked('find')).toBe(100);
  });
});

describe('what is remembered', () => {
  it.each([
    ['so many sessions', { maximumEntries: 2, maximumSize: 1_000_000 }],
    ['so many characters', { maximumEntries: 100, maximumSize: 1_400 }],
  ])('is %s, those used last', async (_, memory) => {
    const { sessions, store, clock } = rememberedSessions({ memory });
    for (const name of ['ann', 'bob']) await sessions.open(sessionOf(name, clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('active');
    await sessions.open(sessionOf('eve', clock.wallMs()));
    expect(kindOf(sessions.check(ann))).toBe('active');
    expect(kindOf(sessions.check(sessionIdOf('eve')))).toBe('active');
    expect(kindOf(sessions.check(sessionIdOf('bob')))).toBe('a promise');
    expect(store.asked('find')).toBe(1);
  });

  it('is nothing that would push out everything else', async () => {
    const { sessions, clock } = await opened({ memory: { maximumEntries: 10, maximumSize: 5_000 } });
    const attributes = [{ name: 'photo', values: ['x'.repeat(5_000)] }];
    await sessions.open(sessionOf('bob', clock.wallMs(), { attributes }));
    expect(kindOf(sessions.check(ann))).toBe('active');
    expect((await sessions.check(sessionIdOf('bob'))).kind).toBe('active');
  });
});

describe('while the store cannot be asked', () => {
  it('a session that it had serves on for a minute, and no longer', async () => {
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

  it('others are unavailable rather than unknown, and found as soon as it can be asked', async () => {
    const { sessions, store } = stored();
    store.isDown = true;
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    store.isDown = false;
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('a session is over at its end all the same', async () => {
    const { sessions, store, clock } = rememberedSessions();
    const nowMs = clock.wallMs();
    await sessions.open(sessionOf('ann', nowMs, { expiresMs: nowMs + 10_000 }));
    store.isDown = true;
    clock.advance(10_000);
    expect(await sessions.check(ann)).toEqual({ kind: 'expired' });
  });
});

describe('the time without use', () => {
  const idleMs = 60_000;

  it('ends a session, by what is remembered and by what the store says', async () => {
    const { sessions, another, scheduler } = await opened({ idleMs });
    await scheduler.advance(idleMs);
    expect(await sessions.check(ann)).toEqual({ kind: 'expired' });
    expect(await another().check(ann)).toEqual({ kind: 'expired' });
  });

  it('begins anew with every use, before the store is told of it', async () => {
    const { sessions, scheduler, store } = await opened({ idleMs });
    store.isDown = true;
    for (let times = 0; times < 3; times += 1) {
      await scheduler.advance(idleMs / 2);
      store.isDown = false;
      expect((await sessions.check(ann)).kind).toBe('active');
      store.isDown = true;
    }
  });

  it('is counted from the last use although the session is no more remembered', async () => {
    const { sessions, scheduler, clock } = await opened({ idleMs, memory: { maximumEntries: 1, maximumSize: 10_000 } });
    await scheduler.advance(idleMs - 1_000);
    expect((await sessions.check(ann)).kind).toBe('active');
    await sessions.open(sessionOf('bob', clock.wallMs()));
    await scheduler.advance(2_000);
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('is not over where the session is used in another process', async () => {
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
  it('is written behind, once for many uses', async () => {
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

  it('is written within a quarter of the time without use', async () => {
    const { sessions, scheduler, store } = await opened({ idleMs: 8_000 });
    await scheduler.advance(1);
    await sessions.check(ann);
    await scheduler.advance(2_000);
    expect(store.touches).toEqual([1]);
  });

  it('is written for so many at a time', async () => {
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

  it('is written later where the store cannot be asked', async () => {
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

  it('is not lost that comes while another is being written', async () => {
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

  it('is written at the end, and no timer stays', async () => {
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

  it('ends although the store fails at the end', async () => {
    const { sessions, scheduler, store, clock } = await opened();
    clock.advance(5);
    await sessions.check(ann);
    store.isDown = true;
    await sessions.stop();
    expect(scheduler.waiting).toBe(0);
  });
});

describe('the end of a session', () => {
  it('gives it back, once, and it counts no more', async () => {
    const { sessions, store, session } = await opened();
    expect(await sessions.end(ann)).toEqual({ ok: true, value: session });
    expect(store.sessions.size).toBe(0);
    expect(await sessions.check(ann)).toEqual({ kind: 'unknown' });
    expect(await sessions.end(ann)).toEqual({ ok: true, value: null });
    expect(await sessions.end('no id')).toEqual({ ok: true, value: null });
  });

  it('comes to one alone of two who ask for it', async () => {
    const { sessions } = await opened();
    const ends = await Promise.all([sessions.end(ann), sessions.end(ann)]);
    expect(ends.filter((end) => end.ok && end.value !== null)).toHaveLength(1);
  });

  it.each(['find', 'remove'] as const)('holds for requests that come in the middle of it (%s)', async (method) => {
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

  it('is not undone by a look-up that read the session before it', async () => {
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

  it('that may not have come about is looked up by the next request', async () => {
    const { sessions, store } = await opened();
    store.isDown = true;
    expect((await sessions.end(ann)).ok).toBe(false);
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    store.isDown = false;
    expect((await sessions.check(ann)).kind).toBe('active');
  });

  it('is not written over by the last use', async () => {
    const { sessions, store, clock } = await opened();
    clock.advance(1);
    await sessions.check(ann);
    await sessions.end(ann);
    await sessions.flush();
    expect(store.touches).toEqual([]);
  });
});

describe('a sign-out by the identity provider', () => {
  const subject = { provider: sessionOf('ann', 0).provider, subject: 'ann', sessionIndexes: [] };

  it('ends every session of the subject, those that are remembered at once', async () => {
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

  it('wins over a look-up that found the session before', async () => {
    const { sessions, store, session } = stored();
    store.hold('find');
    const late = sessions.check(ann);
    expect(await sessions.endOfSubject(subject)).toEqual({ ok: true, value: [session.idHash] });
    store.letGo();
    expect(await late).toEqual({ kind: 'unknown' });
    expect(store.sessions.has(session.idHash)).toBe(false);
  });

  it('that may not have come about leaves nothing remembered of the subject', async () => {
    const { sessions, store, clock } = await opened();
    await sessions.open(sessionOf('bob', clock.wallMs()));
    store.isDown = true;
    expect((await sessions.endOfSubject(subject)).ok).toBe(false);
    expect(await sessions.check(ann)).toEqual({ kind: 'unavailable' });
    expect(kindOf(sessions.check(sessionIdOf('bob')))).toBe('active');
  });
});

describe('a configuration that takes over', () => {
  const renamed: SwappedSessionsParts['prepare'] = ({ userId }) =>
    preparedIdentity({ method: 'saml', userId, claims: null, certificate: null }, [
      { kind: 'set', name: 'X-New-User', value: userId },
    ]);

  it('goes on with what is remembered while the store cannot be asked, and tells of it in its own way', async () => {
    const { sessions, successor, store } = await opened();
    store.isDown = true;
    const next = successor({ prepare: renamed });
    expect(next.check(ann)).toMatchObject({
      kind: 'active',
      prepared: { operations: [{ name: 'X-New-User', value: 'ann' }] },
    });
    expect(sessions.check(ann)).toMatchObject({ prepared: { operations: [{ name: 'X-User-Id' }] } });
  });

  it('makes the headers of a session once', async () => {
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

  it('has its own time without use and its own provider', async () => {
    const { successor, clock } = await opened();
    clock.advance(4_000);
    expect(kindOf(successor({ provider: () => 'https://other.example' }).check(ann))).toBe('unknown');
    expect(kindOf(successor({ idleMs: 12_000 }).check(ann))).toBe('a promise');
    expect(kindOf(successor({ idleMs: 40_000 }).check(ann))).toBe('active');
  });

  it('knows at once what the one before it ends, also while it is looked up', async () => {
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

import { expect } from 'vitest';
import type { EndedRefresh, LeaseOutcome, SessionStore } from '../../../src/application/ports/agent/session-store.js';
import { describeSharedStores, describeStores } from '../../support/agent/saml-stores.js';
import { hashOf, hourMs, noonMs, ofAlice, succeeded, testSession } from '../../support/agent/test-sessions.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

const session = testSession('a', { method: 'oidc', details: { claims: '{"n":1.0}', token: 'old' }, attributes: [] });
const idHash = session.idHash;

const lease = (store: SessionStore, holder: string, nowMs = noonMs, of = idHash): Promise<LeaseOutcome> =>
  succeeded(store.takeRefreshLease({ idHash: of, holder, untilMs: nowMs + 100, nowMs }));

const end = (store: SessionStore, holder: string, more: Partial<EndedRefresh> = {}): Promise<boolean> =>
  succeeded(store.endRefresh({ idHash, holder, details: null, backoffUntilMs: 0, ...more }));

describeStores('refresh leases', (technology) => {
  const opened = async (cleanUp: CleanUp): Promise<SessionStore> => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const { sessions } = await place.open();
    await succeeded(sessions.insert(session));
    return sessions;
  };

  it('have one holder until it ends them, or they expire', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    expect(await lease(store, 'one')).toBe('leased');
    expect(await lease(store, 'two')).toBe('held');
    expect(await lease(store, 'one')).toBe('held');
    expect(await lease(store, 'two', noonMs + 99)).toBe('held');
    expect(await lease(store, 'two', noonMs + 100)).toBe('leased');
    expect(await end(store, 'one')).toBe(false);
    expect(await lease(store, 'three', noonMs + 101)).toBe('held');
    expect(await end(store, 'two')).toBe(true);
    expect(await end(store, 'two')).toBe(false);
    expect(await lease(store, 'three', noonMs + 101)).toBe('leased');
  });

  it('store new details, and change nothing else of the session', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const details = { claims: '{"n":1.0,"ü":"😀"}', token: 'new "token"', '': '' };
    await lease(store, 'one');
    await succeeded(store.touch([{ idHash, lastSeenMs: noonMs + 5 }]));
    expect(await succeeded(store.find(idHash))).toEqual({ ...session, lastSeenMs: noonMs + 5 });
    expect(await end(store, 'one', { details })).toBe(true);
    const renewed = { ...session, details, lastSeenMs: noonMs + 5 };
    expect(await succeeded(store.find(idHash))).toEqual(renewed);
    expect((await succeeded(store.list({ userId: 'alice', limit: 9, after: null }))).sessions).toEqual([renewed]);
    expect(await succeeded(store.countByMethod())).toEqual({ saml: 0, oidc: 1 });
    await lease(store, 'two');
    expect(await end(store, 'two')).toBe(true);
    expect(await succeeded(store.find(idHash))).toEqual(renewed);
  });

  it('store nothing for a holder that has lost them', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await lease(store, 'slow');
    await lease(store, 'next', noonMs + 100);
    expect(await end(store, 'slow', { details: { token: 'late' }, backoffUntilMs: noonMs + hourMs })).toBe(false);
    expect(await end(store, 'next', { details: { token: 'next' } })).toBe(true);
    expect(await end(store, 'slow', { details: { token: 'late' } })).toBe(false);
    expect(await end(store, '', { details: { token: 'nobody' } })).toBe(false);
    expect(await succeeded(store.find(idHash))).toMatchObject({ details: { token: 'next' } });
  });

  it('store the details of a holder whose lease expired, if no other holder took it', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await lease(store, 'slow');
    expect(await end(store, 'slow', { details: { token: 'late' } })).toBe(true);
    expect(await succeeded(store.find(idHash))).toMatchObject({ details: { token: 'late' } });
  });

  it('are refused to all callers during the back-off that the last holder set', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await lease(store, 'one');
    expect(await end(store, 'one', { backoffUntilMs: noonMs + 500 })).toBe(true);
    expect(await lease(store, 'one', noonMs + 499)).toBe('backing_off');
    expect(await end(store, 'one', { details: { token: 'none' } })).toBe(false);
    expect(await end(store, '', { details: { token: 'none' } })).toBe(false);
    expect(await lease(store, 'two', noonMs + 500)).toBe('leased');
    expect(await succeeded(store.find(idHash))).toEqual(session);
  });

  it('end with their session, however it ends', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const removals: readonly (() => Promise<unknown>)[] = [
      () => succeeded(store.remove(idHash)),
      () => succeeded(store.removeOfUser('alice')),
      () => succeeded(store.removeExpired(session.expiresMs, null, 10)),
      () => succeeded(store.removeExpired(noonMs, noonMs + 1, 10)),
      () =>
        succeeded(
          store.removeOfSubject({ method: 'oidc', provider: session.provider, ...ofAlice(null), sessionIndexes: [] }),
        ),
    ];
    for (const remove of removals) {
      expect(await lease(store, 'one')).toBe('leased');
      await remove();
      expect(await lease(store, 'two')).toBe('gone');
      expect(await end(store, 'one', { details: { token: 'late' }, backoffUntilMs: noonMs + hourMs })).toBe(false);
      expect(await succeeded(store.find(idHash))).toBeNull();
      expect(await succeeded(store.count())).toBe(0);
      await succeeded(store.insert(session));
    }
    expect(await lease(store, 'other', noonMs, hashOf('unknown'))).toBe('gone');
  });

  it('go to one of many callers at the same moment', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => lease(store, `holder ${index}`)));
    expect(outcomes.filter((outcome) => outcome === 'leased')).toHaveLength(1);
  });

  it('fail without a rejection after the store is closed', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const stores = await place.open();
    const { sessions } = stores;
    await stores.close();
    expect(await sessions.takeRefreshLease({ idHash, holder: 'one', untilMs: 2, nowMs: 1 })).toMatchObject({
      ok: false,
    });
    const ended = { idHash, holder: 'one', details: {}, backoffUntilMs: 0 };
    expect(await sessions.endRefresh(ended)).toMatchObject({ ok: false });
  });
});

describeSharedStores('refresh leases that several processes want', (technology) => {
  it('go to one of them, and its details are there for all', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const [one, other] = [(await place.open()).sessions, (await place.open()).sessions];
    await succeeded(one.insert(session));
    for (let round = 1; round <= 20; round += 1) {
      const asked = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other));
      const outcomes = await Promise.all(asked.map((store, index) => lease(store, `holder ${index}`, noonMs + round)));
      const winner = outcomes.indexOf('leased');
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(9);
      const ended = await Promise.all(
        asked.map((store, index) => end(store, `holder ${index}`, { details: { token: `${round} ${index}` } })),
      );
      expect(ended.indexOf(true)).toBe(winner);
      expect(ended.filter((had) => had)).toHaveLength(1);
      for (const store of [one, other]) {
        expect(await succeeded(store.find(idHash))).toMatchObject({ details: { token: `${round} ${winner}` } });
      }
    }
  });
});

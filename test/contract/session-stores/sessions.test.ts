import { expect } from 'vitest';
import type { SessionPage, SessionStore } from '../../../src/application/ports/agent/session-store.js';
import type { Session, SignOnMethod } from '../../../src/domain/agent/sessions/session.js';
import { describeStores } from '../../support/agent/saml-stores.js';
import { hashOf, hourMs, noonMs, ofAlice, succeeded, testSession } from '../../support/agent/test-sessions.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

const provider = 'https://idp.example';

const fullSession: Session = testSession('full', {
  userId: 'Ünïcode 用户 😀',
  logout: { subject: 'a\'b"c\\ü😀', session: '_index "1"' },
  details: { format: 'urn:format "ü😀"', qualifier: 'https://idp.example', '': '{}' },
  attributes: [
    { name: '__proto__', values: ['x'] },
    { name: 'groups', values: ['a', 'b,c', '', 'ü😀'] },
    { name: 'groups', values: [] },
    { name: '', values: ['{}'] },
  ],
});

describeStores('sessions', (technology) => {
  const opened = async (cleanUp: CleanUp): Promise<SessionStore> => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    return (await place.open()).sessions;
  };

  const withSessions = async (cleanUp: CleanUp, ...sessions: readonly Session[]): Promise<SessionStore> => {
    const store = await opened(cleanUp);
    for (const session of sessions) await succeeded(store.insert(session));
    return store;
  };

  /** The user ids of all pages of a list. */
  const listed = async (store: SessionStore, userId: string | null, limit: number): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let after: string | null = null; ; ) {
      const page: SessionPage = await succeeded(store.list({ userId, limit, after }));
      pages.push(page.sessions.map(({ idHash }) => idHash));
      after = page.next;
      if (after === null) return pages;
    }
  };

  it('come back as they were given, whatever is in them', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, fullSession, testSession('plain'));
    expect(await succeeded(store.find(hashOf('full')))).toEqual(fullSession);
    expect(await succeeded(store.find(hashOf('plain')))).toEqual(testSession('plain'));
  });

  it('come back with their method', async ({ cleanUp }) => {
    const oidc = testSession('oidc', { method: 'oidc', provider: 'https://op.example corp' });
    const store = await withSessions(cleanUp, oidc, testSession('saml'));
    expect(await succeeded(store.find(hashOf('oidc')))).toEqual(oidc);
    expect((await succeeded(store.list({ userId: null, limit: 9, after: null }))).sessions).toContainEqual(oidc);
    const ended = {
      method: 'oidc',
      provider: oidc.provider,
      subject: 'alice@example.com',
      sessionIndexes: [],
    } as const;
    expect(await succeeded(store.removeOfSubject(ended))).toEqual([hashOf('oidc')]);
  });

  it('are not found by another id, a part of one or one in capitals', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, testSession('one'));
    const hash = hashOf('one');
    for (const other of [hashOf('other'), hash.slice(0, 63), `${hash}0`, hash.toUpperCase(), '', '%', '*'])
      expect(await succeeded(store.find(other))).toBeNull();
  });

  it('are given back when they are over too: whether they count is not for the store to say', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, testSession('old', { createdMs: 0, expiresMs: 1, lastSeenMs: 0 }));
    expect(await succeeded(store.find(hashOf('old')))).toMatchObject({ expiresMs: 1 });
  });

  it('refuse an id that is there, and stay as they were', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, testSession('one'));
    expect(await store.insert(testSession('one', { userId: 'mallory' }))).toMatchObject({ ok: false });
    expect(await succeeded(store.find(hashOf('one')))).toMatchObject({ userId: 'alice' });
    expect(await succeeded(store.count())).toBe(1);
  });

  it('fail alone: an insert that is refused takes none with it that was asked for at the same moment', async ({
    cleanUp,
  }) => {
    const store = await withSessions(cleanUp, testSession('one'));
    const results = await Promise.all(
      ['before', 'one', 'after', 'before'].map((name) => store.insert(testSession(name))),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(await succeeded(store.count())).toBe(3);
  });

  it('note when they were last seen, never an earlier moment, and leave out those that are gone', async ({
    cleanUp,
  }) => {
    const store = await withSessions(cleanUp, testSession('one'), testSession('two'));
    await succeeded(
      store.touch([
        { idHash: hashOf('gone'), lastSeenMs: noonMs + 9 },
        { idHash: hashOf('one'), lastSeenMs: noonMs + 5 },
        { idHash: hashOf('two'), lastSeenMs: noonMs - 5 },
      ]),
    );
    await succeeded(store.touch([{ idHash: hashOf('one'), lastSeenMs: noonMs + 4 }]));
    await succeeded(store.touch([]));
    expect(await succeeded(store.find(hashOf('one')))).toEqual(testSession('one', { lastSeenMs: noonMs + 5 }));
    expect(await succeeded(store.find(hashOf('two')))).toEqual(testSession('two'));
    expect(await succeeded(store.find(hashOf('gone')))).toBeNull();
    expect(await succeeded(store.count())).toBe(2);
  });

  it('are counted by method, however they end', async ({ cleanUp }) => {
    const provider = 'https://op.example corp';
    const oidc = (name: string, more: Partial<Session> = {}): Session =>
      testSession(name, { method: 'oidc', provider, ...more });
    const store = await withSessions(
      cleanUp,
      testSession('s1'),
      testSession('s2', { userId: 'bob' }),
      oidc('o1'),
      oidc('o2', { userId: 'bob' }),
      oidc('o3', { logout: { subject: 'carol', session: 'sid' }, userId: 'carol' }),
      oidc('o4', { userId: 'dora', expiresMs: noonMs + 1 }),
      oidc('o5', { userId: 'eve', lastSeenMs: noonMs - hourMs }),
    );
    const counts = () => succeeded(store.countByMethod());
    expect(await counts()).toEqual({ saml: 2, oidc: 5 });
    expect(await store.insert(oidc('o1'))).toMatchObject({ ok: false });
    await succeeded(store.touch([{ idHash: hashOf('o1'), lastSeenMs: noonMs + 5 }]));
    expect(await counts()).toEqual({ saml: 2, oidc: 5 });
    await succeeded(store.remove(hashOf('o1')));
    await succeeded(store.remove(hashOf('o1')));
    expect(await counts()).toEqual({ saml: 2, oidc: 4 });
    await succeeded(store.removeOfUser('bob'));
    expect(await counts()).toEqual({ saml: 1, oidc: 3 });
    await succeeded(store.removeOfSubject({ method: 'oidc', provider, subject: 'carol', sessionIndexes: ['sid'] }));
    expect(await counts()).toEqual({ saml: 1, oidc: 2 });
    await succeeded(store.removeExpired(noonMs + 1, noonMs - 1, 10));
    expect(await counts()).toEqual({ saml: 1, oidc: 0 });
    expect(await succeeded(store.count())).toBe(1);
  });

  it('are removed once', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, testSession('one'), testSession('two'));
    expect(await succeeded(store.remove(hashOf('one')))).toBe(true);
    expect(await succeeded(store.remove(hashOf('one')))).toBe(false);
    expect(await succeeded(store.find(hashOf('one')))).toBeNull();
    expect(await succeeded(store.count())).toBe(1);
    await succeeded(store.insert(testSession('one')));
    expect(await succeeded(store.count())).toBe(2);
  });

  const subjects = (): readonly Session[] => [
    testSession('first', { logout: ofAlice('i1') }),
    testSession('second', { logout: ofAlice('i2') }),
    testSession('third', { logout: ofAlice('i3') }),
    testSession('nameless', { logout: ofAlice(null) }),
    testSession('elsewhere', { logout: ofAlice('i1'), provider: 'https://other.example' }),
    testSession('bob', {
      userId: 'bob',
      logout: { subject: 'bob@example.com', session: 'i1' },
    }),
  ];
  const names = (...of: readonly string[]): string[] => of.map(hashOf).toSorted();

  it('of a subject end together, and nobody else’s', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, ...subjects());
    const removed = await succeeded(
      store.removeOfSubject({ method: 'saml', provider, subject: 'alice@example.com', sessionIndexes: [] }),
    );
    expect([...removed].toSorted()).toEqual(names('first', 'second', 'third', 'nameless'));
    expect(await succeeded(store.count())).toBe(2);
    expect(await succeeded(store.find(hashOf('elsewhere')))).not.toBeNull();
    expect(await succeeded(store.find(hashOf('bob')))).not.toBeNull();
    expect(
      await succeeded(
        store.removeOfSubject({ method: 'saml', provider, subject: 'alice@example.com', sessionIndexes: [] }),
      ),
    ).toHaveLength(0);
  });

  it('of a subject end by their index where indexes are named', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, ...subjects());
    const removed = await succeeded(
      store.removeOfSubject({
        method: 'saml',
        provider,
        subject: 'alice@example.com',
        sessionIndexes: ['i3', 'i1', 'i1', 'i9', ''],
      }),
    );
    expect([...removed].toSorted()).toEqual(names('first', 'third'));
    expect(await succeeded(store.count())).toBe(4);
  });

  it('of an OpenID provider end by their name alone, and nobody else’s', async ({ cleanUp }) => {
    const named = (name: string, sid: string | null, changes: Partial<Session> = {}): Session =>
      testSession(name, { method: 'oidc', provider, logout: { subject: name, session: sid }, ...changes });
    const store = await withSessions(
      cleanUp,
      named('one', 's1'),
      named('two', 's2'),
      named('three', null),
      named('twin', 's1'),
      named('elsewhere', 's1', { provider: 'https://other.example' }),
      named('saml', 's1', { method: 'saml' }),
    );
    const ended = (...sessionIndexes: readonly string[]) =>
      succeeded(store.removeOfSubject({ method: 'oidc', provider, subject: null, sessionIndexes }));
    expect(await ended()).toEqual([]);
    expect(await ended('s3', '', 'null')).toEqual([]);
    expect([...(await ended('s1', 's1'))].toSorted()).toEqual(names('one', 'twin'));
    expect(await ended('s1')).toEqual([]);
    expect(
      await succeeded(store.removeOfSubject({ method: 'oidc', provider, subject: 'two', sessionIndexes: ['s2'] })),
    ).toEqual(names('two'));
    expect(await ended('s2')).toEqual([]);
    expect(await succeeded(store.count())).toBe(3);
  });

  it('of one method stay when a provider of the other names them by equal names', async ({ cleanUp }) => {
    const logout = ofAlice('i1');
    const store = await withSessions(
      cleanUp,
      testSession('saml', { logout }),
      testSession('oidc', { method: 'oidc', logout }),
    );
    const { subject } = logout;
    const end = async (method: SignOnMethod, sessionIndexes: readonly string[]) =>
      succeeded(store.removeOfSubject({ method, provider, subject, sessionIndexes }));
    for (const sessionIndexes of [['i1'], []]) {
      expect(await end('saml', sessionIndexes)).toEqual([hashOf('saml')]);
      expect(await end('saml', sessionIndexes)).toEqual([]);
      await succeeded(store.insert(testSession('saml', { logout })));
      expect(await end('oidc', sessionIndexes)).toEqual([hashOf('oidc')]);
      expect(await end('oidc', sessionIndexes)).toEqual([]);
      await succeeded(store.insert(testSession('oidc', { method: 'oidc', logout })));
    }
    expect(await succeeded(store.count())).toBe(2);
  });

  it('come back without a logout index, and no subject ends them', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, testSession('unnamed', { logout: null }), testSession('named'));
    expect(await succeeded(store.find(testSession('unnamed').idHash))).toEqual(
      testSession('unnamed', { logout: null }),
    );
    for (const subject of ['null', 'undefined', testSession('named').logout?.subject ?? '']) {
      await succeeded(store.removeOfSubject({ method: 'saml', provider, subject, sessionIndexes: [] }));
    }
    expect(await succeeded(store.count())).toBe(1);
  });

  it('of a subject are told apart where issuer and name could run into each other', async ({ cleanUp }) => {
    const ofSubject = (name: string, of: string, value: string): Session =>
      testSession(name, { provider: of, logout: { subject: value, session: null } });
    const store = await withSessions(
      cleanUp,
      ofSubject('one', 'ab', 'c'),
      ofSubject('two', 'a', 'bc'),
      ofSubject('three', 'a:b', 'c'),
    );
    const remove = (of: string, subject: string) =>
      succeeded(store.removeOfSubject({ method: 'saml', provider: of, subject, sessionIndexes: [] }));
    expect(await remove('a', 'b:c')).toHaveLength(0);
    expect(await remove('AB', 'c')).toHaveLength(0);
    expect(await remove('a', 'bc')).toEqual([hashOf('two')]);
    expect(await succeeded(store.count())).toBe(2);
  });

  it('of a user end together', async ({ cleanUp }) => {
    const store = await withSessions(
      cleanUp,
      testSession('one'),
      testSession('two'),
      testSession('capital', { userId: 'Alice' }),
      testSession('longer', { userId: 'alice ' }),
    );
    expect([...(await succeeded(store.removeOfUser('alice')))].toSorted()).toEqual(names('one', 'two'));
    expect(await succeeded(store.removeOfUser('alice'))).toHaveLength(0);
    expect(await succeeded(store.count())).toBe(2);
  });

  it('are listed from the latest on, page by page, each of them once', async ({ cleanUp }) => {
    const sessions = Array.from({ length: 25 }, (_, index) =>
      // Some begin at the same moment.
      testSession(`n${index}`, { createdMs: noonMs + Math.floor(index / 4), userId: index % 2 ? 'alice' : 'bob' }),
    );
    const store = await withSessions(cleanUp, ...sessions);
    const created = new Map(sessions.map(({ idHash, createdMs }) => [idHash, createdMs]));
    const pages = await listed(store, null, 10);
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
    const order = pages.flat();
    expect(new Set(order).size).toBe(25);
    const moments = order.map((hash) => created.get(hash) ?? 0);
    expect(moments).toEqual(moments.toSorted((one, other) => other - one));
    const ofBob = await listed(store, 'bob', 13);
    expect(ofBob.map(({ length }) => length)).toEqual([13]);
    expect((await listed(store, 'bob', 3)).flat()).toEqual(ofBob.flat());
    expect(ofBob.flat()).toEqual(order.filter((hash) => ofBob.flat().includes(hash)));
    expect(await listed(store, 'carol', 3)).toEqual([[]]);
  });

  it('are listed on from where a page ended, though that session is gone and a later one has come', async ({
    cleanUp,
  }) => {
    const store = await withSessions(
      cleanUp,
      ...[1, 2, 3, 4].map((index) => testSession(`n${index}`, { createdMs: noonMs + index })),
    );
    const first = await succeeded(store.list({ userId: null, limit: 2, after: null }));
    expect(first.sessions.map(({ idHash }) => idHash)).toEqual([hashOf('n4'), hashOf('n3')]);
    await succeeded(store.remove(hashOf('n3')));
    await succeeded(store.insert(testSession('n5', { createdMs: noonMs + 5 })));
    const second = await succeeded(store.list({ userId: null, limit: 2, after: first.next }));
    expect(second.sessions.map(({ idHash }) => idHash)).toEqual([hashOf('n2'), hashOf('n1')]);
    expect(second.next).toBeNull();
  });

  it('are found by how their hash begins, a few at most', async ({ cleanUp }) => {
    const hash = (begin: string): string => begin.padEnd(64, '7');
    const store = await withSessions(
      cleanUp,
      ...['abc0', 'abcf', 'abd0', 'abb', 'ffff'].map((begin) => testSession(begin, { idHash: hash(begin) })),
    );
    const found = async (prefix: string, limit = 10): Promise<string[]> =>
      (await succeeded(store.findByPrefix(prefix, limit))).map(({ idHash }) => idHash.slice(0, 4)).toSorted();
    expect(await found('abc')).toEqual(['abc0', 'abcf']);
    expect(await found(hash('abc0'))).toEqual(['abc0']);
    expect(await found('ff')).toEqual(['ffff']);
    expect(await found('0')).toEqual([]);
    expect(await found('ab', 2)).toHaveLength(2);
    expect(await found('%')).toEqual([]);
    expect(await found('a*')).toEqual([]);
  });

  it('that are over are removed from their last moment on, so many at a time', async ({ cleanUp }) => {
    const store = await withSessions(
      cleanUp,
      ...Array.from({ length: 7 }, (_, index) => testSession(`n${index}`, { expiresMs: noonMs + index })),
    );
    expect(await succeeded(store.removeExpired(noonMs - 1, null, 5))).toBe(0);
    expect(await succeeded(store.removeExpired(noonMs, null, 5))).toBe(1);
    expect(await succeeded(store.find(hashOf('n0')))).toBeNull();
    expect(await succeeded(store.find(hashOf('n1')))).not.toBeNull();
    expect(await succeeded(store.removeExpired(noonMs + 5, null, 3))).toBe(3);
    expect(await succeeded(store.removeExpired(noonMs + 5, null, 3))).toBe(2);
    expect(await succeeded(store.count())).toBe(1);
    expect(await succeeded(store.find(hashOf('n6')))).not.toBeNull();
  });

  it('that were not used are removed where that is asked for, together with those that are over', async ({
    cleanUp,
  }) => {
    const store = await withSessions(
      cleanUp,
      testSession('over', { expiresMs: noonMs, lastSeenMs: noonMs - 1 }),
      testSession('idle', { lastSeenMs: noonMs - hourMs - 1 }),
      testSession('idle too', { lastSeenMs: noonMs - hourMs - 2 }),
      testSession('seen just then', { lastSeenMs: noonMs - hourMs }),
      testSession('touched', { lastSeenMs: noonMs - hourMs - 9 }),
    );
    await succeeded(store.touch([{ idHash: hashOf('touched'), lastSeenMs: noonMs - 1 }]));
    expect(await succeeded(store.removeExpired(noonMs, noonMs - hourMs, 2))).toBe(2);
    expect(await succeeded(store.removeExpired(noonMs, noonMs - hourMs, 2))).toBe(1);
    expect(await succeeded(store.removeExpired(noonMs, noonMs - hourMs, 2))).toBe(0);
    expect(await succeeded(store.count())).toBe(2);
    for (const name of ['seen just then', 'touched']) expect(await succeeded(store.find(hashOf(name)))).not.toBeNull();
  });

  it('are counted through all that happens to them', async ({ cleanUp }) => {
    const store = await withSessions(cleanUp, ...['a', 'b', 'c', 'd', 'e'].map((name) => testSession(name)));
    await store.insert(testSession('a'));
    await succeeded(store.touch([{ idHash: hashOf('a'), lastSeenMs: noonMs + 1 }]));
    expect(await succeeded(store.count())).toBe(5);
    await succeeded(store.remove(hashOf('a')));
    await succeeded(store.insert(testSession('bob', { userId: 'bob', expiresMs: noonMs })));
    expect(await succeeded(store.count())).toBe(5);
    await succeeded(store.removeExpired(noonMs, null, 10));
    expect(await succeeded(store.count())).toBe(4);
    await succeeded(store.removeOfUser('alice'));
    expect(await succeeded(store.count())).toBe(0);
  });

  it('take many writes at the same moment, and batches of many', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const results = await Promise.all(
      Array.from({ length: 600 }, (_, index) => store.insert(testSession(`n${index}`, { createdMs: noonMs + index }))),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(await succeeded(store.count())).toBe(600);
    const listedHashes = (await listed(store, 'alice', 500)).flat();
    expect(listedHashes).toHaveLength(600);
    await succeeded(store.touch(listedHashes.map((idHash) => ({ idHash, lastSeenMs: noonMs + 1_000 }))));
    expect(await succeeded(store.removeExpired(noonMs, noonMs + 1_000, 1_000))).toBe(0);
    expect(await succeeded(store.removeExpired(noonMs, noonMs + 1_001, 350))).toBe(350);
    expect(await succeeded(store.removeExpired(noonMs, noonMs + 1_001, 350))).toBe(250);
    expect(await succeeded(store.count())).toBe(0);
  });
});

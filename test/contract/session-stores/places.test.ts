import { expect } from 'vitest';
import type { SessionStores } from '../../../src/application/ports/agent/session-stores.js';
import { describeLastingStores, describeSharedStores, describeStores } from '../../support/agent/saml-stores.js';
import { hashOf, noonMs, succeeded, testSession, testSignOnRequest } from '../../support/agent/test-sessions.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

describeStores('stores', (technology) => {
  it('keep apart what different service providers keep', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const one = await place.open('https://one.example');
    const other = await place.open('https://other.example');
    await succeeded(one.sessions.insert(testSession('a')));
    await succeeded(one.replays.remember('message', noonMs + 1, noonMs));
    await succeeded(one.requests.insert(testSignOnRequest('request')));

    const { sessions, replays, requests } = other;
    expect(await succeeded(sessions.find(hashOf('a')))).toBeNull();
    expect(await succeeded(sessions.count())).toBe(0);
    expect(await succeeded(sessions.findByPrefix(hashOf('a').slice(0, 8), 9))).toEqual([]);
    expect(await succeeded(sessions.list({ userId: 'alice', limit: 9, after: null }))).toEqual({
      sessions: [],
      next: null,
    });
    expect(await succeeded(sessions.remove(hashOf('a')))).toBe(false);
    expect(await succeeded(sessions.removeOfUser('alice'))).toEqual([]);
    const subject = {
      method: 'saml',
      provider: 'https://idp.example',
      subject: 'alice@example.com',
      sessionIndexes: [],
    } as const;
    expect(await succeeded(sessions.removeOfSubject(subject))).toEqual([]);
    const later = Number.MAX_SAFE_INTEGER;
    expect(await succeeded(sessions.removeExpired(later, later, 9))).toBe(0);
    expect(await succeeded(replays.removeExpired(later, 9))).toBe(0);
    expect(await succeeded(replays.remember('message', noonMs + 1, noonMs))).toBe('first');
    expect(await succeeded(requests.removeExpired(later, 9))).toBe(0);
    expect(await succeeded(requests.take(hashOf('request'), noonMs))).toBeNull();

    await succeeded(sessions.insert(testSession('a', { userId: 'bob' })));
    expect(await succeeded(one.sessions.find(hashOf('a')))).toEqual(testSession('a'));
    expect(await succeeded(one.sessions.count())).toBe(1);
    expect(await succeeded(one.requests.take(hashOf('request'), noonMs))).not.toBeNull();
  });

  it('do what was asked before they close, and fail after that without a rejection', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const stores = await place.open();
    const inserted = stores.sessions.insert(testSession('one'));
    await stores.close();
    expect(await inserted).toMatchObject({ ok: true });
    const { sessions, replays, requests } = stores;
    const after = await Promise.all([
      sessions.find(hashOf('one')),
      sessions.insert(testSession('two')),
      sessions.touch([{ idHash: hashOf('one'), lastSeenMs: noonMs + 1 }]),
      sessions.removeExpired(noonMs, null, 1),
      sessions.count(),
      sessions.list({ userId: null, limit: 1, after: null }),
      replays.remember('message', noonMs + 1, noonMs),
      requests.insert(testSignOnRequest('one')),
      requests.take(hashOf('one'), noonMs),
    ]);
    for (const result of after) expect(result).toMatchObject({ ok: false, error: { reason: expect.any(String) } });
    await stores.close();
  });
});

describeSharedStores('stores that several hold', (technology) => {
  const two = async (cleanUp: CleanUp): Promise<readonly [SessionStores, SessionStores]> => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    return [await place.open(), await place.open()];
  };

  it('show each of them what another has done', async ({ cleanUp }) => {
    const [one, other] = await two(cleanUp);
    await succeeded(one.sessions.insert(testSession('a')));
    expect(await succeeded(other.sessions.find(hashOf('a')))).toEqual(testSession('a'));
    expect(await succeeded(other.sessions.count())).toBe(1);
    expect(await succeeded(other.sessions.remove(hashOf('a')))).toBe(true);
    expect(await succeeded(one.sessions.find(hashOf('a')))).toBeNull();
    expect(await succeeded(one.sessions.count())).toBe(0);
  });

  it('let one alone be the first with a message, and one alone take a request', async ({ cleanUp }) => {
    const [one, other] = await two(cleanUp);
    await succeeded(one.requests.insert(testSignOnRequest('request')));
    const both = [one, other, one, other];
    const answers = await Promise.all(both.map(({ replays }) => succeeded(replays.remember('m', noonMs + 1, noonMs))));
    expect(answers.filter((answer) => answer === 'first')).toHaveLength(1);
    const taken = await Promise.all(both.map(({ requests }) => succeeded(requests.take(hashOf('request'), noonMs))));
    expect(taken.filter((request) => request !== null)).toHaveLength(1);
  });
});

describeLastingStores('stores that nobody holds', (technology) => {
  it('keep everything', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const before = await place.open();
    await succeeded(before.sessions.insert(testSession('a')));
    await succeeded(before.replays.remember('message', noonMs + 10, noonMs));
    await succeeded(before.requests.insert(testSignOnRequest('request')));
    await before.close();
    const { sessions, replays, requests } = await place.open();
    expect(await succeeded(sessions.find(hashOf('a')))).toEqual(testSession('a'));
    expect(await succeeded(sessions.count())).toBe(1);
    expect(await succeeded(replays.remember('message', noonMs + 10, noonMs))).toBe('seen');
    expect(await succeeded(requests.take(hashOf('request'), noonMs))).toEqual(testSignOnRequest('request'));
  });
});

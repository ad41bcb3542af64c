import { expect } from 'vitest';
import { RedisStoreOpener } from '../../../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import {
  hashOf,
  hourMs,
  noonMs,
  ofAlice,
  succeeded,
  testKeptForm,
  testSession,
  testSignOnRequest,
} from '../../../../support/agent/test-sessions.js';
import { it } from '../../../../support/shared/fixtures.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { startRedis } from '../../../../support/shared/redis-server.js';

const namespace = 'https://gateway.example';

describeWithPeers(['redis-server'], 'keys of Redis stores', () => {
  let raw: (...command: string[]) => Promise<unknown>;
  let open: (namespace: string) => Promise<SessionStores>;

  it.beforeEach(async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(redis.remove);
    raw = redis.send;
    open = async (name) => {
      const opened = await new RedisStoreOpener(new RecordingLogger()).open({ kind: 'redis', url: redis.url() }, name);
      if (!opened.ok) throw new Error(opened.error);
      cleanUp.add(() => opened.value.close());
      return opened.value;
    };
  });

  const keys = async (): Promise<string[]> => ((await raw('KEYS', '*')) as string[]).toSorted();

  it('share one slot, are deleted with their record, and always expire', async () => {
    const { sessions, replays, requests, forms } = await open(namespace);
    await forms.insert(testKeptForm('f'));
    await sessions.insert(testSession('a', { logout: ofAlice('_a'), expiresMs: noonMs + hourMs }));
    await replays.remember('key', noonMs + hourMs, noonMs);
    await requests.insert(testSignOnRequest('r'));
    const slots = new Set(
      await Promise.all((await keys()).map((key) => raw('CLUSTER', 'KEYSLOT', key).catch(() => key.slice(0, 34)))),
    );
    expect(slots.size).toBe(1);
    for (const key of await keys()) {
      const left = Number(await raw('PTTL', key));
      const least = /requests|forms/.test(key) ? hourMs : 2 * hourMs - 60_000;
      expect([key, left > least && left <= 2 * hourMs]).toEqual([key, true]);
    }
    await sessions.remove(hashOf('a'));
    await requests.take(hashOf('r'), noonMs);
    await forms.take(hashOf('f'), noonMs);
    await replays.removeExpired(noonMs + hourMs, 10);
    expect(await keys()).toEqual([]);
  });

  it('contain names of users and subjects only in the record', async () => {
    const { sessions } = await open(namespace);
    await sessions.insert(testSession('a', { userId: 'alice' }));
    expect((await keys()).join(' ')).not.toMatch(/alice|example/);
  });

  it('keep sessions of earlier releases, with data for sign-out at the provider', async () => {
    const { sessions } = await open(namespace);
    await sessions.insert(testSession('a', { logout: ofAlice('_a') }));
    const key = (await keys()).find((name) => name.endsWith(`session:${hashOf('a')}`)) ?? '';
    const earlier = {
      v: 1,
      user: 'alice',
      nameId: ['alice@example.com', 'urn:format', null, 'sp'],
      index: '_a',
      issuer: 'https://idp.example',
      attributes: [],
      created: noonMs,
      expires: noonMs + 8 * hourMs,
    };
    await raw('HSET', key, 'record', JSON.stringify(earlier));
    expect(await succeeded(sessions.find(hashOf('a')))).toEqual(
      testSession('a', { logout: ofAlice('_a'), details: { name_id_format: 'urn:format', sp_name_qualifier: 'sp' } }),
    );
  });

  it('have records readable by an earlier release', async () => {
    const { sessions } = await open(namespace);
    await sessions.insert(testSession('a', { logout: ofAlice('_a') }));
    const key = (await keys()).find((name) => name.endsWith(`session:${hashOf('a')}`)) ?? '';
    expect(JSON.parse((await raw('HGET', key, 'record')) as string)).toMatchObject({
      v: 1,
      nameId: ['alice@example.com', null, null, null],
      index: '_a',
      issuer: 'https://idp.example',
    });
  });

  it('of earlier releases count as SAML, and what such a release removes leaves the count', async () => {
    const { sessions } = await open(namespace);
    await sessions.insert(testSession('a'));
    await sessions.insert(testSession('b', { method: 'oidc', expiresMs: noonMs + 1 }));
    expect(await succeeded(sessions.countByMethod())).toEqual({ saml: 1, oidc: 1 });
    // An earlier release removes a session from all keys that it knows.
    const prefix = (await keys())[0]?.replace(/\}:.*$/, '}:') ?? '';
    for (const set of ['ids', 'created', 'expires', 'seen']) await raw('ZREM', `${prefix}${set}`, hashOf('b'));
    await sessions.removeExpired(noonMs + 1, null, 10);
    expect(await succeeded(sessions.countByMethod())).toEqual({ saml: 1, oidc: 0 });
  });

  it('with an evicted record are no sessions, and are cleaned up', async () => {
    const { sessions } = await open(namespace);
    for (const name of ['a', 'b', 'c']) await sessions.insert(testSession(name, { logout: ofAlice(`_${name}`) }));
    const lost = (await keys()).find((key) => key.endsWith(`session:${hashOf('b')}`));
    await raw('DEL', lost ?? '');
    expect(await sessions.find(hashOf('b'))).toEqual({ ok: true, value: null });
    expect(await sessions.findByPrefix('', 10)).toMatchObject({ value: { length: 2 } });
    expect(await sessions.count()).toEqual({ ok: true, value: 2 });
    const page = await sessions.list({ userId: 'alice', limit: 10, after: null });
    expect(page).toMatchObject({ value: { next: null, sessions: { length: 2 } } });
    expect(await sessions.remove(hashOf('b'))).toEqual({ ok: true, value: false });
    const subject = {
      method: 'saml',
      provider: 'https://idp.example',
      subject: 'alice@example.com',
      sessionIndexes: [],
    } as const;
    expect(await sessions.removeOfSubject(subject)).toMatchObject({ value: { length: 2 } });
    // Which index it was in stood in its record: that goes by itself.
    const [left = '', ...more] = await keys();
    expect([left.includes(':index:'), more]).toEqual([true, []]);
    expect(await raw('PTTL', left)).toBeGreaterThan(0);
  });

  it('with a foreign record are a failure', async () => {
    const { sessions, requests } = await open(namespace);
    await sessions.insert(testSession('a'));
    const key = (await keys()).find((one) => one.endsWith(`session:${hashOf('a')}`)) ?? '';
    for (const record of ['', '{}', '[]', 'null', '{"v":1', '{"v":2}', '{"v":1,"user":"root"}']) {
      await raw('HSET', key, 'record', record);
      expect(await sessions.find(hashOf('a'))).toMatchObject({ ok: false });
      expect(await sessions.list({ userId: null, limit: 5, after: null })).toMatchObject({ ok: false });
    }
    await raw('DEL', key);
    await raw('SET', key, 'text');
    expect(await sessions.find(hashOf('a'))).toMatchObject({ ok: false });
    const prefix = key.slice(0, key.indexOf('session:'));
    await raw('HSET', `${prefix}requests`, hashOf('r'), '{"v":1,"kind":"other"}');
    expect(await requests.take(hashOf('r'), 0)).toMatchObject({ ok: false });
  });

  it('of another service provider are kept', async () => {
    const [one, other] = [await open(namespace), await open('https://other.example')];
    await one.sessions.insert(testSession('a'));
    expect(await other.sessions.find(hashOf('a'))).toEqual({ ok: true, value: null });
    expect(await other.sessions.removeOfUser('alice')).toEqual({ ok: true, value: [] });
    expect(await other.sessions.removeExpired(Date.UTC(2030, 0, 1), null, 10)).toEqual({ ok: true, value: 0 });
    expect(await one.sessions.count()).toEqual({ ok: true, value: 1 });
  });

  it('of more sessions than one step removes are all deleted', async () => {
    const { sessions } = await open(namespace);
    for (let from = 0; from < 1_200; from += 100) {
      const names = Array.from({ length: 100 }, (_, index) => `${from + index}`);
      await Promise.all(
        names.map((name) => succeeded(sessions.insert(testSession(name, { logout: ofAlice('_same') })))),
      );
    }
    const removed = await sessions.removeOfSubject({
      method: 'saml',
      provider: 'https://idp.example',
      subject: 'alice@example.com',
      sessionIndexes: ['_other', '_same', '_same'],
    });
    expect(new Set(removed.ok ? removed.value : [removed.error.reason]).size).toBe(1_200);
    expect(await keys()).toEqual([]);
  });

  it('are listed page by page, even if the last key of a page is deleted', async () => {
    const { sessions } = await open(namespace);
    for (let index = 0; index < 30; index += 1) {
      // Several of one moment.
      await sessions.insert(testSession(`${index}`, { createdMs: noonMs + Math.floor(index / 4) }));
    }
    const found: string[] = [];
    let after: string | null = null;
    do {
      const page = await sessions.list({ userId: null, limit: 3, after });
      if (!page.ok) throw new Error(page.error.reason);
      found.push(...page.value.sessions.map(({ idHash }) => idHash));
      after = page.value.next;
      await sessions.remove(found.at(-1) ?? '');
    } while (after !== null);
    expect(new Set(found).size).toBe(30);
    expect(found).toHaveLength(30);
    for (const nonsense of ['', 'x', '1', ':', '1:', "1:'", '1:a\n']) {
      expect(await sessions.list({ userId: null, limit: 3, after: nonsense })).toMatchObject({ ok: false });
    }
  });
});

import { expect } from 'vitest';
import { RedisStoreOpener } from '../../../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import { hashOf, testSession } from '../../../../support/agent/test-sessions.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type RedisPlan, type RedisServer, startRedis } from '../../../../support/shared/redis-server.js';

describeWithPeers(['redis-server'], 'stores in a failing Redis server', () => {
  const opened = async (
    cleanUp: CleanUp,
    plan: RedisPlan = {},
  ): Promise<{ redis: RedisServer; stores: SessionStores }> => {
    const redis = await startRedis(plan);
    cleanUp.add(redis.remove);
    const stores = await new RedisStoreOpener(new RecordingLogger()).open(
      { kind: 'redis', url: redis.url() },
      'https://gateway.example',
    );
    if (!stores.ok) throw new Error(stores.error);
    cleanUp.add(() => stores.value.close());
    return { redis, stores: stores.value };
  };

  /** What the first answer is, once there is one again. */
  const answerOf = async <Value>(ask: () => Promise<{ ok: true; value: Value } | { ok: false }>): Promise<Value> => {
    for (;;) {
      const answer = await ask();
      if (answer.ok) return answer.value;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  const everyCall = ({ sessions, replays, requests }: SessionStores): Promise<{ readonly ok: boolean }>[] => [
    sessions.insert(testSession('b')),
    sessions.find(hashOf('a')),
    sessions.touch([{ idHash: hashOf('a'), lastSeenMs: 5 }]),
    sessions.remove(hashOf('a')),
    sessions.removeOfUser('alice'),
    sessions.removeOfSubject({ method: 'saml', provider: 'i', subject: 'n', sessionIndexes: [] }),
    sessions.list({ userId: null, limit: 10, after: null }),
    sessions.findByPrefix('ab', 2),
    sessions.removeExpired(0, null, 10),
    sessions.count(),
    replays.has('key', 1_000),
    replays.remember('key', 2_000, 1_000),
    replays.removeExpired(0, 10),
    requests.take(hashOf('a'), 0),
    requests.removeExpired(0, 10),
  ];

  it('fail at once while it is down, and continue with its data', async ({ cleanUp }) => {
    const { redis, stores } = await opened(cleanUp, { isDurable: true });
    const session = testSession('a');
    expect(await stores.sessions.insert(session)).toMatchObject({ ok: true });
    await redis.kill();
    for (const answer of await Promise.all(everyCall(stores))) {
      expect(answer).toEqual({ ok: false, error: { reason: expect.stringContaining('redis') } });
    }
    await redis.start();
    // Scripts are gone with the server that knew them.
    expect(await answerOf(() => stores.sessions.find(session.idHash))).toEqual(session);
  });

  it('answer every call in flight when it is killed, and keep confirmed data', async ({ cleanUp }) => {
    const { redis, stores } = await opened(cleanUp, { isDurable: true });
    const names = Array.from({ length: 400 }, (_, index) => `${index}`);
    const inserting = names.map((name) => stores.sessions.insert(testSession(name)));
    await inserting[40];
    await redis.kill();
    const answers = await Promise.all(inserting);
    await redis.start();
    await answerOf(() => stores.sessions.count());
    for (const [index, answer] of answers.entries()) {
      if (!answer.ok) continue;
      expect(await stores.sessions.find(hashOf(`${index}`))).toMatchObject({ value: { idHash: hashOf(`${index}`) } });
    }
    expect(answers[40]).toMatchObject({ ok: true });
  });

  it('do not wait for a hanging server, and continue with it', async ({ cleanUp }) => {
    const { redis, stores } = await opened(cleanUp);
    const session = testSession('a');
    await stores.sessions.insert(session);
    redis.hang();
    expect(await stores.sessions.find(session.idHash)).toEqual({
      ok: false,
      error: { reason: 'redis gave no answer within 1 s' },
    });
    // Nothing more is sent to it.
    expect(await stores.sessions.find(session.idHash)).toEqual({
      ok: false,
      error: { reason: 'redis cannot be reached' },
    });
    redis.goOn();
    expect(await answerOf(() => stores.sessions.find(session.idHash))).toEqual(session);
  });

  it('do not report a hang when only this process is busy', async ({ cleanUp }) => {
    const { stores } = await opened(cleanUp);
    await stores.sessions.insert(testSession('a'));
    const finding = stores.sessions.find(hashOf('a'));
    const untilMs = Date.now() + 1_300;
    while (Date.now() < untilMs);
    expect(await finding).toMatchObject({ ok: true, value: { userId: 'alice' } });
  });

  it('fail without losing data when its memory is full', async ({ cleanUp }) => {
    const { redis, stores } = await opened(cleanUp);
    await stores.sessions.insert(testSession('a'));
    await redis.send('CONFIG', 'SET', 'maxmemory', '500kb');
    const full = { ok: false, error: { reason: 'redis failed: its memory is full' } };
    expect(await stores.sessions.insert(testSession('b'))).toEqual(full);
    expect(await stores.replays.remember('key', 2_000, 1_000)).toEqual(full);
    expect(await stores.sessions.find(hashOf('a'))).toEqual({ ok: true, value: testSession('a') });
    expect(await stores.sessions.find(hashOf('b'))).toEqual({ ok: true, value: null });
    // What frees memory still works.
    expect(await stores.sessions.remove(hashOf('a'))).toEqual({ ok: true, value: true });
  });

  it('close while it hangs, and fail afterwards', async ({ cleanUp }) => {
    const { redis, stores } = await opened(cleanUp);
    redis.hang();
    const finding = stores.sessions.find(hashOf('a'));
    await stores.close();
    expect(await finding).toMatchObject({ ok: false });
    expect(await stores.sessions.find(hashOf('a'))).toMatchObject({ ok: false });
  });
});

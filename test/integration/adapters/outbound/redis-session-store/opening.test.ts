import { expect } from 'vitest';
import { RedisStoreOpener } from '../../../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { testSession } from '../../../../support/agent/test-sessions.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';
import { OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../../../support/shared/peers.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type RedisPlan, startRedis } from '../../../../support/shared/redis-server.js';

describeWithPeers(['redis-server', 'openssl'], 'opening Redis stores', () => {
  const server = async (cleanUp: CleanUp, plan: RedisPlan = {}) => {
    const started = await startRedis(plan);
    cleanUp.add(started.remove);
    return started;
  };

  const open = async (cleanUp: CleanUp, url: string | Secret, waits = true) => {
    const logger = new RecordingLogger();
    const opened = await new RedisStoreOpener(logger, { waits }).open(
      { kind: 'redis', url: typeof url === 'string' ? new Secret(url) : url },
      'https://gateway.example',
    );
    if (opened.ok) cleanUp.add(() => opened.value.close());
    return { opened, logger, error: opened.ok ? null : opened.error };
  };

  it('authenticates with the password of the URL without a warning', async ({ cleanUp }) => {
    const redis = await server(cleanUp, { password: 'correct horse/battery' });
    const { opened, logger } = await open(cleanUp, redis.url(3));
    if (!opened.ok) throw new Error(opened.error);
    expect(await opened.value.sessions.insert(testSession('a'))).toEqual({ ok: true, value: undefined });
    expect(logger.lines).toEqual([]);
  });

  it('authenticates as a user with only our keys and scripts', async ({ cleanUp }) => {
    const acl = 'gate on >secret-word ~portcullis:* resetchannels -@all +@read +@write +@scripting +@connection';
    const redis = await server(cleanUp, { settings: [['user', acl]] });
    const { opened, logger } = await open(cleanUp, `redis://gate:secret-word@127.0.0.1:${redis.port}`);
    if (!opened.ok) throw new Error(opened.error);
    expect(await opened.value.sessions.insert(testSession('a'))).toMatchObject({ ok: true });
    expect(await opened.value.replays.remember('key', 2_000, 1_000)).toEqual({ ok: true, value: 'first' });
    expect(logger.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('noeviction') }]);
  });

  it('fails if the user must not run scripts', async ({ cleanUp }) => {
    const redis = await server(cleanUp, { settings: [['user', 'gate on >secret-word ~* +@all -@scripting']] });
    const { error } = await open(cleanUp, `redis://gate:secret-word@127.0.0.1:${redis.port}`);
    expect(error).toMatch(/^redis at 127\.0\.0\.1:\d+ cannot be used: its user lacks permissions for sessions/);
  });

  it('fails with a wrong password without printing it', async ({ cleanUp }) => {
    const redis = await server(cleanUp, { password: 'right' });
    for (const wrong of [':hunter2', 'hunter2:hunter2']) {
      const { error, logger } = await open(cleanUp, `redis://${wrong}@127.0.0.1:${redis.port}`);
      expect(error).toContain('it refused the user or the password in session-store-url');
      expect(error).not.toContain('hunter2');
      expect(logger.lines).toEqual([]);
    }
  });

  it('fails without a required password, and with an unexpected one', async ({ cleanUp }) => {
    const closed = await server(cleanUp, { password: 'right' });
    expect((await open(cleanUp, `redis://127.0.0.1:${closed.port}`)).error).toContain('it requires a password');
    const unguarded = await server(cleanUp);
    const { error } = await open(cleanUp, `redis://:hunter2@127.0.0.1:${unguarded.port}`);
    expect(error).toContain('it refused the password or the database in session-store-url');
    expect(error).not.toContain('hunter2');
  });

  it('fails with a missing database', async ({ cleanUp }) => {
    const redis = await server(cleanUp);
    expect((await open(cleanUp, redis.url(400))).error).toContain('the password or the database');
  });

  it('fails if nothing listens, if it hangs, and without TLS, unless it may wait', async ({ cleanUp }) => {
    expect((await open(cleanUp, `redis://127.0.0.1:${await freePort()}`, false)).error).toContain('connection refused');
    const redis = await server(cleanUp);
    expect((await open(cleanUp, `rediss://127.0.0.1:${redis.port}`, false)).error).toContain('does this port use TLS?');
    redis.hang();
    expect((await open(cleanUp, redis.url(), false)).error).toContain('no connection within 2 s');
  });

  /** What it comes to, once it is another answer than that. */
  const changed = async <Answer>(ask: () => Promise<Answer>, isThat: (answer: Answer) => boolean): Promise<Answer> => {
    for (;;) {
      const answer = await ask();
      if (!isThat(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it('succeeds with a warning if nothing listens yet, and works as soon as it does', async ({ cleanUp }) => {
    const port = await freePort();
    const { opened, logger } = await open(cleanUp, `redis://127.0.0.1:${port}`);
    if (!opened.ok) throw new Error(opened.error);
    const fields = { server: `127.0.0.1:${port}`, reason: 'connection refused' };
    expect(logger.lines).toEqual([{ level: 'warn', message: 'redis cannot be reached yet', fields }]);
    const { sessions, replays, requests } = opened.value;
    const reason = 'redis cannot be reached: connection refused';
    for (const answer of [
      await sessions.insert(testSession('a')),
      await sessions.count(),
      await replays.remember('key', 2_000, 1_000),
      await requests.take('a', 0),
    ]) {
      expect(answer).toEqual({ ok: false, error: { reason } });
    }
    await server(cleanUp, { port });
    const inserted = await changed(
      () => sessions.insert(testSession('a')),
      ({ ok }) => !ok,
    );
    expect(inserted).toEqual({ ok: true, value: undefined });
    expect(logger.lines).toHaveLength(1);
  });

  it('succeeds with a warning if the server hangs, and works when it continues', async ({ cleanUp }) => {
    const redis = await server(cleanUp);
    redis.hang();
    const { opened, logger } = await open(cleanUp, redis.url());
    if (!opened.ok) throw new Error(opened.error);
    expect(logger.lines).toMatchObject([{ fields: { reason: 'no connection within 2 s' } }]);
    redis.goOn();
    const { sessions } = opened.value;
    expect(
      await changed(
        () => sessions.count(),
        ({ ok }) => !ok,
      ),
    ).toEqual({ ok: true, value: 0 });
  });

  it('never uses an unsuitable later server, and reports why', async ({ cleanUp }) => {
    const port = await freePort();
    const { opened } = await open(cleanUp, `redis://127.0.0.1:${port}`);
    if (!opened.ok) throw new Error(opened.error);
    const master = await server(cleanUp);
    await server(cleanUp, { port, settings: [['replicaof', `127.0.0.1 ${master.port}`]] });
    const { sessions } = opened.value;
    const answer = await changed(
      () => sessions.count(),
      (counted) => !counted.ok && !counted.error.reason.includes('replica'),
    );
    expect(answer).toMatchObject({ error: { reason: expect.stringContaining('read-only replica') } });
  });

  it('leaks nothing if closed before the connection', async ({ cleanUp }) => {
    const port = await freePort();
    const { opened } = await open(cleanUp, `redis://127.0.0.1:${port}`);
    if (!opened.ok) throw new Error(opened.error);
    await opened.value.close();
    const redis = await server(cleanUp, { port });
    expect(await opened.value.sessions.count()).toMatchObject({ error: { reason: expect.stringContaining('closed') } });
    expect(await redis.send('CLIENT', 'LIST')).not.toMatch(/\n.*\n/);
  });

  it('fails for an untrusted certificate', async ({ cleanUp }) => {
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const certificate = pki.server('localhost', { names: ['IP:127.0.0.1'] });
    const port = String(await freePort());
    const redis = await server(cleanUp, {
      port: Number(port),
      settings: [
        ['port', '0'],
        ['tls-port', port],
        ['tls-cert-file', certificate.certificateFile],
        ['tls-key-file', certificate.keyFile],
        ['tls-auth-clients', 'no'],
      ],
    });
    expect((await open(cleanUp, `rediss://127.0.0.1:${redis.port}`)).error).toContain('its certificate is not trusted');
  });

  it('warns about a server that evicts keys', async ({ cleanUp }) => {
    const redis = await server(cleanUp, {
      settings: [
        ['maxmemory', '100mb'],
        ['maxmemory-policy', 'allkeys-lru'],
      ],
    });
    const { opened, logger } = await open(cleanUp, redis.url());
    expect(opened.ok).toBe(true);
    expect(logger.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('allkeys-lru') }]);
  });

  it('refuses a replica and a cluster', async ({ cleanUp }) => {
    const master = await server(cleanUp);
    const replica = await server(cleanUp, { settings: [['replicaof', `127.0.0.1 ${master.port}`]] });
    expect((await open(cleanUp, replica.url())).error).toContain('read-only replica');
    const cluster = await server(cleanUp, { settings: [['cluster-enabled', 'yes']] });
    expect((await open(cleanUp, cluster.url())).error).toContain('Redis Cluster');
  });

  it('refuses options of another store', async () => {
    const opened = await new RedisStoreOpener(new RecordingLogger()).open(
      { kind: 'memory' },
      'https://gateway.example',
    );
    expect(opened).toMatchObject({ ok: false });
  });
});

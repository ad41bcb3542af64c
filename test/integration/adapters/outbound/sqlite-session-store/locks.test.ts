import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import { openSqlite, refusalOf } from '../../../../support/agent/sqlite-stores.js';
import { hashOf, noonMs, succeeded, testSession, testSignOnRequest } from '../../../../support/agent/test-sessions.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

describe('a SQLite store that another program locks', () => {
  let folder: TemporaryFolder;
  let path: string;
  let stores: SessionStores;
  let other: Sqlite.Database;
  beforeEach(async () => {
    folder = temporaryFolder();
    path = folder.file('sessions.db');
    stores = await succeeded(openSqlite(path));
    await succeeded(stores.sessions.insert(testSession('before')));
    other = new Sqlite(path);
  });
  afterEach(async () => {
    other.close();
    await stores.close();
    folder.remove();
  });

  it('never blocks the thread', async () => {
    const database = await openDatabase(path, false);
    if (!database.ok) throw new Error(database.error);
    expect(database.value.pragma('busy_timeout', { simple: true })).toBe(0);
    database.value.close();
  });

  it('fails every write after the timeout, and still reads', async () => {
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 1);
    const { sessions, replays, requests } = stores;
    const writes = await Promise.all([
      sessions.insert(testSession('during')),
      sessions.touch([{ idHash: hashOf('before'), lastSeenMs: noonMs + 1 }]),
      sessions.remove(hashOf('before')),
      replays.remember('message', noonMs + 1, noonMs),
      requests.insert(testSignOnRequest('one')),
      requests.take(hashOf('one'), noonMs),
    ]);
    clearInterval(count);
    const refusal = { ok: false, error: { reason: `${path} is locked by another process` } };
    for (const write of writes) expect(write).toEqual(refusal);
    // The thread was free meanwhile.
    expect(turns).toBeGreaterThan(10);
    expect(await succeeded(sessions.find(hashOf('before')))).toEqual(testSession('before'));
    expect(await succeeded(sessions.find(hashOf('during')))).toBeNull();

    other.exec('ROLLBACK');
    await succeeded(sessions.insert(testSession('after')));
    expect(await succeeded(replays.remember('message', noonMs + 1, noonMs))).toBe('first');
    expect(await succeeded(sessions.count())).toBe(2);
  });

  it('waits for a lock that is released in time', async () => {
    other.exec('BEGIN IMMEDIATE');
    const insert = stores.sessions.insert(testSession('during'));
    let isSettled = false;
    void insert.then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(isSettled).toBe(false);
    other.exec('COMMIT');
    expect(await insert).toEqual({ ok: true, value: undefined });
  });

  it('closes after the waiting writes are answered', async () => {
    other.exec('BEGIN IMMEDIATE');
    const insert = stores.sessions.insert(testSession('during'));
    const closed = stores.close();
    other.exec('COMMIT');
    await closed;
    expect(await insert).toMatchObject({ ok: true });
    expect(other.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(2);
  });

  it('refuses to open under an exclusive lock', async () => {
    const locked = folder.file('locked.db');
    await (await succeeded(openSqlite(locked))).close();
    const holder = new Sqlite(locked);
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec('BEGIN EXCLUSIVE');
    expect(await refusalOf(locked)).toBe(`${locked} is locked by another process`);
    holder.exec('COMMIT');
    holder.close();
    await (await succeeded(openSqlite(locked))).close();
  });

  it('refuses writes at once when too many wait', async () => {
    other.exec('BEGIN IMMEDIATE');
    const writes = Array.from({ length: 10_050 }, () => stores.sessions.remove(hashOf('before')));
    const surplus = await Promise.all(writes.slice(10_000));
    for (const write of surplus)
      expect(write).toMatchObject({ error: { reason: 'the write queue of the session store is full' } });
    other.exec('COMMIT');
    expect((await Promise.all(writes.slice(0, 10_000))).every(({ ok }) => ok)).toBe(true);
  });
});

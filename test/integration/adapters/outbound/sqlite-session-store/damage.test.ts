import { existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import { bySqlite, filledStore, nthName, openSqlite, refusalOf } from '../../../../support/agent/sqlite-stores.js';
import { hashOf, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const pageOctets = 4_096;
const sessionCount = 400;

describe('a damaged SQLite store', () => {
  let folder: TemporaryFolder;
  let path: string;
  const open: SessionStores[] = [];
  beforeEach(async () => {
    folder = temporaryFolder();
    path = folder.file('sessions.db');
    await filledStore(path, sessionCount);
  });
  afterEach(async () => {
    for (const stores of open.splice(0)) await stores.close();
    folder.remove();
  });

  const overwrite = (file: string, offset: number, octets: Uint8Array): void => {
    const content = readFileSync(file);
    content.set(octets, offset);
    writeFileSync(file, content);
  };
  const garbage = (length: number): Uint8Array => new Uint8Array(length).fill(0xa5);

  it.each([
    ['the first octets', 0, 16],
    ['the whole head', 0, 100],
    ['the first page', 0, pageOctets],
  ])('with an overwritten header (%s) is refused by name and not changed', async (_, offset, length) => {
    overwrite(path, offset, garbage(length));
    const before = readFileSync(path);
    const refusal = await refusalOf(path);
    expect(refusal).toContain(path);
    expect(refusal).toMatch(/damaged: stop all processes that use it, then restore a copy or move it away/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('with an overwritten schema is refused', async () => {
    overwrite(path, 100, garbage(pageOctets - 100));
    expect(await refusalOf(path)).toMatch(/is damaged/);
  });

  it('with overwritten pages fails, gives no wrong data, and is not recreated', async () => {
    const file = new Sqlite(path, { readonly: true });
    // Of the sessions and their indexes, but not of the schema.
    const pages = file.prepare<[], number>("SELECT pageno FROM dbstat WHERE name LIKE 'sessions%'").pluck().all();
    file.close();
    for (const page of pages) overwrite(path, (page - 1) * pageOctets, garbage(pageOctets));
    const stores = await succeeded(openSqlite(path));
    open.push(stores);
    const { sessions } = stores;
    const results = await Promise.all(
      Array.from({ length: sessionCount }, (_, index) => sessions.find(hashOf(nthName(index)))),
    );
    const reasons = new Set(results.map((result) => (result.ok ? 'found' : result.error.reason)));
    expect([...reasons]).toEqual([expect.stringMatching(/is damaged/)]);
    expect(await sessions.insert(testSession('new'))).toMatchObject({ ok: false });
  });

  it('with one overwritten page gives the right session or fails', async () => {
    const original = readFileSync(path);
    let failures = 0;
    for (let page = 5; page < original.length / pageOctets; page += 7) {
      writeFileSync(path, original);
      overwrite(path, page * pageOctets, garbage(pageOctets));
      const stores = await succeeded(openSqlite(path));
      for (let index = 0; index < sessionCount; index += 1) {
        const found = await stores.sessions.find(hashOf(nthName(index)));
        if (found.ok) expect(found.value).toEqual(testSession(nthName(index)));
        else failures += 1;
      }
      await stores.close();
    }
    expect(failures).toBeGreaterThan(0);
  });

  it.each([
    ['by its last page', (length: number) => length - pageOctets],
    ['in its middle', (length: number) => Math.floor(length / 2) + 100],
    ['after its first page', () => pageOctets + 100],
  ])('that is truncated %s is refused by name and not extended', async (_, rest) => {
    const left = rest(readFileSync(path).length);
    truncateSync(path, left);
    expect(await refusalOf(path)).toContain(`${path} is damaged`);
    expect(readFileSync(path)).toHaveLength(left);
  });

  it.each(['{', '{}', '[1]', '[{"name":"a"}]', '[{"name":"a","values":[1]}]', ''])(
    'with invalid attributes in a row (%s) gives no session',
    async (attributes) => {
      bySqlite(path, (database) =>
        database.prepare('UPDATE sessions SET attributes = ? WHERE id_hash = ?').run(attributes, hashOf(nthName(7))),
      );
      const stores = await succeeded(openSqlite(path));
      open.push(stores);
      expect(await stores.sessions.find(hashOf(nthName(7)))).toMatchObject({
        error: { reason: expect.stringContaining(`${path} is damaged`) },
      });
      expect(await succeeded(stores.sessions.find(hashOf(nthName(8))))).toEqual(testSession(nthName(8)));
    },
  );

  it('that is truncated to nothing is refused: it is no new store', async () => {
    truncateSync(path, 0);
    expect(await refusalOf(path)).toMatch(/is empty and not a session store/);
    expect(readFileSync(path)).toHaveLength(0);
  });

  it('with a foreign log is refused, because its content would be lost', async () => {
    writeFileSync(`${path}-wal`, garbage(10_000));
    expect(await refusalOf(path)).toMatch(/sessions\.db-wal is damaged/);
    expect(readFileSync(`${path}-wal`)).toHaveLength(10_000);
  });

  it('with a log that a power cut extended is opened', async () => {
    writeFileSync(`${path}-wal`, new Uint8Array(32_768));
    const stores = await succeeded(openSqlite(path));
    open.push(stores);
    expect(await succeeded(stores.sessions.count())).toBe(sessionCount);
  });

  it('with a log but no file is refused, because a new file would replay the log', async () => {
    const stores = await succeeded(openSqlite(path));
    open.push(stores);
    await succeeded(stores.sessions.insert(testSession('in the log')));
    renameSync(path, folder.file('away.db'));
    expect(await refusalOf(path)).toMatch(/sessions\.db is missing, but .*sessions\.db-wal exists/);
    expect(existsSync(path)).toBe(false);
    renameSync(folder.file('away.db'), path);
    expect(await succeeded(stores.sessions.find(hashOf('in the log')))).not.toBeNull();
  });
});

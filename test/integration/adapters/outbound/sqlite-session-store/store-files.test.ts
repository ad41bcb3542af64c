import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteStoreOpener } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import { bySqlite, filledStore, openSqlite, refusalOf } from '../../../../support/agent/sqlite-stores.js';
import { hashOf, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the files of a SQLite store', () => {
  let folder: TemporaryFolder;
  let path: string;
  let umask: number;
  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('sessions.db');
    // Whatever the mask of the process is: this one takes nothing away.
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    folder.remove();
  });

  it('are for only their owner, with the folders created for them', async () => {
    const deep = folder.file('one/two/sessions.db');
    const stores = await succeeded(openSqlite(deep));
    await succeeded(stores.sessions.insert(testSession('one')));
    for (const file of [deep, `${deep}-wal`, `${deep}-shm`]) expect(modeOf(file)).toBe(0o600);
    for (const made of [folder.file('one'), folder.file('one/two')]) expect(modeOf(made)).toBe(0o700);
    await stores.close();
    expect(readdirSync(folder.file('one/two'))).toEqual(['sessions.db']);
    expect(modeOf(deep)).toBe(0o600);
  });

  it('do not change an existing folder', async () => {
    mkdirSync(folder.file('there'), { mode: 0o755 });
    await (await succeeded(openSqlite(folder.file('there/sessions.db')))).close();
    expect(modeOf(folder.file('there'))).toBe(0o755);
  });

  it('lose permissions of others', async () => {
    await filledStore(path, 1);
    // As after a crash, with the files beside it.
    const other = await succeeded(openSqlite(path));
    await succeeded(other.sessions.insert(testSession('two')));
    const files = [path, `${path}-wal`, `${path}-shm`];
    for (const file of files) chmodSync(file, 0o664);
    const stores = await succeeded(openSqlite(path));
    for (const file of files) expect(modeOf(file)).toBe(0o600);
    await stores.close();
    await other.close();
  });

  it('are not followed if they are links', async () => {
    await filledStore(path, 1);
    symlinkSync(path, folder.file('link.db'));
    expect(await refusalOf(folder.file('link.db'))).toMatch(/link\.db is a symbolic link/);
    symlinkSync(folder.file('nowhere'), folder.file('broken.db'));
    expect(await refusalOf(folder.file('broken.db'))).toMatch(/symbolic link/);
    for (const end of ['-wal', '-shm']) {
      const base = folder.file(`beside${end}.db`);
      copyFileSync(path, base);
      symlinkSync(folder.write(`victim${end}`, 'precious'), `${base}${end}`);
      expect(await refusalOf(base)).toMatch(new RegExp(`${end} is a symbolic link`));
      expect(readFileSync(folder.file(`victim${end}`), 'utf8')).toBe('precious');
    }
    expect(existsSync(folder.file('nowhere'))).toBe(false);
  });

  it('must be regular files', async () => {
    expect(await refusalOf(folder.path)).toMatch(/is not a regular file/);
    execFileSync('mkfifo', [folder.file('fifo')]);
    expect(await refusalOf(folder.file('fifo'))).toMatch(/fifo is not a regular file/);
    expect(await refusalOf('/dev/null')).toMatch(/is not a regular file/);
    folder.write('file', 'text');
    expect(await refusalOf(folder.file('file/sessions.db'))).toMatch(/is not a folder/);
    expect(await refusalOf(folder.file(`${'x'.repeat(300)}.db`))).toMatch(/ENAMETOOLONG/);
  });

  it('must belong to the user of the program', async () => {
    let strange = '/etc/passwd';
    if (process.getuid?.() === 0) {
      await filledStore(path, 1);
      chownSync(path, 12_345, 12_345);
      strange = path;
    }
    expect(await refusalOf(strange)).toMatch(
      /belongs to user \d+, but this process runs as user \d+: run it as the owner/,
    );
  });

  it('of another program are refused and not changed', async () => {
    bySqlite(path, (database) => database.exec('CREATE TABLE precious (a); INSERT INTO precious VALUES (1)'));
    chmodSync(path, 0o644);
    const before = readFileSync(path);
    expect(await refusalOf(path)).toMatch(/is a database of another program: set another file/);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(modeOf(path)).toBe(0o644);

    const text = folder.write('notes.txt', 'remember the milk\n'.repeat(100));
    chmodSync(text, 0o644);
    expect(await refusalOf(text)).toMatch(/notes\.txt is not a SQLite database, or its header is damaged/);
    expect(readFileSync(text, 'utf8')).toBe('remember the milk\n'.repeat(100));
    expect(modeOf(text)).toBe(0o644);
  });

  it('of a later version are refused and not changed', async () => {
    await filledStore(path, 3);
    bySqlite(path, (database) => database.pragma('user_version = 99'));
    expect(await refusalOf(path)).toMatch(/was written by a later version \(schema 99; this version supports \d+\)/);
    expect(bySqlite(path, (database) => database.pragma('user_version', { simple: true }))).toBe(99);
    expect(bySqlite(path, (database) => database.prepare('SELECT count(*) FROM sessions').pluck().get())).toBe(3);
  });

  it('are not created without permission', async () => {
    const opener = new SqliteStoreOpener({ creates: false });
    const missing = folder.file('missing/sessions.db');
    const options = { kind: 'sqlite', path: missing } as const;
    expect(await opener.open(options, 'sp')).toEqual({ ok: false, error: `there is no session store at ${missing}` });
    expect(existsSync(folder.file('missing'))).toBe(false);
    await filledStore(path, 1);
    const stores = await succeeded(opener.open({ kind: 'sqlite', path }, 'sp'));
    expect(await succeeded(stores.sessions.count())).toBe(1);
    await stores.close();
  });

  it('are created once by concurrent starts, without a leftover draft', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => succeeded(openSqlite(path))));
    await Promise.all(all.map(({ sessions }, index) => succeeded(sessions.insert(testSession(`n${index}`)))));
    for (const { sessions } of all) expect(await succeeded(sessions.count())).toBe(5);
    await Promise.all(all.map((stores) => stores.close()));
    expect(readdirSync(folder.path)).toEqual(['sessions.db']);
  });

  it('that vanish or are replaced while in use make every call fail, because writes would be lost', async () => {
    await filledStore(path, 1);
    const stores = await succeeded(openSqlite(path));
    const copy = folder.file('copy.db');
    copyFileSync(path, copy);
    folder.write('replace.sh', `mv '${copy}' '${path}'`);
    execFileSync('sh', [folder.file('replace.sh')]);
    const expected = {
      ok: false,
      error: { reason: `${path} was removed or replaced while in use: reload or restart` },
    };
    expect(await stores.sessions.insert(testSession('late'))).toEqual(expected);
    expect(await stores.sessions.find(hashOf('n0'))).toEqual(expected);
    await stores.close();
  });

  it('are files even with a special name of SQLite', async () => {
    const before = process.cwd();
    process.chdir(folder.path);
    try {
      await filledStore(':memory:', 2);
      const stores = await succeeded(openSqlite(':memory:'));
      expect(await succeeded(stores.sessions.count())).toBe(2);
      await stores.close();
    } finally {
      process.chdir(before);
    }
    expect(readdirSync(folder.path)).toEqual([':memory:']);
  });

  it('refuse another kind of store', async () => {
    expect(await new SqliteStoreOpener().open({ kind: 'memory' }, 'sp')).toMatchObject({ ok: false });
  });

  it('that are empty are no new store', async () => {
    writeFileSync(path, '');
    expect(await refusalOf(path)).toMatch(/sessions\.db is empty and not a session store/);
    expect(statSync(path).size).toBe(0);
  });
});

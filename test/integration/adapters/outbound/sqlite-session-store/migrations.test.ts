import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  additions,
  applicationId,
  migrations,
} from '../../../../../src/adapters/outbound/sqlite-session-store/schema.js';
import { subjectHash } from '../../../../../src/adapters/outbound/sqlite-session-store/session-row.js';
import { formStatements } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-kept-form-store.js';
import { sessionStatements } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-session-store.js';
import {
  answeredStatements,
  requestStatements,
} from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-sign-on-request-store.js';
import {
  makeAdditions,
  migrate,
  replayStatements,
  SqliteStoreOpener,
  UnknownVersionError,
} from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import type { SessionStores } from '../../../../../src/application/ports/agent/session-stores.js';
import { hashOf, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

describe('the schema of a SQLite store', () => {
  let database: Sqlite.Database;
  beforeEach(() => {
    database = new Sqlite(':memory:');
  });
  afterEach(() => {
    database.close();
  });

  const version = (): unknown => database.pragma('user_version', { simple: true });
  const tables = (): unknown[] =>
    database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();

  it('migrates step by step from any version, each step once', () => {
    const steps = ['CREATE TABLE a (x)', 'CREATE TABLE b (x); CREATE TABLE c (x)', 'ALTER TABLE a RENAME TO z'];
    migrate(database, steps.slice(0, 1));
    expect([version(), tables()]).toEqual([1, ['a']]);
    migrate(database, steps);
    expect([version(), tables()]).toEqual([3, ['b', 'c', 'z']]);
    migrate(database, steps);
    expect(version()).toBe(3);
  });

  it('keeps the previous version if a step fails', () => {
    const steps = ['CREATE TABLE a (x)', 'CREATE TABLE b (x); INSERT INTO missing VALUES (1)', 'CREATE TABLE c (x)'];
    expect(() => migrate(database, steps)).toThrow(/missing/);
    expect([version(), tables(), database.inTransaction]).toEqual([1, ['a'], false]);
  });

  it('is refused if newer than supported', () => {
    database.pragma('user_version = 4');
    expect(() => migrate(database, ['', '', ''])).toThrow(UnknownVersionError);
    expect(tables()).toEqual([]);
  });

  const statements = Object.entries({ ...sessionStatements, ...replayStatements, ...requestStatements });
  const ofAdditions = Object.entries({ ...answeredStatements, ...formStatements });
  const all = [
    ...statements,
    ...ofAdditions,
    ['removeExpired of sessions', sessionStatements.removeExpired] as const,
    ['removeExpired of replays', replayStatements.removeExpired] as const,
  ];

  /** The steps of a plan, as in `SEARCH sessions USING INDEX sessions_by_hash (space=? AND id_hash=?)`. */
  const planOf = (statement: string): readonly string[] => {
    const parameters = Array.from({ length: statement.split('?').length - 1 }, () => 1);
    const steps = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`).all(...parameters);
    return steps.map(({ detail }) => detail);
  };

  it.each(all)('has an index for %s: no step reads a table, or all sessions of a space', (_, statement) => {
    migrate(database, migrations);
    makeAdditions(database);
    const reads = planOf(statement).filter(
      (step) =>
        (/SCAN|TEMP B-TREE/.test(step) && !step.includes('json_each')) ||
        (step.startsWith('SEARCH sessions ') && step.endsWith('(space=?)')),
    );
    expect(reads).toEqual([]);
  });

  it.each([
    ['find', 'sessions_by_hash (space=? AND id_hash=?)'],
    ['touch', 'sessions_by_hash (space=? AND id_hash=?)'],
    ['remove', 'sessions_by_hash (space=? AND id_hash=?)'],
    ['takeRefreshLease', 'sessions_by_hash (space=? AND id_hash=?)'],
    ['endRefresh', 'sessions_by_hash (space=? AND id_hash=?)'],
    ['removeOfUser', 'sessions_by_user (space=? AND user_id=?)'],
    ['removeOfSubject', 'sessions_by_subject (space=? AND subject_hash=?)'],
    ['removeIndexesOfSubject', 'sessions_by_subject (space=? AND subject_hash=?)'],
    ['removeNamed', 'sessions_by_name (space=? AND session_index=?)'],
    ['findByPrefix', 'sessions_by_hash (space=? AND id_hash>? AND id_hash<?)'],
    ['list', 'sessions_by_creation (space=? AND created_ms<?)'],
    ['listOfUser', 'sessions_by_user (space=? AND user_id=? AND created_ms<?)'],
    ['removeExpired', 'sessions_by_expiry (space=? AND expires_ms<?)'],
    ['removeIdle', 'sessions_by_last_seen (space=? AND last_seen_ms<?)'],
  ] as const)('finds the rows of %s by the index %s', (name, index) => {
    migrate(database, migrations);
    makeAdditions(database);
    expect(planOf(sessionStatements[name]).filter((step) => step.includes(index))).toHaveLength(1);
  });

  it('has additions without a version change, so that earlier programs open the file', () => {
    migrate(database, migrations);
    const before = version();
    for (let times = 0; times < 2; times += 1) makeAdditions(database);
    expect(version()).toBe(before);
    expect(tables()).toContain('answered_requests');
  });

  const earlierInsert = `INSERT INTO sessions (space, id_hash, user_id, name_id, name_id_format, name_qualifier,
    sp_name_qualifier, session_index, issuer, subject_hash, attributes, created_ms, expires_ms, last_seen_ms)
    VALUES (1, ?, 'alice', ?, ?, NULL, 'sp', '_7', 'https://idp.example', ?, '[]', 1, 2, 1)`;

  /** A file as a release that knew SAML alone has left it, with one session. */
  const earlierFile = (path: string, nameId: string): void => {
    const earlier = new Sqlite(path);
    earlier.pragma(`application_id = ${applicationId}`);
    migrate(earlier, migrations);
    earlier.exec(additions);
    earlier.exec("INSERT INTO spaces (name) VALUES ('sp')");
    earlier.prepare(earlierInsert).run(hashOf('one'), nameId, 'urn:format', subjectHash('https://idp.example', nameId));
    earlier.close();
  };

  const openFile = async (path: string): Promise<SessionStores> =>
    succeeded(new SqliteStoreOpener().open({ kind: 'sqlite', path }, 'sp'));

  it('keeps sessions of earlier releases, with data for sign-out at the provider', async () => {
    const folder = temporaryFolder();
    try {
      earlierFile(folder.file('s.db'), 'alice@example.com');
      const { sessions, close } = await openFile(folder.file('s.db'));
      expect(await succeeded(sessions.find(hashOf('one')))).toEqual({
        idHash: hashOf('one'),
        userId: 'alice',
        method: 'saml',
        provider: 'https://idp.example',
        logout: { subject: 'alice@example.com', session: '_7' },
        details: { name_id_format: 'urn:format', sp_name_qualifier: 'sp' },
        attributes: [],
        createdMs: 1,
        expiresMs: 2,
        lastSeenMs: 1,
      });
      const subject = {
        method: 'saml',
        provider: 'https://idp.example',
        subject: 'alice@example.com',
        sessionIndexes: ['_7'],
      } as const;
      expect(await succeeded(sessions.removeOfSubject(subject))).toEqual([hashOf('one')]);
      await close();
    } finally {
      folder.remove();
    }
  });

  it('counts the sessions of earlier releases by method, once, and what such a release writes later', async () => {
    const folder = temporaryFolder();
    try {
      earlierFile(folder.file('s.db'), 'alice@example.com');
      for (let opening = 0; opening < 2; opening += 1) {
        const { sessions, close } = await openFile(folder.file('s.db'));
        expect(await succeeded(sessions.countByMethod())).toEqual({ saml: 1, oidc: 0 });
        await close();
      }
      const { sessions, close } = await openFile(folder.file('s.db'));
      await succeeded(sessions.insert(testSession('two', { method: 'oidc' })));
      const earlier = new Sqlite(folder.file('s.db'));
      earlier.prepare(earlierInsert).run(hashOf('three'), 'bob', null, subjectHash('https://idp.example', 'bob'));
      expect(await succeeded(sessions.countByMethod())).toEqual({ saml: 2, oidc: 1 });
      earlier.prepare('DELETE FROM sessions WHERE id_hash IN (?, ?)').run(hashOf('one'), hashOf('two'));
      earlier.close();
      expect(await succeeded(sessions.countByMethod())).toEqual({ saml: 1, oidc: 0 });
      await close();
    } finally {
      folder.remove();
    }
  });

  it('lets an earlier release use the file, and reads its writes', async () => {
    const folder = temporaryFolder();
    try {
      earlierFile(folder.file('s.db'), '');
      const { sessions, close } = await openFile(folder.file('s.db'));
      await succeeded(sessions.insert(testSession('two')));
      const earlier = new Sqlite(folder.file('s.db'));
      earlier.prepare(earlierInsert).run(hashOf('three'), 'bob', null, subjectHash('https://idp.example', 'bob'));
      expect(
        earlier.prepare('SELECT name_id, session_index FROM sessions WHERE id_hash = ?').get(hashOf('two')),
      ).toEqual({
        name_id: 'alice@example.com',
        session_index: null,
      });
      earlier.close();
      expect(await succeeded(sessions.find(hashOf('one')))).toMatchObject({ logout: null });
      expect(await succeeded(sessions.find(hashOf('three')))).toMatchObject({
        method: 'saml',
        logout: { subject: 'bob', session: '_7' },
        details: { sp_name_qualifier: 'sp' },
      });
      await close();
    } finally {
      folder.remove();
    }
  });

  it('counts rows of each space with triggers', () => {
    migrate(database, migrations);
    database.exec("INSERT INTO spaces (name) VALUES ('a'), ('b')");
    const insert = database.prepare(
      "INSERT INTO requests (space, handle_hash, kind, request_id, return_to, created_ms, expires_ms) VALUES (?, ?, 'sign_on', '_', '/', 1, 1)",
    );
    for (const [space, handle] of [
      [1, 'x'],
      [1, 'y'],
      [2, 'x'],
    ] as const)
      insert.run(space, handle);
    database.exec("DELETE FROM requests WHERE handle_hash = 'x'");
    expect(database.prepare('SELECT requests FROM spaces ORDER BY id').pluck().all()).toEqual([1, 0]);
  });

  it('accepts only integer times, and only sessions of an existing space', () => {
    migrate(database, migrations);
    const insert = (space: number, moment: unknown) =>
      database.prepare('INSERT INTO replays (space, message, until_ms) VALUES (?, ?, ?)').run(space, 'x', moment);
    database.pragma('foreign_keys = ON');
    expect(() => insert(1, 1)).toThrow(/FOREIGN KEY/);
    database.exec("INSERT INTO spaces (name) VALUES ('a')");
    expect(() => insert(1, 1.5)).toThrow(/INTEGER/);
    expect(() => insert(1, 'soon')).toThrow(/INTEGER/);
    expect(insert(1, 1).changes).toBe(1);
  });
});

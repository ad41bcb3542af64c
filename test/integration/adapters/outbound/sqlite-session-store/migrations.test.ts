import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { additions, migrations } from '../../../../../src/adapters/outbound/sqlite-session-store/schema.js';
import { sessionStatements } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-session-store.js';
import {
  answeredStatements,
  requestStatements,
} from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-sign-on-request-store.js';
import {
  migrate,
  replayStatements,
  UnknownVersionError,
} from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';

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

  it('grows step by step from wherever it is, and no step is taken twice', () => {
    const steps = ['CREATE TABLE a (x)', 'CREATE TABLE b (x); CREATE TABLE c (x)', 'ALTER TABLE a RENAME TO z'];
    migrate(database, steps.slice(0, 1));
    expect([version(), tables()]).toEqual([1, ['a']]);
    migrate(database, steps);
    expect([version(), tables()]).toEqual([3, ['b', 'c', 'z']]);
    migrate(database, steps);
    expect(version()).toBe(3);
  });

  it('stays at the version before where a step fails half-way', () => {
    const steps = ['CREATE TABLE a (x)', 'CREATE TABLE b (x); INSERT INTO missing VALUES (1)', 'CREATE TABLE c (x)'];
    expect(() => migrate(database, steps)).toThrow(/missing/);
    expect([version(), tables(), database.inTransaction]).toEqual([1, ['a'], false]);
  });

  it('is refused where it is later than what is known', () => {
    database.pragma('user_version = 4');
    expect(() => migrate(database, ['', '', ''])).toThrow(UnknownVersionError);
    expect(tables()).toEqual([]);
  });

  const statements = Object.entries({ ...sessionStatements, ...replayStatements, ...requestStatements });
  const ofAdditions = Object.entries(answeredStatements);
  const all = [
    ...statements,
    ...ofAdditions,
    ['removeExpired of sessions', sessionStatements.removeExpired] as const,
    ['removeExpired of replays', replayStatements.removeExpired] as const,
  ];

  it.each(all)('has an index for %s: none of its steps looks through a table', (_, statement) => {
    migrate(database, migrations);
    database.exec(additions);
    const parameters = Array.from({ length: statement.split('?').length - 1 }, () => 1);
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...parameters);
    const scans = steps
      .map((step) => JSON.stringify(step))
      .filter((step) => /SCAN|TEMP B-TREE/.test(step) && !step.includes('json_each'));
    expect(scans).toEqual([]);
  });

  it('has additions that change no version, so that earlier programs open the file, and come once', () => {
    migrate(database, migrations);
    const before = version();
    for (let times = 0; times < 2; times += 1) database.exec(additions);
    expect(version()).toBe(before);
    expect(tables()).toContain('answered_requests');
  });

  it('counts by triggers what is there, for each space', () => {
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

  it('takes a moment that is a whole number alone, and no session of a space that is not there', () => {
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

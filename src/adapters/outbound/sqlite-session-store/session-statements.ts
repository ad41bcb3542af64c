import { type SessionRow, sessionColumns } from './session-row.js';
import type { Database, Statement } from './sqlite-module.js';

/** One page of a list, before or after the place where the page before it ended. */
const page = (where: string): string =>
  `SELECT ${sessionColumns} FROM sessions WHERE ${where} AND (created_ms, id) < (?, ?)
   ORDER BY created_ms DESC, id DESC LIMIT ?`;

const removeFew = (where: string, order: string): string =>
  `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE ${where} ORDER BY ${order} LIMIT ?)`;

/** Every statement on sessions. Each finds its rows by an index, however many there are. */
export const sessionStatements = {
  insert: `INSERT INTO sessions (space, id_hash, user_id, name_id, name_id_format, name_qualifier, sp_name_qualifier,
    session_index, issuer, subject_hash, attributes, created_ms, expires_ms, last_seen_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  find: `SELECT ${sessionColumns} FROM sessions WHERE space = ? AND id_hash = ?`,
  touch: 'UPDATE sessions SET last_seen_ms = ? WHERE space = ? AND id_hash = ? AND last_seen_ms < ?',
  remove: 'DELETE FROM sessions WHERE space = ? AND id_hash = ?',
  removeOfSubject: `DELETE FROM sessions WHERE space = ? AND subject_hash = ? AND issuer = ? AND name_id = ?
    RETURNING id_hash`,
  removeIndexesOfSubject: `DELETE FROM sessions WHERE space = ? AND subject_hash = ? AND issuer = ? AND name_id = ?
    AND session_index IN (SELECT value FROM json_each(?)) RETURNING id_hash`,
  removeOfUser: 'DELETE FROM sessions WHERE space = ? AND user_id = ? RETURNING id_hash',
  list: page('space = ?'),
  listOfUser: page('space = ? AND user_id = ?'),
  findByPrefix: `SELECT ${sessionColumns} FROM sessions WHERE space = ? AND id_hash >= ? AND id_hash < ?
    ORDER BY id_hash LIMIT ?`,
  removeExpired: removeFew('space = ? AND expires_ms <= ?', 'expires_ms'),
  removeIdle: removeFew('space = ? AND last_seen_ms < ?', 'last_seen_ms'),
  count: 'SELECT sessions FROM spaces WHERE id = ?',
} as const;

type Text = string | null;
type Columns = [string, string, string, Text, Text, Text, Text, string, Uint8Array, string, number, number, number];

/** The statements, prepared for one database. The first parameter is the space; `touch` has the moment before it. */
export interface SessionStatements {
  readonly insert: Statement<[number, ...Columns]>;
  readonly find: Statement<[number, string], SessionRow>;
  readonly touch: Statement<[number, number, string, number]>;
  readonly remove: Statement<[number, string]>;
  readonly removeOfSubject: Statement<[number, Uint8Array, string, string], string>;
  readonly removeIndexesOfSubject: Statement<[number, Uint8Array, string, string, string], string>;
  readonly removeOfUser: Statement<[number, string], string>;
  readonly list: Statement<[number, number, number, number], SessionRow>;
  readonly listOfUser: Statement<[number, string, number, number, number], SessionRow>;
  readonly findByPrefix: Statement<[number, string, string, number], SessionRow>;
  readonly removeExpired: Statement<[number, number, number]>;
  readonly removeIdle: Statement<[number, number, number]>;
  readonly count: Statement<[number], number>;
}

export const prepareSessionStatements = (database: Database): SessionStatements => ({
  insert: database.prepare(sessionStatements.insert),
  find: database.prepare(sessionStatements.find),
  touch: database.prepare(sessionStatements.touch),
  remove: database.prepare(sessionStatements.remove),
  removeOfSubject: database
    .prepare<[number, Uint8Array, string, string], string>(sessionStatements.removeOfSubject)
    .pluck(),
  removeIndexesOfSubject: database
    .prepare<[number, Uint8Array, string, string, string], string>(sessionStatements.removeIndexesOfSubject)
    .pluck(),
  removeOfUser: database.prepare<[number, string], string>(sessionStatements.removeOfUser).pluck(),
  list: database.prepare(sessionStatements.list),
  listOfUser: database.prepare(sessionStatements.listOfUser),
  findByPrefix: database.prepare(sessionStatements.findByPrefix),
  removeExpired: database.prepare(sessionStatements.removeExpired),
  removeIdle: database.prepare(sessionStatements.removeIdle),
  count: database.prepare<[number], number>(sessionStatements.count).pluck(),
});

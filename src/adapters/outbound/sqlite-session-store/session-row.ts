import { createHash } from 'node:crypto';
import type { AssertionAttribute } from '../../../domain/agent/saml/assertion.js';
import type { Session } from '../../../domain/agent/saml/session/session.js';
import { storedNameId } from '../../../domain/agent/saml/session/stored-name-id.js';
import { DamagedRowError } from './sqlite-faults.js';

/** A session as its table has it. */
export interface SessionRow {
  readonly id: number;
  readonly id_hash: string;
  readonly user_id: string;
  readonly name_id: string;
  readonly name_id_format: string | null;
  readonly name_qualifier: string | null;
  readonly sp_name_qualifier: string | null;
  readonly session_index: string | null;
  readonly issuer: string;
  readonly attributes: string;
  readonly created_ms: number;
  readonly expires_ms: number;
  readonly last_seen_ms: number;
}

/** What a row needs to become a session again, and its place in lists. */
export const sessionColumns =
  'id, id_hash, user_id, name_id, name_id_format, name_qualifier, sp_name_qualifier, session_index, issuer, attributes, ' +
  'created_ms, expires_ms, last_seen_ms';

/** A subject in one short key: names are as long as an identity provider likes. */
export const subjectHash = (issuer: string, nameId: string): Uint8Array =>
  createHash('sha256').update(`${issuer.length}:${issuer}${nameId}`).digest();

const isAttribute = (value: unknown): value is AssertionAttribute =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'values' in value &&
  Array.isArray(value.values) &&
  value.values.every((item) => typeof item === 'string');

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new DamagedRowError();
  }
};

/** Throws where it is not what `JSON.stringify` made of attributes. */
const attributesOf = (text: string): readonly AssertionAttribute[] => {
  const value = parsed(text);
  if (!Array.isArray(value) || !value.every(isAttribute)) throw new DamagedRowError();
  return value;
};

/** Throws a DamagedRowError. */
export const sessionOf = (row: SessionRow): Session => ({
  idHash: row.id_hash,
  userId: row.user_id,
  nameId: storedNameId({
    value: row.name_id,
    format: row.name_id_format,
    nameQualifier: row.name_qualifier,
    spNameQualifier: row.sp_name_qualifier,
  }),
  sessionIndex: row.session_index,
  issuer: row.issuer,
  attributes: attributesOf(row.attributes),
  createdMs: row.created_ms,
  expiresMs: row.expires_ms,
  lastSeenMs: row.last_seen_ms,
});

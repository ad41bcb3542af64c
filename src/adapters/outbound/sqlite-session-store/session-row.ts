import { createHash } from 'node:crypto';
import {
  type Session,
  type SessionAttribute,
  type SignOnMethod,
  signOnMethods,
} from '../../../domain/agent/sessions/session.js';
import { DamagedRowError } from './sqlite-faults.js';

/** A row of the session table. */
export interface SessionRow {
  readonly id: number;
  readonly id_hash: string;
  readonly user_id: string;
  /** The subject of the logout index; empty: none. */
  readonly name_id: string;
  /** This and the next two: parts of a NameID, in rows of SAML-only releases. */
  readonly name_id_format: string | null;
  readonly name_qualifier: string | null;
  readonly sp_name_qualifier: string | null;
  readonly session_index: string | null;
  readonly issuer: string;
  readonly method: string;
  /** JSON; null in rows of SAML-only releases. */
  readonly details: string | null;
  readonly attributes: string;
  readonly created_ms: number;
  readonly expires_ms: number;
  readonly last_seen_ms: number;
}

/** Columns of a session and its position in lists. */
export const sessionColumns =
  'id, id_hash, user_id, name_id, name_id_format, name_qualifier, sp_name_qualifier, session_index, issuer, method, ' +
  'details, attributes, ' +
  'created_ms, expires_ms, last_seen_ms';

/** A short key for a subject of any length. */
export const subjectHash = (provider: string, subject: string): Uint8Array =>
  createHash('sha256').update(`${provider.length}:${provider}${subject}`).digest();

const isAttribute = (value: unknown): value is SessionAttribute =>
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

/** Throws a DamagedRowError if the text is not a list of attributes. */
const attributesOf = (text: string): readonly SessionAttribute[] => {
  const value = parsed(text);
  if (!Array.isArray(value) || !value.every(isAttribute)) throw new DamagedRowError();
  return value;
};

const methodOf = (text: string): SignOnMethod => {
  const method = signOnMethods.find((known) => known === text);
  if (method === undefined) throw new DamagedRowError();
  return method;
};

const isDetails = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === 'string');

const detailsOf = (text: string): Readonly<Record<string, string>> => {
  const value = parsed(text);
  if (!isDetails(value)) throw new DamagedRowError();
  return value;
};

/** The details of a session of SAML, from the columns that earlier releases kept them in. */
const earlierDetails = (row: SessionRow): Readonly<Record<string, string>> => ({
  ...(row.name_id_format !== null && { name_id_format: row.name_id_format }),
  ...(row.name_qualifier !== null && { name_qualifier: row.name_qualifier }),
  ...(row.sp_name_qualifier !== null && { sp_name_qualifier: row.sp_name_qualifier }),
});

/** Throws a DamagedRowError. */
export const sessionOf = (row: SessionRow): Session => ({
  idHash: row.id_hash,
  userId: row.user_id,
  method: methodOf(row.method),
  provider: row.issuer,
  logout: row.name_id === '' ? null : { subject: row.name_id, session: row.session_index },
  details: row.details === null ? earlierDetails(row) : detailsOf(row.details),
  attributes: attributesOf(row.attributes),
  createdMs: row.created_ms,
  expiresMs: row.expires_ms,
  lastSeenMs: row.last_seen_ms,
});

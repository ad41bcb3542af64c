import type { AssertionAttribute, NameId } from '../../../domain/agent/saml/assertion.js';
import type { Session } from '../../../domain/agent/saml/session/session.js';
import { noNameId, storedNameId } from '../../../domain/agent/saml/session/stored-name-id.js';

/** The value of a JSON text; undefined: the text is not JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The part of a session that never changes, as Redis stores it. Version 1. */
interface SessionRecord {
  readonly v: 1;
  readonly user: string;
  /** Value, format, name qualifier, service provider's name qualifier. */
  readonly nameId: readonly [string, string | null, string | null, string | null];
  readonly index: string | null;
  readonly issuer: string;
  readonly attributes: readonly (readonly [string, readonly string[]])[];
  readonly created: number;
  readonly expires: number;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isMoment = (value: unknown): value is number => Number.isSafeInteger(value);

const isAttribute = (value: unknown): value is readonly [string, readonly string[]] =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && Array.isArray(value[1]) && value[1].every(isText);

const isSessionRecord = (value: unknown): value is SessionRecord =>
  isRecord(value) &&
  value['v'] === 1 &&
  isText(value['user']) &&
  Array.isArray(value['nameId']) &&
  value['nameId'].length === 4 &&
  isText(value['nameId'][0]) &&
  value['nameId'].every(isTextOrNull) &&
  isTextOrNull(value['index']) &&
  isText(value['issuer']) &&
  Array.isArray(value['attributes']) &&
  value['attributes'].every(isAttribute) &&
  isMoment(value['created']) &&
  isMoment(value['expires']);

export const writeSessionRecord = (session: Session): string => {
  const { value, format, nameQualifier, spNameQualifier } = session.nameId ?? noNameId;
  const record: SessionRecord = {
    v: 1,
    user: session.userId,
    nameId: [value, format, nameQualifier, spNameQualifier],
    index: session.sessionIndex,
    issuer: session.issuer,
    attributes: session.attributes.map(({ name, values }) => [name, values] as const),
    created: session.createdMs,
    expires: session.expiresMs,
  };
  return JSON.stringify(record);
};

const nameIdOf = ([value, format, nameQualifier, spNameQualifier]: SessionRecord['nameId']): NameId | null =>
  storedNameId({ value, format, nameQualifier, spNameQualifier });

const attributesOf = ({ attributes }: SessionRecord): readonly AssertionAttribute[] =>
  attributes.map(([name, values]) => ({ name, values }));

/**
 * Reads a session from the answer of a script: its hash, its record, and when it was last seen. Null: Redis holds something
 * else. When eviction has removed the last-seen time, the time of creation takes its place.
 */
export const readShownSession = (shown: unknown): Session | null => {
  if (!Array.isArray(shown)) return null;
  const [idHash, text, seen]: readonly unknown[] = shown;
  if (!isText(idHash) || !isText(text)) return null;
  const record = parsedJson(text);
  if (!isSessionRecord(record)) return null;
  const lastSeenMs = isText(seen) ? Number(seen) : record.created;
  if (!isMoment(lastSeenMs)) return null;
  return {
    idHash,
    userId: record.user,
    nameId: nameIdOf(record.nameId),
    sessionIndex: record.index,
    issuer: record.issuer,
    attributes: attributesOf(record),
    createdMs: record.created,
    expiresMs: record.expires,
    lastSeenMs,
  };
};

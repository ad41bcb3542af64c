import {
  type Session,
  type SessionAttribute,
  type SignOnMethod,
  signOnMethods,
} from '../../../domain/agent/sessions/session.js';

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

/** A session without its last-seen time, as Redis stores it. Version 1. */
interface SessionRecord {
  readonly v: 1;
  readonly user: string;
  /** Absent in records of SAML-only releases. */
  readonly method?: SignOnMethod;
  /**
   * The subject of the logout index; empty: none. Records without `details` have the format, the
   * name qualifier and the service provider's name qualifier of a NameID behind it.
   */
  readonly nameId: readonly [string, string | null, string | null, string | null];
  /** Session id of the provider. */
  readonly index: string | null;
  /** The identity provider. */
  readonly issuer: string;
  readonly details?: Readonly<Record<string, string>>;
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
  (value['method'] === undefined || signOnMethods.some((method) => method === value['method'])) &&
  (value['details'] === undefined || (isRecord(value['details']) && Object.values(value['details']).every(isText))) &&
  Array.isArray(value['attributes']) &&
  value['attributes'].every(isAttribute) &&
  isMoment(value['created']) &&
  isMoment(value['expires']);

export const writeSessionRecord = (session: Session): string => {
  const record: SessionRecord = {
    v: 1,
    user: session.userId,
    method: session.method,
    nameId: [session.logout?.subject ?? '', null, null, null],
    index: session.logout?.session ?? null,
    issuer: session.provider,
    details: session.details,
    attributes: session.attributes.map(({ name, values }) => [name, values] as const),
    created: session.createdMs,
    expires: session.expiresMs,
  };
  return JSON.stringify(record);
};

/**
 * The details of a session of SAML, from the parts of its NameID that earlier releases kept by
 * themselves.
 */
const earlierDetails = ([, format, qualifier, spQualifier]: SessionRecord['nameId']): Readonly<
  Record<string, string>
> => ({
  ...(format !== null && { name_id_format: format }),
  ...(qualifier !== null && { name_qualifier: qualifier }),
  ...(spQualifier !== null && { sp_name_qualifier: spQualifier }),
});

const attributesOf = ({ attributes }: SessionRecord): readonly SessionAttribute[] =>
  attributes.map(([name, values]) => ({ name, values }));

/**
 * Reads a session from the answer of a script: its hash, its record, and when it was last seen.
 * Null: Redis holds something else. When eviction has removed the last-seen time, the time of
 * creation takes its place.
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
    method: record.method ?? 'saml',
    provider: record.issuer,
    logout: record.nameId[0] === '' ? null : { subject: record.nameId[0], session: record.index },
    details: record.details ?? earlierDetails(record.nameId),
    attributes: attributesOf(record),
    createdMs: record.created,
    expiresMs: record.expires,
    lastSeenMs,
  };
};

import { cookieValues } from '../../http/cookies.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';
import { err, ok, type Result } from '../../shared/result.js';
import { isBearerToken } from './authorization-credential.js';

/** A header or cookie, besides Authorization, in which clients send access tokens of some providers. */
export interface TokenPlace {
  readonly kind: 'header' | 'cookie';
  /** A header in lower case, or a cookie with its case. */
  readonly name: string;
  /** The issuers whose tokens are accepted there. */
  readonly issuers: ReadonlySet<string>;
  /** Whether tokens that are no JWT are introspected there. */
  readonly introspects: boolean;
}

/** The token in such a place. */
export interface PlacedToken {
  readonly place: TokenPlace;
  /** Null: the value cannot be a token (RFC 6750, section 2.1). */
  readonly token: string | null;
  /** The request has several cookies of the name. Choosing one would be a guess. */
  readonly isRepeated: boolean;
}

/** The options of a provider that determine its places. */
interface PlacedOptions {
  readonly issuer: string;
  readonly tokenHeader: string | null;
  readonly tokenCookie: string | null;
  readonly introspection: object | null;
}

/** The places of the providers in the order of look-up: headers, then cookies, each in the order of the providers. */
export const tokenPlaces = (providers: readonly PlacedOptions[]): readonly TokenPlace[] => {
  const collect = (kind: TokenPlace['kind'], nameOf: (provider: PlacedOptions) => string | null) => {
    const issuers = new Map<string, Set<string>>();
    const introspected = new Set<string>();
    for (const provider of providers) {
      const name = nameOf(provider);
      if (name === null) continue;
      if (provider.introspection !== null) introspected.add(name);
      issuers.set(name, (issuers.get(name) ?? new Set()).add(provider.issuer));
    }
    return Array.from(
      issuers,
      ([name, accepted]): TokenPlace => ({ kind, name, issuers: accepted, introspects: introspected.has(name) }),
    );
  };
  return [
    ...collect('header', ({ tokenHeader }) => tokenHeader?.toLowerCase() ?? null),
    ...collect('cookie', ({ tokenCookie }) => tokenCookie),
  ];
};

const placed = (place: TokenPlace, values: readonly string[]): PlacedToken => {
  const [value = ''] = values;
  return { place, token: isBearerToken(value) ? value : null, isRepeated: values.length > 1 };
};

/** The first token in one of the places; null if there is none. A repeated header fails. */
export const findPlacedToken = (
  headers: HeaderList,
  places: readonly TokenPlace[],
): Result<PlacedToken | null, 'ambiguous_credentials'> => {
  let found: PlacedToken | null = null;
  for (const place of places) {
    if (place.kind === 'cookie' && found !== null) break;
    const values = place.kind === 'header' ? allHeaders(headers, place.name) : cookieValues(headers, place.name);
    if (place.kind === 'header' && values.length > 1) return err('ambiguous_credentials');
    if (values.length > 0) found ??= placed(place, values);
  }
  return ok(found);
};

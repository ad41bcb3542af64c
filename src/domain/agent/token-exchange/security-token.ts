import type { Claims } from '../tokens/claims.js';

/** The accepted kinds of security tokens (RFC 8693, section 3), by short name. */
export const tokenKinds = ['access_token', 'jwt', 'id_token', 'saml2'] as const;
export type ExchangeTokenKind = (typeof tokenKinds)[number];

/** The kinds of tokens that the agent issues. */
export const issuedKinds = ['access_token', 'jwt'] as const;
export type IssuedKind = (typeof issuedKinds)[number];

const prefix = 'urn:ietf:params:oauth:token-type:';

/** The URI of a kind, as in `subject_token_type`. */
export const tokenTypeUri = (kind: ExchangeTokenKind): string => `${prefix}${kind}`;

/** The kind of a token type URI, case-sensitive; null: not supported. */
export const tokenKindOf = (uri: string): ExchangeTokenKind | null =>
  tokenKinds.find((kind) => tokenTypeUri(kind) === uri) ?? null;

export const isIssuedKind = (kind: ExchangeTokenKind): kind is IssuedKind => kind === 'access_token' || kind === 'jwt';

/** A verified subject or actor token. */
export interface SecurityToken {
  readonly kind: ExchangeTokenKind;
  /** `iss`, or the entity id of the identity provider; null: a JWT without issuer. */
  readonly issuer: string | null;
  /** A valid user id. */
  readonly subject: string;
  /** The claims of a JWT, or the attributes of an assertion. */
  readonly claims: Claims;
  /** The moment of expiry, without tolerance, in milliseconds since the Unix epoch. */
  readonly expiresMs: number;
  /** Whether this agent issued it. */
  readonly isOwn: boolean;
  /** Whether its header declares an access token (RFC 9068, section 2.1). */
  readonly isTypedForAccess: boolean;
  /** A one-time token, whose key must be stored until `untilMs`; null: it may be used again. */
  readonly oneTime: { readonly key: string; readonly untilMs: number } | null;
}

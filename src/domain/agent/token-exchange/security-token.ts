import type { Claims } from '../tokens/claims.js';

/** Kinds of security tokens that are read here (RFC 8693, section 3), by their short names. */
export const tokenKinds = ['access_token', 'jwt', 'id_token', 'saml2'] as const;
export type ExchangeTokenKind = (typeof tokenKinds)[number];

/** Kinds of tokens that are issued here. */
export const issuedKinds = ['access_token', 'jwt'] as const;
export type IssuedKind = (typeof issuedKinds)[number];

const prefix = 'urn:ietf:params:oauth:token-type:';

/** The URI of a kind, as `subject_token_type` has it. */
export const tokenTypeUri = (kind: ExchangeTokenKind): string => `${prefix}${kind}`;

/** The kind that a token type URI names; null: one that is not read here. Case counts. */
export const tokenKindOf = (uri: string): ExchangeTokenKind | null =>
  tokenKinds.find((kind) => tokenTypeUri(kind) === uri) ?? null;

export const isIssuedKind = (kind: ExchangeTokenKind): kind is IssuedKind => kind === 'access_token' || kind === 'jwt';

/** A subject or actor token that has been verified. */
export interface SecurityToken {
  readonly kind: ExchangeTokenKind;
  /** `iss`, or the entity id of the identity provider; null: a JWT that names no issuer. */
  readonly issuer: string | null;
  /** A usable user id. */
  readonly subject: string;
  /** What it says: all claims of a JWT, the attributes of an assertion. */
  readonly claims: Claims;
  /** The first moment at which it is over by its own word, without a tolerance; milliseconds since the Unix epoch. */
  readonly expiresMs: number;
  /** It was issued here. */
  readonly isOwn: boolean;
  /** It is a JWT whose header says that it is an access token (RFC 9068, section 2.1). */
  readonly isTypedForAccess: boolean;
  /** It may be taken once: its id has to be remembered until `untilMs`. Null: it may be taken again. */
  readonly oneTime: { readonly key: string; readonly untilMs: number } | null;
}

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

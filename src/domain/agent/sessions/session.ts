/** How a user signed on. Each method has a folder in `src/application/agent/sign-on`. */
export const signOnMethods = ['saml', 'oidc'] as const;
export type SignOnMethod = (typeof signOnMethods)[number];

/** An attribute of the user, as the identity provider stated it. */
export interface SessionAttribute {
  readonly name: string;
  /** In the order of the assertion. */
  readonly values: readonly string[];
}

/** The names by which a logout request of the identity provider finds a session. */
export interface LogoutIdentifiers {
  /** The subject: the value of a SAML NameID. */
  readonly subject: string;
  /** The provider's name of its session: a SAML SessionIndex; null: it gave none. */
  readonly session: string | null;
}

/** A session of a user, as stores keep it. Times are milliseconds since the Unix epoch. */
export interface Session {
  /** SHA-256 of the session id, in lower-case hexadecimal. Only the cookie holds the id itself. */
  readonly idHash: string;
  readonly userId: string;
  readonly method: SignOnMethod;
  /** The identity provider: the entity id of a SAML provider; of an OpenID provider, its issuer with the block's name. */
  readonly provider: string;
  /** Null: the provider named no subject, so its logout requests cannot find the session. */
  readonly logout: LogoutIdentifiers | null;
  /** Data with which the method signs the user out at the provider. Opaque to stores. */
  readonly details: Readonly<Record<string, string>>;
  readonly attributes: readonly SessionAttribute[];
  readonly createdMs: number;
  /** The session ends at this time, even while it is in use. */
  readonly expiresMs: number;
  readonly lastSeenMs: number;
}

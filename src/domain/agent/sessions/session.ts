/** How a user signed on. A further method adds its name here and a folder beside `saml`. */
export const signOnMethods = ['saml'] as const;
export type SignOnMethod = (typeof signOnMethods)[number];

/** An attribute of the user, as the identity provider stated it. */
export interface SessionAttribute {
  readonly name: string;
  /** In their order. */
  readonly values: readonly string[];
}

/** What a logout by the identity provider names a session by. */
export interface LogoutIndex {
  /** The subject: the value of a SAML NameID. */
  readonly subject: string;
  /** The provider's own session: a SAML SessionIndex; null: it names none. */
  readonly session: string | null;
}

/** A session of a user, as stores keep it. Times are milliseconds since the Unix epoch. */
export interface Session {
  /** SHA-256 of the session id, in lower-case hexadecimal. Only the cookie holds the id itself. */
  readonly idHash: string;
  readonly userId: string;
  readonly method: SignOnMethod;
  /** The identity provider: the entity id of a SAML provider. */
  readonly provider: string;
  /** Null: the provider named no subject, so no logout of its own can find the session. */
  readonly logout: LogoutIndex | null;
  /** What the method needs to sign the user out at the provider. Stores keep it and read nothing in it. */
  readonly details: Readonly<Record<string, string>>;
  readonly attributes: readonly SessionAttribute[];
  readonly createdMs: number;
  /** The session ends here, however often it is used. */
  readonly expiresMs: number;
  readonly lastSeenMs: number;
}

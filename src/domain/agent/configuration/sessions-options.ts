import type { Secret } from '../../shared/secret.js';
import type { SessionRequirement } from '../sessions/session-requirements.js';

/** The session store. */
export type SessionStoreOptions =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'redis'; readonly url: Secret };

/** The session cookie. */
export interface SessionCookieOptions {
  readonly name: string;
  /** Further names that are read, in this order, if no cookie has `name`. They are never set. */
  readonly formerNames: readonly string[];
  /** The domain whose hosts all receive the cookie; null: only the host that set it. */
  readonly domain: string | null;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
}

/** The checked keys of the sessions of an agent, which all ways to sign on share. */
export interface SignOnSessionOptions {
  readonly store: SessionStoreOptions;
  /** Separates agents that share a store: the entity id of `saml`, otherwise the first origin of a login. */
  readonly namespace: string;
  readonly ttlMs: number;
  /** Null: no idle limit. */
  readonly idleMs: number | null;
  readonly cleanupIntervalMs: number;
  readonly cookie: SessionCookieOptions;
  /** Whether posted forms are kept during a sign-on. */
  readonly keepsPostedForms: boolean;
  /** The https origins to which a browser may return after a sign-on, with or without `*.` before the name. */
  readonly returnOrigins: readonly string[];
  /** The origins of other sites whose pages may send requests with the session cookie that change something. */
  readonly trustedOrigins: readonly string[];
}

/** The keys that both `sessions` and `saml` have, as written; null for an absent key. */
export interface SessionKeys {
  readonly store: SessionStoreOptions['kind'] | null;
  readonly path: string | null;
  readonly url: Secret | null;
  readonly ttlMs: number | null;
  readonly idleMs: number | null;
  readonly cleanupIntervalMs: number | null;
  readonly cookieName: string | null;
  readonly cookieSecure: boolean | null;
  readonly cookieHttpOnly: boolean | null;
  readonly cookieSameSite: SessionCookieOptions['sameSite'] | null;
}

/** A `require` block as written; null for an absent key. */
export interface RequireBlockOptions extends SessionRequirement {
  readonly path: string | null;
}

/** The `sessions` block as written. */
export interface SessionsBlockOptions extends SessionKeys {
  readonly cookieDomain: string | null;
  readonly formerCookieNames: readonly string[];
  readonly returnHosts: readonly string[];
  readonly keepPostedForms: boolean | null;
  readonly allowOrigins: readonly string[];
  readonly require: readonly RequireBlockOptions[];
}

import type { Claims } from '../../../domain/agent/tokens/claims.js';
import { type CompactJws, parseCompactJws } from '../../../domain/agent/tokens/compact-jws.js';
import type { TokenWindow } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import type { TokenRejection } from '../../../domain/agent/tokens/token-rejection.js';
import { ok, type Result } from '../../../domain/shared/result.js';

/** A parsed token, which all verifiers share. Nothing in it is verified. */
export interface ReadToken extends CompactJws {
  /** The compact form, which is signed. */
  readonly token: string;
}

/** Parses a token. Fails if it is not a JWS in compact form. */
export const readToken = (token: string): Result<ReadToken, TokenRejection> => {
  const parsed = parseCompactJws(token);
  return parsed.ok ? ok({ token, ...parsed.value }) : parsed;
};

/**
 * Whether a token with a verified signature is one of our own identity tokens. Upstreams receive these tokens, and must
 * not be able to use them as credentials.
 */
export type OwnIdentityTokenTest = (read: ReadToken) => boolean;

/** For an agent that issues no identity tokens. */
export const neverOwnIdentityToken: OwnIdentityTokenTest = () => false;

/** Parses tokens for several checks of one request; caches the last one. */
export class TokenReader {
  #last: { readonly token: string; readonly read: Result<ReadToken, TokenRejection> } | null = null;

  read(token: string): Result<ReadToken, TokenRejection> {
    if (this.#last?.token !== token) this.#last = { token, read: readToken(token) };
    return this.#last.read;
  }
}

/**
 * What a token is used as: an access token or another credential for access, or an ID token (OpenID Connect Core,
 * section 2).
 */
export type TokenUse = 'access' | 'id';

/** A token with a verified signature and accepted claims. */
export interface VerifiedClaims {
  readonly claims: Claims;
  /** A valid user id. */
  readonly subject: string;
  readonly window: TokenWindow;
  /** The moment of expiry, without tolerance, in milliseconds since the Unix epoch. */
  readonly expiresMs: number;
  /** The key that verified the signature; null: a key that lasts as long as the configuration. */
  readonly key: { readonly isWithdrawn: boolean } | null;
}

export type TokenVerdict =
  | { readonly kind: 'verified'; readonly token: VerifiedClaims }
  /** `scope`: the required scopes, separated by spaces; only with the reason insufficient_scope. */
  | { readonly kind: 'failed'; readonly reason: TokenRejection; readonly scope?: string }
  /** The keys are missing, so the token cannot be verified now. */
  | { readonly kind: 'undecided'; readonly reason: 'keys_unavailable' }
  /** The caller cancelled. */
  | { readonly kind: 'cancelled' };

/** Verdicts that need no wait for keys. */
export type SettledVerdict = Extract<TokenVerdict, { kind: 'verified' | 'failed' }>;

export const rejected = (reason: TokenRejection): SettledVerdict => ({ kind: 'failed', reason });

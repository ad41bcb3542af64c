import type { Claims } from '../../../domain/agent/tokens/claims.js';
import { type CompactJws, parseCompactJws } from '../../../domain/agent/tokens/compact-jws.js';
import type { TokenWindow } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import type { TokenRejection } from '../../../domain/agent/tokens/token-rejection.js';
import { ok, type Result } from '../../../domain/shared/result.js';

/** A token that has been taken apart, once for all who may be in charge of it. Nothing of it is true yet. */
export interface ReadToken extends CompactJws {
  /** As it came: what is signed. */
  readonly token: string;
}

/** Fails for what is no JWS in compact form, whoever were in charge of it. */
export const readToken = (token: string): Result<ReadToken, TokenRejection> => {
  const parsed = parseCompactJws(token);
  return parsed.ok ? ok({ token, ...parsed.value }) : parsed;
};

/** Takes tokens apart for several who are asked one after the other: the last one is kept, for the next who asks. */
export class TokenReader {
  #last: { readonly token: string; readonly read: Result<ReadToken, TokenRejection> } | null = null;

  read(token: string): Result<ReadToken, TokenRejection> {
    if (this.#last?.token !== token) this.#last = { token, read: readToken(token) };
    return this.#last.read;
  }
}

/**
 * What a token is shown as: access tokens and whatever else gives access, or ID tokens (OpenID Connect Core, section
 * 2).
 */
export type TokenUse = 'access' | 'id';

/** A token whose signature holds, and whose claims were accepted. */
export interface VerifiedClaims {
  readonly claims: Claims;
  /** A usable user id. */
  readonly subject: string;
  readonly window: TokenWindow;
  /** The first moment at which it is over by its own word; milliseconds since the Unix epoch, without a tolerance. */
  readonly expiresMs: number;
  /** The key that its signature was verified under; null: one that stays as long as the configuration. */
  readonly key: { readonly isWithdrawn: boolean } | null;
}

export type TokenVerdict =
  | { readonly kind: 'verified'; readonly token: VerifiedClaims }
  /** `scope`: what the token would need, its names separated by spaces; with the reason insufficient_scope alone. */
  | { readonly kind: 'failed'; readonly reason: TokenRejection; readonly scope?: string }
  /** It cannot be judged now, good or bad as it may be. */
  | { readonly kind: 'undecided'; readonly reason: 'keys_unavailable' }
  /** Nobody waits for it any more. */
  | { readonly kind: 'cancelled' };

/** Of what needs no waiting for keys. */
export type SettledVerdict = Extract<TokenVerdict, { kind: 'verified' | 'failed' }>;

export const rejected = (reason: TokenRejection): SettledVerdict => ({ kind: 'failed', reason });

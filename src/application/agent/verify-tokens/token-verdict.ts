import type { Claims } from '../../../domain/agent/tokens/claims.js';
import type { TokenWindow } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import type { TokenRejection } from '../../../domain/agent/tokens/token-rejection.js';

/** What a token is shown as: access tokens and whatever else gives access, or ID tokens (OpenID Connect Core, section 2). */
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
  readonly key: { readonly withdrawn: boolean } | null;
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

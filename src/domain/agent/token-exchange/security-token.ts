import type { Claims } from '../tokens/claims.js';
import type { ExchangeTokenKind } from './token-kinds.js';

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

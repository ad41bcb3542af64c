import type { ClientSecret } from '../../../domain/agent/configuration/token-exchange-options.js';
import type { ExchangeGrant, ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import type { ExchangeRequest } from '../../../domain/agent/token-exchange/read-exchange-request.js';
import type { SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import type { ClientKey } from '../../ports/agent/token-signing-keys.js';

/** A client that may use the token endpoint, made ready when the configuration is taken. */
export interface PreparedClient {
  readonly id: string;
  /** Its `clientId` is the id. */
  readonly policy: ExchangePolicy;
  /** Any of them will do; hashes are of kinds that can be checked here. */
  readonly secrets: readonly ClientSecret[];
  /** For private_key_jwt. */
  readonly keys: readonly ClientKey[];
}

/** What is known of an exchange so far, for its line in the log. Filled in as the work goes on; null: not known yet. */
export interface ExchangeFacts {
  /** The client that has authenticated itself. */
  clientId: string | null;
  /** The configured client that somebody said to be, and could not show that. */
  claimedClientId: string | null;
  request: ExchangeRequest | null;
  /** Verified. */
  subject: SecurityToken | null;
  /** Verified. */
  actor: SecurityToken | null;
}

export const noFacts = (): ExchangeFacts => ({
  clientId: null,
  claimedClientId: null,
  request: null,
  subject: null,
  actor: null,
});

/** A token that goes out. */
export interface IssuedToken {
  /** A JWS in compact form. */
  readonly token: string;
  readonly grant: ExchangeGrant;
}

/** An exchange that comes to nothing. */
export interface RefusedExchange {
  readonly reason: ExchangeReason;
  /** A clause of ours for the log, nothing of what was sent; null: the reason says it all. */
  readonly detail: string | null;
  /** After which it makes sense to ask again; null: what is usual for the reason. */
  readonly retryAfterMs: number | null;
}

/** Counts what exchanges come to. */
export interface ExchangeOutcomes {
  exchanged(result: 'issued' | ExchangeReason): void;
}

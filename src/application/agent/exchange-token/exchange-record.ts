import type { ClientSecret } from '../../../domain/agent/configuration/token-exchange-options.js';
import type { ExchangeGrant, ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import type { ExchangeRequest } from '../../../domain/agent/token-exchange/read-exchange-request.js';
import type { SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import type { ClientKey } from '../../ports/agent/token-signing-keys.js';

/** A client of the token endpoint, prepared with the configuration. */
export interface PreparedClient {
  readonly id: string;
  /** Its `clientId` is the id. */
  readonly policy: ExchangePolicy;
  /** Each is valid. This process can verify their kinds of hashes. */
  readonly secrets: readonly ClientSecret[];
  /** For private_key_jwt. */
  readonly keys: readonly ClientKey[];
}

/** The state of a token exchange for its log line, filled step by step; null: not known yet. */
export interface ExchangeRecord {
  /** The authenticated client. */
  clientId: string | null;
  /** The configured client that failed to authenticate. */
  claimedClientId: string | null;
  request: ExchangeRequest | null;
  /** Verified. */
  subject: SecurityToken | null;
  /** Verified. */
  actor: SecurityToken | null;
}

export const newExchangeRecord = (): ExchangeRecord => ({
  clientId: null,
  claimedClientId: null,
  request: null,
  subject: null,
  actor: null,
});

/** An issued token. */
export interface IssuedToken {
  /** A JWS in compact form. */
  readonly token: string;
  readonly grant: ExchangeGrant;
}

/** A refused exchange. */
export interface RefusedExchange {
  readonly reason: ExchangeReason;
  /** One clause for the log, without any of the request; null: the reason says it all. */
  readonly detail: string | null;
  /** When a retry makes sense; null: the default of the reason. */
  readonly retryAfterMs: number | null;
}

/** Counts the results of exchanges. */
export interface ExchangeOutcomes {
  exchanged(result: 'issued' | ExchangeReason): void;
}

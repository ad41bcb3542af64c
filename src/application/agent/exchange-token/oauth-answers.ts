import {
  type ExchangeReason,
  exchangeRefusals,
  type RefusalAnswer,
} from '../../../domain/agent/token-exchange/exchange-refusal.js';
import { tokenTypeUri } from '../../../domain/agent/token-exchange/security-token.js';
import { type AgentAnswer, allowAnswer, emptyAudit } from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { basicChallenge, bearerChallenge } from '../agent-service/challenges.js';
import type { IssuedToken, RefusedExchange } from './exchange-record.js';

/**
 * Why a token was not verified. `invalid`: not accepted. `overloaded`: too many verifications are pending.
 * `keys_unavailable`: the keys are missing. `provider_unavailable`: the identity provider is not known yet.
 * `store_unavailable`: its first use or its session could not be checked. `cancelled`: the caller cancelled.
 */
export type TokenFaultKind =
  | 'invalid'
  | 'overloaded'
  | 'keys_unavailable'
  | 'provider_unavailable'
  | 'store_unavailable'
  | 'cancelled';

/** A token that was not verified. */
export interface TokenFault {
  readonly kind: TokenFaultKind;
  /** A stable word or a clause, for the log and never for the client; contains no part of the token. */
  readonly detail: string;
}

/** Token endpoint answers must not be cached (RFC 6749, section 5.1). */
const answerHeaders: HeaderList = [
  'Content-Type',
  'application/json',
  'Cache-Control',
  'no-store',
  'Pragma',
  'no-cache',
];

const jsonAnswer = (
  status: number,
  body: JsonObject,
  headers: HeaderList,
  reasonCodes: readonly string[],
): AgentAnswer => ({
  ...allowAnswer,
  decision: { kind: 'block', status, body: JSON.stringify(body), headers: [...answerHeaders, ...headers] },
  audit: { ...emptyAudit, reasonCodes },
});

/** The answer with an issued token (RFC 8693, section 2.2.1). */
export const issuedAnswer = ({ token, grant }: IssuedToken): AgentAnswer =>
  jsonAnswer(
    200,
    {
      access_token: token,
      issued_token_type: tokenTypeUri(grant.issuedKind),
      token_type: 'Bearer',
      expires_in: grant.lifetimeSecs,
      // Scopes are granted completely or refused, so the requested scopes are the granted ones.
      ...(grant.scopes.length > 0 && { scope: grant.scopes.join(' ') }),
    },
    [],
    [],
  );

/** Seconds after which a retry makes sense; the default is one second. */
const retryAfterSecs: Partial<Readonly<Record<ExchangeReason, number>>> = {
  keys_unavailable: 5,
  provider_unavailable: 5,
  store_unavailable: 5,
};

const headersOf = ({ reason, retryAfterMs }: RefusedExchange, { status }: RefusalAnswer): HeaderList => {
  switch (status) {
    case 401:
      return ['WWW-Authenticate', basicChallenge, 'WWW-Authenticate', bearerChallenge(null)];
    case 405:
      return ['Allow', 'POST'];
    case 429:
    case 503: {
      const seconds = retryAfterMs === null ? retryAfterSecs[reason] : Math.ceil(retryAfterMs / 1_000);
      return ['Retry-After', String(Math.max(1, seconds ?? 1))];
    }
    default:
      return [];
  }
};

/** The error answer of the reason (RFC 6749, section 5.2; RFC 8693, section 2.2.2). The detail is only for the log. */
export const oauthErrorAnswer = (refused: RefusedExchange): AgentAnswer => {
  const answer: RefusalAnswer = exchangeRefusals[refused.reason];
  const body = { error: answer.error, error_description: answer.description };
  return jsonAnswer(answer.status, body, headersOf(refused, answer), [refused.reason]);
};

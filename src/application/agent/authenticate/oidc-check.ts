import type { CertificateCredential, RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { PlacedToken, TokenPlace } from '../../../domain/agent/identity/token-places.js';
import { maximumTokenLength } from '../../../domain/agent/tokens/compact-jws.js';
import type { ProvenRequest } from '../../../domain/agent/tokens/dpop-proof.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { ProviderTokens } from '../verify-tokens/provider-tokens.js';
import type { TokenReader } from '../verify-tokens/token-verdict.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import type { IntrospectionCheck } from './introspection-check.js';
import { type LocatedToken, recalled, type TokenOutcomeOptions, tokenOutcome } from './token-outcome.js';
import type { VerifiedTokenCache } from './verified-token-cache.js';

export interface OidcCheckOptions extends TokenOutcomeOptions {
  readonly tokens: ProviderTokens;
  /** Shared with other checks, so that a token is parsed once. */
  readonly reader: TokenReader;
  /** For tokens that are no JWT; absent: such tokens are malformed. */
  readonly introspection?: IntrospectionCheck;
}

/** Access tokens of OpenID Connect and OAuth 2.0 providers. */
export class OidcCheck implements AuthenticationCheck {
  readonly method = 'oidc';
  readonly known: VerifiedTokenCache;
  readonly #parts: OidcCheckOptions;

  constructor(parts: OidcCheckOptions) {
    this.known = parts.memory;
    this.#parts = parts;
  }

  check(
    { authorization, certificate, placedToken }: RequestCredentials,
    cancellation: Cancellation,
    request: ProvenRequest | null = null,
  ): CheckOutcome | Promise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of !== 'basic') return failedCheck('malformed');
    if (authorization?.scheme !== 'bearer' && authorization?.scheme !== 'dpop') {
      return placedToken === undefined ? absent : this.#checkPlaced(placedToken, certificate, cancellation);
    }
    const { scheme, token } = authorization;
    if (token.length > maximumTokenLength) return failedCheck('too_large');
    const shown: LocatedToken = { scheme, token, certificate, request };
    return recalled(shown, authorization, this.#parts) ?? this.#verify(shown, cancellation);
  }

  /** A token in another header or in a cookie: only of the providers that read that place. */
  #checkPlaced(
    { place, token, isRepeated }: PlacedToken,
    certificate: CertificateCredential | null,
    cancellation: Cancellation,
  ): CheckOutcome | Promise<CheckOutcome> {
    if (isRepeated) return failedCheck('ambiguous_credentials');
    if (token === null) return failedCheck('malformed');
    if (token.length > maximumTokenLength) return failedCheck('too_large');
    // The scheme DPoP needs Authorization, so a token that is bound to a key fails here.
    const shown: LocatedToken = { scheme: 'bearer', token, certificate, request: null };
    const known = recalled(shown, { token }, this.#parts);
    if (known !== null && !(known instanceof Promise) && isAcceptedAt(place, known)) return outcomeAt(place, known);
    const read = this.#parts.reader.read(token);
    if (!read.ok && !place.introspects) return failedCheck(read.error);
    const iss = read.ok ? read.value.payload['iss'] : null;
    if (iss !== null && (typeof iss !== 'string' || !place.issuers.has(iss))) return failedCheck('unknown_issuer');
    const outcome = this.#verify(shown, cancellation);
    return outcome instanceof Promise ? outcome.then((late) => outcomeAt(place, late)) : outcomeAt(place, outcome);
  }

  #verify(shown: LocatedToken, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    const { tokens, reader, introspection } = this.#parts;
    const read = reader.read(shown.token);
    if (!read.ok) return introspection?.check(shown, cancellation) ?? failedCheck(read.error);
    const verdict = tokens.verify(read.value, cancellation, 'access');
    return verdict instanceof Promise
      ? verdict.then((late) => tokenOutcome(this.method, shown, late, this.#parts))
      : tokenOutcome(this.method, shown, verdict, this.#parts);
  }
}

/** Whether a cached outcome is of a provider that reads the place. The cache also has tokens of Authorization. */
const isAcceptedAt = ({ issuers }: TokenPlace, outcome: CheckOutcome): boolean => {
  if (outcome.kind !== 'authenticated') return false;
  const { method, claims } = outcome.prepared.identity;
  const issuer = claims?.['iss'];
  return method === 'oidc' && typeof issuer === 'string' && issuers.has(issuer);
};

const outcomeAt = ({ kind }: TokenPlace, outcome: CheckOutcome): CheckOutcome => {
  if (outcome.kind !== 'authenticated') return outcome;
  return kind === 'cookie' ? { ...outcome, byCookie: true } : { ...outcome, byTokenHeader: true };
};

import {
  type AuthenticationFailure,
  moreUsefulFailure,
} from '../../../domain/agent/identity/authentication-failure.js';
import type { PresentedToken } from '../../../domain/agent/token-exchange/read-exchange-request.js';
import type { ExchangeTokenKind, SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import { isAccessTokenType, isOtherType } from '../../../domain/agent/tokens/oidc-header-rules.js';
import { isMarkedOtherwise } from '../../../domain/agent/tokens/token-marks.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import type { OwnTokens } from '../verify-tokens/own-tokens.js';
import {
  type ReadToken,
  readToken,
  rejected,
  type TokenUse,
  type TokenVerdict,
  type VerifiedClaims,
} from '../verify-tokens/token-verdict.js';
import type { TokenFault, TokenFaultKind } from './oauth-answers.js';
import type { SamlSubjectTokens } from './saml-subject-tokens.js';

export interface SecurityTokensOptions {
  readonly own: OwnTokens;
  readonly bearer: BearerTokens;
  /** Null: single sign-on is not configured, so assertions are refused. */
  readonly saml: Pick<SamlSubjectTokens, 'verify'> | null;
}

type JwtKind = Exclude<ExchangeTokenKind, 'saml2'>;

const fault = (kind: TokenFaultKind, detail: string = kind): TokenFault => ({ kind, detail });

/** The use of a token type: a plain JWT counts as an access token. */
const useOf = (kind: JwtKind): TokenUse => (kind === 'id_token' ? 'id' : 'access');

/** Verifies subject and actor tokens of all kinds (RFC 8693, section 3). */
export class SecurityTokens {
  readonly #parts: SecurityTokensOptions;

  constructor(parts: SecurityTokensOptions) {
    this.#parts = parts;
  }

  /** The caller checks the audience and key binding of tokens that this agent issued. Never rejects. */
  async verify(
    { kind, token }: PresentedToken,
    event: RequestHeadersEvent,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    if (kind !== 'saml2') return this.#verifyJwt(kind, token, cancellation);
    const { saml } = this.#parts;
    return saml === null
      ? err(fault('invalid', 'single sign-on is not configured'))
      : saml.verify(token, event, cancellation);
  }

  async #verifyJwt(
    kind: JwtKind,
    token: string,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    const read = readToken(token);
    if (!read.ok) return err(fault('invalid', read.error));
    const { own } = this.#parts;
    // The issuer is not verified yet: it only selects the verifier.
    const { iss } = read.value.payload;
    if (iss !== undefined && typeof iss !== 'string') return err(fault('invalid', 'malformed'));
    if (iss !== own.issuer) return this.#verifyForeign(kind, read.value, cancellation);
    // Only this agent can vouch for tokens that name it as issuer.
    const verdict = kind === 'id_token' ? rejected('wrong_type') : own.verify(read.value, kind);
    if (verdict.kind === 'verified') return this.#taken(kind, read.value, verdict.token, true);
    return err(fault('invalid', `own: ${verdict.reason}`));
  }

  /** Verifies like a bearer token: with the providers, then with the configured key. The first success decides. */
  async #verifyForeign(
    kind: JwtKind,
    read: ReadToken,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    const { oidc, jwt } = this.#parts.bearer;
    const use = useOf(kind);
    // As bearer tokens, the configured key accepts any type, for compatibility. For an exchange it accepts only these
    // types.
    const methods: readonly (readonly ['oidc' | 'jwt', () => TokenVerdict | Promise<TokenVerdict>])[] = [
      ...(oidc === null ? [] : [['oidc', () => oidc.verify(read, cancellation, use)] as const]),
      ...(jwt === null
        ? []
        : [['jwt', () => (isOtherType(read.header) ? rejected('wrong_type') : jwt.verify(read, use))] as const]),
    ];
    let failure: AuthenticationFailure = { method: null, reason: 'unknown_issuer' };
    let undecided: TokenFaultKind | null = null;
    for (const [method, verify] of methods) {
      const verdict = await verify();
      if (verdict.kind === 'verified') return this.#taken(kind, read, verdict.token, false);
      // The provider's keys are missing in both cases; the configured key needs no wait.
      if (verdict.kind === 'cancelled') undecided = 'cancelled';
      else if (verdict.kind === 'undecided') undecided = 'keys_unavailable';
      else {
        const next: AuthenticationFailure = { method, reason: verdict.reason };
        // An unknown issuer is not the reason if the configured key also refused the token.
        failure = failure.reason === 'unknown_issuer' ? next : moreUsefulFailure(failure, next);
      }
    }
    if (undecided !== null) return err(fault(undecided));
    const { method, reason } = failure;
    return err(fault('invalid', method === null ? reason : `${method}: ${reason}`));
  }

  #taken(
    kind: JwtKind,
    { header }: ReadToken,
    { claims, subject, expiresMs }: VerifiedClaims,
    isOwn: boolean,
  ): Result<SecurityToken, TokenFault> {
    if (!isOwn && isMarkedOtherwise(claims, useOf(kind))) return err(fault('invalid', 'wrong_type'));
    const issuer = typeof claims['iss'] === 'string' ? claims['iss'] : null;
    const isTypedForAccess = isAccessTokenType(header);
    return ok({ kind, issuer, subject, claims, expiresMs, isOwn, isTypedForAccess, oneTime: null });
  }
}

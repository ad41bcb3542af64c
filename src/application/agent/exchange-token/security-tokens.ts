import { type AuthenticationFailure, moreTelling } from '../../../domain/agent/identity/authentication-failure.js';
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

export interface SecurityTokensParts {
  readonly own: OwnTokens;
  readonly bearer: BearerTokens;
  /** Null: single sign-on is not configured, and no assertion is taken. */
  readonly saml: Pick<SamlSubjectTokens, 'verify'> | null;
}

type JwtKind = Exclude<ExchangeTokenKind, 'saml2'>;

const fault = (kind: TokenFaultKind, detail: string = kind): TokenFault => ({ kind, detail });

/** Of what it is shown as: an access token is the default of what a JWT can be. */
const useOf = (kind: JwtKind): TokenUse => (kind === 'id_token' ? 'id' : 'access');

/** Subject and actor tokens of every kind (RFC 8693, section 3), verified by whoever is in charge of them. */
export class SecurityTokens {
  readonly #parts: SecurityTokensParts;

  constructor(parts: SecurityTokensParts) {
    this.#parts = parts;
  }

  /**
   * For whom a token of our own is meant, and whether it is bound to a key, is for the caller to judge. Never
   * rejects.
   */
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
    // The issuer is only a claim yet: it picks who has to prove it.
    const { iss } = read.value.payload;
    if (iss !== undefined && typeof iss !== 'string') return err(fault('invalid', 'malformed'));
    if (iss !== own.issuer) return this.#verifyForeign(kind, read.value, cancellation);
    // Nobody else vouches for what names us as its issuer, whatever else is configured.
    const verdict = kind === 'id_token' ? rejected('wrong_type') : own.verify(read.value, kind);
    if (verdict.kind === 'verified') return this.#taken(kind, read.value, verdict.token, true);
    return err(fault('invalid', `own: ${verdict.reason}`));
  }

  /** As a bearer token: by the providers, then by the configured key. The first that takes it decides. */
  async #verifyForeign(
    kind: JwtKind,
    read: ReadToken,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    const { oidc, jwt } = this.#parts.bearer;
    const use = useOf(kind);
    // As a bearer token the configured key vouches for any type, which may be older than this check; to be exchanged,
    // for these alone.
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
      // Either way the keys have not come, which the configured one does not wait for.
      if (verdict.kind === 'cancelled') undecided = 'cancelled';
      else if (verdict.kind === 'undecided') undecided = 'keys_unavailable';
      else {
        const next: AuthenticationFailure = { method, reason: verdict.reason };
        // That no provider knows the issuer says nothing where the configured key is in charge as well.
        failure = failure.reason === 'unknown_issuer' ? next : moreTelling(failure, next);
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

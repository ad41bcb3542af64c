import type { OidcLoginOptions } from '../../../../domain/agent/configuration/oidc-login-options.js';
import { idTokenFault } from '../../../../domain/agent/oidc/checks/id-token-checks.js';
import {
  refreshedClaims,
  refreshedIdTokenFault,
} from '../../../../domain/agent/oidc/checks/refreshed-id-token-checks.js';
import { acceptedUser, lacksClaims, withUserinfo } from '../../../../domain/agent/oidc/checks/user-checks.js';
import { type ReceivedTokens, readUserinfo } from '../../../../domain/agent/oidc/endpoint-response.js';
import { hashOfAlgorithm, tokenHash } from '../../../../domain/agent/oidc/token-hash.js';
import type { SessionRequirement } from '../../../../domain/agent/sessions/session-requirements.js';
import type { Claims } from '../../../../domain/agent/tokens/claims.js';
import {
  type AsymmetricAlgorithm,
  asymmetricAlgorithmOf,
} from '../../../../domain/agent/tokens/signature-algorithm.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { Secret } from '../../../../domain/shared/secret.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { ProviderTokens, type SignedClaims, type Unverified } from '../../verify-tokens/provider-tokens.js';
import { type ReadToken, readToken } from '../../verify-tokens/token-verdict.js';
import type { RefusedOidc } from './oidc-refusal.js';
import type { PreparedLogin } from './oidc-sign-on-options.js';

/** The sign-on that tokens must belong to. */
export interface TokenContext {
  readonly nonce: string;
  readonly code: string;
  /** When the sign-on began, in wall milliseconds. */
  readonly requestedMs: number;
  /** Null: the provider has none. */
  readonly userinfoUrl: string | null;
  /** What the ID token must state about the authentication of the user. */
  readonly requirement: Pick<SessionRequirement, 'acrValues' | 'maxAgeSecs'>;
}

/** The refresh that tokens must belong to. */
export interface RefreshContext extends Pick<TokenContext, 'requestedMs' | 'userinfoUrl'> {
  /** The claims of the session. */
  readonly before: Claims;
}

/** A user who may sign on. */
export interface AcceptedUser {
  readonly userId: string;
  readonly claims: Claims;
  /** The claims of the ID token alone. */
  readonly idTokenClaims: Claims;
}

interface SignedIdToken {
  readonly claims: Claims;
  /** The one with which the signature was verified. */
  readonly algorithm: AsymmetricAlgorithm;
}

const refused = (reason: RefusedOidc['reason'], detail: string | null = null): Result<never, RefusedOidc> =>
  err({ reason, detail });

/** The provider of a login as a provider of tokens: its ID tokens are for the client. */
const tokenProvider = (options: OidcLoginOptions) => ({
  name: options.name,
  enabled: true,
  issuer: options.issuer,
  tenants: [],
  tokenHeader: null,
  tokenCookie: null,
  introspection: null,
  requiredProof: null,
  jwksUrl: options.jwksUrl,
  audiences: [options.clientId],
  algorithms: options.algorithms,
  requiredScopes: [],
  jwksRefreshMs: options.jwksRefreshMs,
  clockSkewMs: options.clockSkewMs,
});

/** Verifies the tokens of a sign-on, and decides which user they name. */
export class VerifyTokens {
  readonly #parts: PreparedLogin;
  readonly #tokens: ProviderTokens;

  constructor(parts: PreparedLogin) {
    this.#parts = parts;
    this.#tokens = new ProviderTokens([{ options: tokenProvider(parts.options), keys: parts.keys }], parts.clock);
  }

  /** Verifies the signature first, then the claims of every JWT, then those of this sign-on. Never rejects. */
  async verify(
    { idToken, accessToken }: Pick<ReceivedTokens, 'idToken' | 'accessToken'>,
    context: TokenContext,
    cancellation: Cancellation,
  ): Promise<Result<AcceptedUser, RefusedOidc>> {
    const signed = await this.#signed(idToken, cancellation);
    if (!signed.ok) return signed;
    const fault = this.#fault(signed.value, accessToken, context);
    if (fault !== null) return refused(fault);
    return this.#accepted(signed.value.claims, signed.value.claims, accessToken, context.userinfoUrl, cancellation);
  }

  /** Verifies the tokens of a refresh, like those of a sign-on. Never rejects. */
  async verifyRefreshed(
    { idToken, accessToken }: Pick<ReceivedTokens, 'idToken' | 'accessToken'>,
    { before, requestedMs, userinfoUrl }: RefreshContext,
    cancellation: Cancellation,
  ): Promise<Result<AcceptedUser, RefusedOidc>> {
    const signed = await this.#signed(idToken, cancellation);
    if (!signed.ok) return signed;
    const { clientId, clockSkewMs, acrValues } = this.#parts.options;
    const accessTokenHash = this.#hashOf(signed.value, accessToken);
    const expectation = { clientId, clockSkewMs, acrValues, requestedMs, accessTokenHash, before };
    const fault = refreshedIdTokenFault(signed.value.claims, expectation);
    if (fault !== null) return refused(fault);
    const claims = refreshedClaims(before, signed.value.claims);
    return this.#accepted(claims, signed.value.claims, accessToken, userinfoUrl, cancellation);
  }

  /** Verifies the signature of a logout token, like that of an ID token. Never rejects. */
  async verifyLogoutToken(read: ReadToken, cancellation: Cancellation): Promise<SignedClaims | Unverified> {
    return this.#tokens.verifyLogoutToken(read, cancellation);
  }

  /** Verifies the signature and the claims of every JWT. */
  async #signed(idToken: string, cancellation: Cancellation): Promise<Result<SignedIdToken, RefusedOidc>> {
    const read = readToken(idToken);
    if (!read.ok) return refused(read.error);
    const verdict = await this.#tokens.verify(read.value, cancellation, 'id');
    if (verdict.kind === 'cancelled') return refused('cancelled');
    if (verdict.kind === 'undecided') return refused('provider_unavailable', this.#parts.keys.lastFailure());
    if (verdict.kind === 'failed') return refused(verdict.reason);
    const { claims } = verdict.token;
    const algorithm = asymmetricAlgorithmOf(read.value.header['alg']) ?? 'RS256';
    return ok({ claims, algorithm });
  }

  /** Completes the claims, and requires a user who may sign on. */
  async #accepted(
    claims: Claims,
    idTokenClaims: Claims,
    accessToken: string,
    userinfoUrl: string | null,
    cancellation: Cancellation,
  ): Promise<Result<AcceptedUser, RefusedOidc>> {
    const complete = await this.#complete(claims, accessToken, userinfoUrl, cancellation);
    if (!complete.ok) return complete;
    const accepted = acceptedUser(complete.value, this.#parts.options);
    return accepted.ok
      ? ok({ userId: accepted.value, claims: complete.value, idTokenClaims })
      : refused(accepted.error);
  }

  #hashOf({ algorithm }: SignedIdToken, text: string): string {
    return tokenHash(this.#parts.hashes.hash(hashOfAlgorithm(algorithm), text));
  }

  #fault(signed: SignedIdToken, accessToken: string, context: TokenContext) {
    const { options, clock } = this.#parts;
    return idTokenFault(signed.claims, {
      nowMs: clock.wallMs(),
      clockSkewMs: options.clockSkewMs,
      clientId: options.clientId,
      nonce: context.nonce,
      requestedMs: context.requestedMs,
      accessTokenHash: this.#hashOf(signed, accessToken),
      codeHash: this.#hashOf(signed, context.code),
      maxAgeSecs: context.requirement.maxAgeSecs,
      acrValues: context.requirement.acrValues,
    });
  }

  /** Adds claims of the userinfo endpoint if one is missing. Those of the ID token, which are signed, win. */
  async #complete(
    claims: Claims,
    accessToken: string,
    userinfoUrl: string | null,
    cancellation: Cancellation,
  ): Promise<Result<Claims, RefusedOidc>> {
    const { options, endpoints } = this.#parts;
    const mapped = options.claimMapping.map(({ attribute }) => attribute);
    if (userinfoUrl === null || !lacksClaims(claims, options, mapped)) return ok(claims);
    const answer = await endpoints.userinfo(userinfoUrl, new Secret(accessToken), cancellation);
    if (!answer.ok) {
      const { code, detail } = answer.error;
      return refused(code === 'cancelled' ? code : 'userinfo_failed', `the userinfo endpoint: ${code}: ${detail}`);
    }
    const info = readUserinfo(answer.value, claims['sub'] as string);
    if (info.ok) return ok(withUserinfo(claims, info.value));
    return refused(info.error, `the userinfo endpoint answered with status ${answer.value.status}`);
  }
}

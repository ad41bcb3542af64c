import type { JwtAlgorithm } from '../../../domain/agent/configuration/agent-configuration.js';
import { checkIdTokenClaims, checkIdTokenHeader } from '../../../domain/agent/tokens/id-token-rules.js';
import { checkJwtClaims, type JwtClaimRules } from '../../../domain/agent/tokens/jwt-claim-rules.js';
import { checkJwtHeader } from '../../../domain/agent/tokens/oidc-header-rules.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { Clock } from '../../ports/shared/clock.js';
import {
  neverOwnIdentityToken,
  type OwnIdentityTokenTest,
  type ReadToken,
  rejected,
  type SettledVerdict,
  type TokenUse,
} from './token-verdict.js';

export interface JwtTokensOptions {
  readonly algorithm: JwtAlgorithm;
  readonly rules: JwtClaimRules;
  readonly verifier: TokenVerifier;
  readonly clock: Clock;
  /** Absent: no identity tokens are issued. */
  readonly isOwnIdentityToken?: OwnIdentityTokenTest;
}

/** Verifies tokens that are signed with the configured key. */
export class JwtTokens {
  readonly #parts: JwtTokensOptions;

  constructor(parts: JwtTokensOptions) {
    this.#parts = parts;
  }

  /** Never throws. */
  verify(read: ReadToken, use: TokenUse): SettledVerdict {
    const { algorithm, rules, verifier, clock, isOwnIdentityToken = neverOwnIdentityToken } = this.#parts;
    const { token, header, payload } = read;
    const unfit = checkJwtHeader(header, algorithm) ?? (use === 'id' ? checkIdTokenHeader(header) : null);
    if (unfit !== null) return rejected(unfit);
    // Claims are checked only after the signature: a forged token reveals nothing.
    if (!verifier.isSigned(token)) return rejected('bad_signature');
    if (isOwnIdentityToken(read)) return rejected('wrong_type');
    const check = use === 'id' ? checkIdTokenClaims : checkJwtClaims;
    const accepted = check(payload, rules, clock.wallMs());
    if (!accepted.ok) return rejected(accepted.error);
    return { kind: 'verified', token: { ...accepted.value, claims: payload, key: null } };
  }
}

import type { SamlOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { VerifiedAssertion } from '../../../domain/agent/saml/assertion.js';
import { type AcceptedAssertion, validateAssertion } from '../../../domain/agent/saml/checks/validate-assertion.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import type { IdentityProvider } from '../../../domain/agent/saml/identity-provider.js';
import { attributesToClaims } from '../../../domain/agent/sessions/attributes-to-claims.js';
import type { SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SamlDocumentVerifier, VerifierFailure } from '../../ports/agent/saml-document-verifier.js';
import type { ServiceProviderKey } from '../../ports/agent/saml-keys.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { isCancelled } from '../../shared/cancellation/cancellation-source.js';
import { replayKey } from '../sign-on/saml/answered-sign-ons.js';
import { documentKeys } from '../sign-on/saml/service-provider.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import { sharedVerification, type VerificationShares } from '../sign-on/saml/verification-shares.js';
import type { TokenFault, TokenFaultKind } from './oauth-answers.js';

export interface SamlSubjectTokensOptions {
  readonly options: Pick<
    SamlOptions,
    'entityId' | 'clockSkewMs' | 'nameIdFormat' | 'authnContexts' | 'userIdAttribute'
  >;
  /** The public URL of the token endpoint, which the subject confirmation must name. */
  readonly endpointUrl: string;
  /** Every assertion can be used once; otherwise only those whose issuer demands it. */
  readonly oneTime: boolean;
  /** Null: encrypted assertions cannot be read. */
  readonly key: Pick<ServiceProviderKey, 'decryptionKey'> | null;
  readonly trust: Pick<IdentityProviderTrust, 'current' | 'hurry'>;
  readonly verifier: Pick<SamlDocumentVerifier, 'verifyAssertion'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  /** Shared with sign-on: a client has one share for both. */
  readonly shares: VerificationShares;
}

/** Failures that are not the fault of the document. */
const faultKinds: Partial<Readonly<Record<VerifierFailure, TokenFaultKind>>> = {
  overloaded: 'overloaded',
  cancelled: 'cancelled',
  verifier_failed: 'keys_unavailable',
};

const faultOf = (failure: VerifierFailure): TokenFault => ({ kind: faultKinds[failure] ?? 'invalid', detail: failure });

/**
 * Verifies SAML tokens (RFC 8693, section 3; RFC 7522, section 3): base64url of a signed assertion or of a response.
 * Applies the checks of a sign-on with the token endpoint as recipient, and accepts only unsolicited assertions. An
 * assertion for a sign-on is never accepted here, nor the reverse.
 */
export class SamlSubjectTokens {
  readonly #parts: SamlSubjectTokensOptions;

  constructor(parts: SamlSubjectTokensOptions) {
    this.#parts = parts;
  }

  /** Does not check for replay: `oneTime` in the result says whether the caller must. Never rejects. */
  async verify(
    token: string,
    event: RequestHeadersEvent,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    const { key, trust, verifier, shares } = this.#parts;
    const provider = trust.current();
    if (provider === null) {
      trust.hurry();
      return err({ kind: 'provider_unavailable', detail: 'provider_unavailable' });
    }
    const verified = await sharedVerification(shares, event, () =>
      verifier.verifyAssertion(token, documentKeys(provider, key), cancellation),
    );
    if (!verified.ok) return err(faultOf(verified.error));
    const validated = this.#validate(verified.value, provider);
    if (!validated.ok) return err(faultOf(validated.error));
    return isCancelled(cancellation) ? err(faultOf('cancelled')) : ok(this.#tokenOf(validated.value, provider));
  }

  #validate(verified: VerifiedAssertion, { entityId }: IdentityProvider): Result<AcceptedAssertion, DocumentRejection> {
    const { options, endpointUrl, clock } = this.#parts;
    return validateAssertion(verified, {
      nowMs: clock.wallMs(),
      clockSkewMs: options.clockSkewMs,
      idpEntityId: entityId,
      spEntityId: options.entityId,
      acsUrl: endpointUrl,
      requestId: null,
      allowIdpInitiated: true,
      nameIdFormat: options.nameIdFormat,
      authnContexts: options.authnContexts,
      authenticatedSinceMs: null,
      userIdAttribute: options.userIdAttribute,
    });
  }

  #tokenOf(accepted: AcceptedAssertion, { entityId }: IdentityProvider): SecurityToken {
    const { oneTime, digest } = this.#parts;
    const isOnce = oneTime || accepted.oneTimeUse;
    return {
      kind: 'saml2',
      issuer: entityId,
      subject: accepted.userId,
      claims: attributesToClaims(accepted.attributes),
      expiresMs: accepted.validUntilMs,
      isOwn: false,
      isTypedForAccess: false,
      oneTime: isOnce
        ? { key: replayKey(digest, entityId, accepted.assertionId), untilMs: accepted.replayUntilMs }
        : null,
    };
  }
}

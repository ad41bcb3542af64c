import type { SamlDocumentVerifier } from '../../ports/agent/saml-document-verifier.js';
import type { SamlKeys } from '../../ports/agent/saml-keys.js';
import type { IdentityProviderTrusts } from '../sign-on/saml/trust/identity-provider-trusts.js';

/** The services of a process that SAML sign-on uses. */
export interface SamlServices {
  readonly verifier: SamlDocumentVerifier;
  /** Prepares the verifier before the first document. */
  readonly warmUp: SamlDocumentVerifier['warmUp'];
  readonly keys: SamlKeys;
  /** The identity providers of the process. */
  readonly trusts: Pick<IdentityProviderTrusts, 'acquire'>;
}

import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { SamlDocumentVerifier } from '../../ports/agent/saml-document-verifier.js';
import type { SamlKeys } from '../../ports/agent/saml-keys.js';
import type { Random } from '../../ports/shared/random.js';
import type { SessionStoreLeases } from '../sessions/session-store-leases.js';
import type { IdentityProviderTrusts } from '../sign-on/saml/trust/identity-provider-trusts.js';

/** The services of a process that SAML sign-on uses. */
export interface SamlServices {
  readonly random: Random;
  readonly verifier: SamlDocumentVerifier;
  /** Prepares the verifier before the first document. */
  readonly warmUp: SamlDocumentVerifier['warmUp'];
  readonly keys: SamlKeys;
  /** The identity providers of the process. */
  readonly trusts: Pick<IdentityProviderTrusts, 'acquire'>;
  /** The open session stores of the process. */
  readonly stores: Pick<SessionStoreLeases, 'acquire'>;
  /** Why stores of a kind cannot be opened on this machine, without opening one; null: they can. */
  readonly storeKindFault: (kind: SessionStoreOptions['kind']) => Promise<string | null>;
}

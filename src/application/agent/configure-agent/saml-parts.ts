import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import type { SamlDocumentVerifier } from '../../ports/agent/saml-document-verifier.js';
import type { SamlKeys } from '../../ports/agent/saml-keys.js';
import type { Random } from '../../ports/shared/random.js';
import type { SessionStoreLeases } from '../sessions/session-store-leases.js';
import type { IdentityProviderTrusts } from '../sign-on/saml/trust/identity-provider-trusts.js';

/** What single sign-on is made with. */
export interface SamlParts {
  readonly random: Random;
  readonly verifier: SamlDocumentVerifier;
  /** Gets the verifier ready before the first document comes. */
  readonly warmUp: SamlDocumentVerifier['warmUp'];
  readonly keys: SamlKeys;
  /** What the process knows of identity providers. */
  readonly trusts: Pick<IdentityProviderTrusts, 'acquire'>;
  /** The stores that the process has opened. */
  readonly stores: Pick<SessionStoreLeases, 'acquire'>;
  /** Why stores of a kind cannot be opened on this machine, found out without opening one; null: they can. */
  readonly storeKindFault: (kind: SessionStoreOptions['kind']) => Promise<string | null>;
}

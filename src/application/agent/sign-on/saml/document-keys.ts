import type { IdentityProvider } from '../../../../domain/agent/saml/identity-provider.js';
import type { DocumentKeys } from '../../../ports/agent/saml-document-verifier.js';
import type { ServiceProviderKey } from '../../../ports/agent/saml-keys.js';

/** What documents of an identity provider for us are verified with. */
export const documentKeys = (
  { signingCertificates }: Pick<IdentityProvider, 'signingCertificates'>,
  key: Pick<ServiceProviderKey, 'decryptionKey'> | null,
): DocumentKeys => ({ signingCertificates, decryptionKey: key?.decryptionKey ?? null });

import type { KeyObject } from 'node:crypto';
import type {
  DocumentKeys,
  MetadataQuery,
  ReceivedMessage,
  SamlDocumentVerifier,
  UnusableMetadata,
  VerifierFailure,
} from '../../../application/ports/agent/saml-document-verifier.js';
import type { VerifiedAssertion, VerifiedResponse } from '../../../domain/agent/saml/assertion.js';
import { withDecryptedId } from '../../../domain/agent/saml/document/encrypted-id.js';
import { readLogoutRequest } from '../../../domain/agent/saml/document/read-logout-request.js';
import { readLogoutResponse } from '../../../domain/agent/saml/document/read-logout-response.js';
import type { LogoutRequest, LogoutResponse } from '../../../domain/agent/saml/logout-message.js';
import type { DescribedIdentityProvider } from '../../../domain/agent/saml/metadata/read-identity-provider.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { decodePosted, decodeToken, responseBounds } from './decode-document.js';
import { decryptId } from './decrypt-element.js';
import { signingKeys } from './signing-keys.js';
import { verifyAssertionText } from './verify-assertion.js';
import { verifyLogoutMessage } from './verify-logout.js';
import { verifyMetadataText } from './verify-metadata.js';
import { verifyResponseText } from './verify-response.js';
import { warmUpVerification } from './warm-up.js';

type Verified<Value> = Result<Value, VerifierFailure>;
type ReadMetadata = Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata>;

/** With no key there is nothing that a document could be verified with: that is not its fault. */
const withKeys = <Value, Failure>(
  certificates: readonly string[],
  work: (keys: readonly KeyObject[]) => Result<Value, Failure>,
): Result<Value, Failure | 'verifier_failed'> => {
  try {
    const keys = signingKeys(certificates);
    return keys.length === 0 ? err('verifier_failed') : work(keys);
  } catch {
    // Nothing of the document is told: what went wrong is that it could not be judged.
    return err('verifier_failed');
  }
};

/** Verifies documents on the thread that calls: for the thread of WorkerDocumentVerifier, and for tests. */
export class XmlCryptoDocumentVerifier implements SamlDocumentVerifier {
  async verifyResponse(encoded: string, keys: DocumentKeys): Promise<Verified<VerifiedResponse>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const text = decodePosted(encoded, responseBounds);
      return text.ok ? verifyResponseText(text.value, signing, keys.decryptionKey) : text;
    });
  }

  async verifyAssertion(encoded: string, keys: DocumentKeys): Promise<Verified<VerifiedAssertion>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const text = decodeToken(encoded);
      return text.ok ? verifyAssertionText(text.value, signing, keys.decryptionKey) : text;
    });
  }

  async verifyLogoutRequest(message: ReceivedMessage, keys: DocumentKeys): Promise<Verified<LogoutRequest>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const verified = verifyLogoutMessage(message, 'LogoutRequest', signing);
      if (!verified.ok) return verified;
      if (!verified.value.isSigned) return err('unsigned');
      const named = withDecryptedId(verified.value.root, decryptId(keys.decryptionKey));
      return named.ok ? readLogoutRequest(named.value) : named;
    });
  }

  async verifyLogoutResponse(message: ReceivedMessage, keys: DocumentKeys): Promise<Verified<LogoutResponse>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const verified = verifyLogoutMessage(message, 'LogoutResponse', signing);
      return verified.ok ? readLogoutResponse(verified.value.root, verified.value.isSigned) : verified;
    });
  }

  async warmUp(): Promise<boolean> {
    return warmUpVerification();
  }

  async verifyMetadata(text: string, query: MetadataQuery): Promise<ReadMetadata> {
    return query.certificates.length === 0
      ? verifyMetadataText(text, null, query)
      : withKeys(query.certificates, (keys) => verifyMetadataText(text, keys, query));
  }
}

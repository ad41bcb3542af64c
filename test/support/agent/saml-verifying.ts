import { XmlCryptoDocumentVerifier } from '../../../src/adapters/outbound/xml-crypto-saml/xml-crypto-document-verifier.js';
import type { DocumentKeys } from '../../../src/application/ports/agent/saml-document-verifier.js';
import type { Assertion } from '../../../src/domain/agent/saml/assertion.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import { posted } from './saml-documents.js';
import { asToken } from './saml-exchange.js';
import { idpKey, type SamlKey, spKey } from './saml-keys.js';

export const documentKeys = (
  keys: readonly SamlKey[] = [idpKey()],
  decryptionKey: SamlKey | null = spKey(),
): DocumentKeys => ({
  signingCertificates: keys.map(({ certificate }) => certificate),
  decryptionKey: decryptionKey === null ? null : new Secret(decryptionKey.privatePem),
});

/** The user that a document signs in, or the reason for which it is refused. */
export const verdict = async (xml: string, keys: DocumentKeys = documentKeys()): Promise<string> => {
  const result = await new XmlCryptoDocumentVerifier().verifyResponse(posted(xml), keys);
  return result.ok ? `accepted ${result.value.assertion.nameId?.value}` : result.error;
};

/** The assertion of a document that is accepted; throws with the reason otherwise. */
export const acceptedAssertion = async (xml: string, keys: DocumentKeys = documentKeys()): Promise<Assertion> => {
  const result = await new XmlCryptoDocumentVerifier().verifyResponse(posted(xml), keys);
  if (!result.ok) throw new Error(`refused: ${result.error}`);
  return result.value.assertion;
};

/** The user that a document is a token of, or the reason for which it is refused as one. */
export const tokenVerdict = async (xml: string, keys: DocumentKeys = documentKeys()): Promise<string> => {
  const result = await new XmlCryptoDocumentVerifier().verifyAssertion(asToken(xml), keys);
  return result.ok ? `accepted ${result.value.assertion.nameId?.value}` : result.error;
};

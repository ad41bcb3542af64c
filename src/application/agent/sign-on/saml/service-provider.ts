import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import type { IdentityProvider } from '../../../../domain/agent/saml/identity-provider.js';
import { serviceProviderMetadata } from '../../../../domain/agent/saml/messages/service-provider-metadata.js';
import { urlParts } from '../../../../domain/http/absolute-uri.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { DocumentKeys } from '../../../ports/agent/saml-document-verifier.js';
import type { SamlKeys, ServiceProviderKey } from '../../../ports/agent/saml-keys.js';
import type { TextFileReader } from '../../../ports/shared/text-file-reader.js';

/** A fault of the key file or the certificate file. */
interface ServiceProviderKeyFault {
  /** The key of the `saml` block that names the file. */
  readonly key: 'sp-key-file' | 'sp-cert-file';
  /** Names key and file. */
  readonly message: string;
}

interface KeyFileParts {
  readonly files: TextFileReader;
  readonly keys: Pick<SamlKeys, 'readServiceProviderKey' | 'readCertificates'>;
}

/** Reads the service provider's key and certificate. The error lists all faults, at least one. */
export const readServiceProviderKey = async (
  { keyFile, certificateFile }: NonNullable<SamlOptions['serviceProviderKey']>,
  { files, keys }: KeyFileParts,
): Promise<Result<ServiceProviderKey, readonly ServiceProviderKeyFault[]>> => {
  const faults: ServiceProviderKeyFault[] = [];
  const keyPem = await files.read(keyFile);
  const keyFault = (clause: string) =>
    ({ key: 'sp-key-file', message: `sp-key-file: the file ${keyFile} ${clause}` }) as const;
  if (!keyPem.ok) faults.push(keyFault(keyPem.error));
  const certificatePem = await files.read(certificateFile);
  const certificates = certificatePem.ok ? keys.readCertificates(certificatePem.value) : certificatePem;
  const certificateFault = certificates.ok
    ? certificates.value.length > 1 && 'holds several certificates; keep only that of the key'
    : certificates.error;
  if (certificateFault !== false) {
    faults.push({ key: 'sp-cert-file', message: `sp-cert-file: the file ${certificateFile} ${certificateFault}` });
  }
  if (!keyPem.ok || !certificatePem.ok || faults.length > 0) return err(faults);
  const read = keys.readServiceProviderKey(keyPem.value, certificatePem.value);
  return read.ok ? ok(read.value) : err([keyFault(read.error)]);
};

/** The keys for documents from an identity provider. */
export const documentKeys = (
  { signingCertificates }: Pick<IdentityProvider, 'signingCertificates'>,
  key: Pick<ServiceProviderKey, 'decryptionKey'> | null,
): DocumentKeys => ({ signingCertificates, decryptionKey: key?.decryptionKey ?? null });

/** The public URL of the logout endpoint: the logout path at the origin of the consumer URL. */
export const logoutUrlOf = ({ acsUrl, logoutPath }: Pick<SamlOptions, 'acsUrl' | 'logoutPath'>): string =>
  urlParts(acsUrl).origin + logoutPath;

/** The metadata of the service provider. The metadata path and `gateway-auth saml metadata` return it. */
export const metadataOf = (
  options: Pick<SamlOptions, 'acsUrl' | 'logoutPath' | 'entityId' | 'nameIdFormat'>,
  key: Pick<ServiceProviderKey, 'certificate' | 'decryptionKey'> | null,
): string =>
  serviceProviderMetadata({
    entityId: options.entityId,
    acsUrl: options.acsUrl,
    logoutUrl: logoutUrlOf(options),
    certificate: key?.certificate ?? null,
    canDecrypt: (key?.decryptionKey ?? null) !== null,
    nameIdFormat: options.nameIdFormat,
    signsRequests: key !== null,
  });

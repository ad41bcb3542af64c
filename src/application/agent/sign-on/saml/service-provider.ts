import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import { serviceProviderMetadata } from '../../../../domain/agent/saml/messages/service-provider-metadata.js';
import { urlParts } from '../../../../domain/http/url-parts.js';
import type { ServiceProviderKey } from '../../../ports/agent/saml-keys.js';

/** The sign-out endpoint as identity providers see it: the logout path, where the consumer is. */
export const logoutUrlOf = ({ acsUrl, logoutPath }: Pick<SamlOptions, 'acsUrl' | 'logoutPath'>): string =>
  urlParts(acsUrl).origin + logoutPath;

/** The metadata of this service provider: what the metadata path and `gateway-auth saml metadata` give. */
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

import { xmlNamespaces } from '../../xml/xml-name.js';
import { postBinding, redirectBinding } from './bindings.js';
import { markup, markupText } from './markup.js';

export interface ServiceProviderDescription {
  readonly entityId: string;
  readonly acsUrl: string;
  readonly logoutUrl: string;
  /** DER in base64; null: no key is configured. */
  readonly certificate: string | null;
  /** Whether the key of the certificate can decrypt assertions. */
  readonly canDecrypt: boolean;
  /** URI; null: any. */
  readonly nameIdFormat: string | null;
  readonly signsRequests: boolean;
}

/** The supported encryption methods, best first. Without a list, providers may use broken ones. */
const encryptionMethods = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
] as const;

const keyDescriptor = (use: 'signing' | 'encryption', certificate: string, methods: readonly string[]): string =>
  markup(
    'md:KeyDescriptor',
    { use },
    markup(
      'ds:KeyInfo',
      { 'xmlns:ds': xmlNamespaces.ds },
      markup('ds:X509Data', {}, markup('ds:X509Certificate', {}, markupText(certificate))),
    ),
    ...methods.map((algorithm) => markup('md:EncryptionMethod', { Algorithm: algorithm })),
  );

const keyDescriptors = ({ certificate, canDecrypt }: ServiceProviderDescription): string => {
  if (certificate === null) return '';
  const signing = keyDescriptor('signing', certificate, []);
  return canDecrypt ? signing + keyDescriptor('encryption', certificate, encryptionMethods) : signing;
};

/** The metadata of this service provider, for identity providers (SAML metadata, section 2.4.4). */
export const serviceProviderMetadata = (description: ServiceProviderDescription): string => {
  const { entityId, acsUrl, logoutUrl, nameIdFormat, signsRequests } = description;
  const logoutService = (binding: string): string =>
    markup('md:SingleLogoutService', { Binding: binding, Location: logoutUrl });
  const descriptor = markup(
    'md:SPSSODescriptor',
    {
      AuthnRequestsSigned: String(signsRequests),
      WantAssertionsSigned: 'true',
      protocolSupportEnumeration: xmlNamespaces.samlp,
    },
    keyDescriptors(description),
    logoutService(redirectBinding),
    logoutService(postBinding),
    nameIdFormat === null ? '' : markup('md:NameIDFormat', {}, markupText(nameIdFormat)),
    markup('md:AssertionConsumerService', { Binding: postBinding, Location: acsUrl, index: '0', isDefault: 'true' }),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${markup(
    'md:EntityDescriptor',
    { 'xmlns:md': xmlNamespaces.md, entityID: entityId },
    descriptor,
  )}\n`;
};

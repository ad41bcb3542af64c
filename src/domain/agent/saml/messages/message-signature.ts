import { xmlNamespaces } from '../../xml/xml-name.js';
import { markup, markupText } from './markup.js';

const { ds, excC14n } = xmlNamespaces;
const enveloped = `${ds}enveloped-signature`;
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const issuerEnd = '</saml:Issuer>';

/**
 * The SignedInfo of a message in canonical form, to be signed (XML Signature, section 4.4).
 * @param id the ID of the message
 * @param digest SHA-256 of the message in base64
 * @param algorithm URI of the signature algorithm
 */
export const signedInfoXml = (id: string, digest: string, algorithm: string): string =>
  markup(
    'ds:SignedInfo',
    { 'xmlns:ds': ds },
    markup('ds:CanonicalizationMethod', { Algorithm: excC14n }),
    markup('ds:SignatureMethod', { Algorithm: algorithm }),
    markup(
      'ds:Reference',
      { URI: `#${id}` },
      markup(
        'ds:Transforms',
        {},
        markup('ds:Transform', { Algorithm: enveloped }),
        markup('ds:Transform', { Algorithm: excC14n }),
      ),
      markup('ds:DigestMethod', { Algorithm: sha256 }),
      markup('ds:DigestValue', {}, markupText(digest)),
    ),
  );

/**
 * Inserts a signature where the schema requires it, after the Issuer.
 * @param signature signature of the SignedInfo in base64
 */
export const signedMessage = (xml: string, signedInfo: string, signature: string): string => {
  // INVARIANT: the Issuer is the first element, and no earlier text or attribute contains a tag.
  const end = xml.indexOf(issuerEnd) + issuerEnd.length;
  const element = markup(
    'ds:Signature',
    { 'xmlns:ds': ds },
    signedInfo,
    markup('ds:SignatureValue', {}, markupText(signature)),
  );
  return xml.slice(0, end) + element + xml.slice(end);
};

import { xmlNamespaces } from '../../xml/xml-name.js';
import { markup, markupText } from './markup.js';

const { ds, excC14n } = xmlNamespaces;
const enveloped = `${ds}enveloped-signature`;
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const issuerEnd = '</saml:Issuer>';

/**
 * SignedInfo of a message of ours, in canonical form: what has to be signed for it (XML Signature, section 4.4).
 *
 * @param id of the message
 * @param digest SHA-256 of the message as it stands, in base64
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
 * A message of ours with its signature in the one place that the schema has for it, behind the Issuer.
 *
 * @param signature of the SignedInfo, in base64
 */
export const signedMessage = (xml: string, signedInfo: string, signature: string): string => {
  // INVARIANT: the Issuer is the first element, and no text or attribute before it holds a tag.
  const end = xml.indexOf(issuerEnd) + issuerEnd.length;
  const element = markup(
    'ds:Signature',
    { 'xmlns:ds': ds },
    signedInfo,
    markup('ds:SignatureValue', {}, markupText(signature)),
  );
  return xml.slice(0, end) + element + xml.slice(end);
};

import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, childElements, elementText, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';

/** Certificates of one identity provider, at most: each may be tried for each document. */
export const maximumCertificates = 16;

const { md, ds } = xmlNamespaces;

/**
 * The certificates of a role whose keys sign, each DER in base64 without white space, none twice: those of
 * KeyDescriptors for signing, or for any use. Of an X509Data with several the first counts: the others are those that
 * vouch for it.
 */
export const signingCertificates = (role: XmlElement): Result<readonly string[], string> => {
  const found = new Set<string>();
  for (const descriptor of childElements(role, md, 'KeyDescriptor')) {
    const use = attributeOf(descriptor, 'use');
    if (use !== null && use !== 'signing') continue;
    for (const data of childElements(descriptor, ds, 'KeyInfo').flatMap((info) =>
      childElements(info, ds, 'X509Data'),
    )) {
      const [certificate] = childElements(data, ds, 'X509Certificate');
      const text = certificate === undefined ? null : elementText(certificate);
      const der = text?.replace(/[ \t\r\n]/g, '') ?? '';
      if (der !== '') found.add(der);
    }
    if (found.size > maximumCertificates) return err(`names more than ${maximumCertificates} certificates that sign`);
  }
  return found.size === 0 ? err('names no certificate that signs') : ok([...found]);
};

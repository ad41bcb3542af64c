import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, childElements, elementText, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';

/** Maximum certificates of an identity provider: each document may be tried with all. */
export const maximumCertificates = 16;

const { md, ds } = xmlNamespaces;

/**
 * The distinct signing certificates of a role, each DER in base64 without white space: from KeyDescriptors for signing
 * or for any use. Of an X509Data with several certificates the first counts; the others are its chain.
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
    if (found.size > maximumCertificates) return err(`names more than ${maximumCertificates} signing certificates`);
  }
  return found.size === 0 ? err('names no signing certificate') : ok([...found]);
};

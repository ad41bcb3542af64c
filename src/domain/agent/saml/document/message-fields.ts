import { ok } from '../../../shared/result.js';
import { attributeOf, type XmlElement } from '../../xml/element-access.js';
import { isNameWithoutColon, xmlNamespaces } from '../../xml/xml-name.js';
import {
  malformedDocument,
  type Read,
  readAll,
  readChild,
  readElementText,
  readOptionalChild,
  readTime,
} from './reading.js';

/** The ID of a message, an xs:ID. */
export const readId = (element: XmlElement): Read<string> => {
  const id = attributeOf(element, 'ID');
  return id === null || !isNameWithoutColon(id) ? malformedDocument : ok(id);
};

/** The exact entity id of its Issuer. */
export const readIssuer = (element: XmlElement): Read<string> =>
  readChild(element, xmlNamespaces.saml, 'Issuer', readElementText);

/** The exact entity id of its Issuer; null if absent. */
export const readOptionalIssuer = (element: XmlElement): Read<string | null> =>
  readOptionalChild(element, xmlNamespaces.saml, 'Issuer', readElementText);

/** The common fields of requests and responses (SAML core, sections 3.2.1 and 3.2.2), except the issuer. */
export const readMessageFields = (
  message: XmlElement,
): Read<{ readonly id: string; readonly issueInstantMs: number; readonly destination: string | null }> =>
  readAll({
    id: readId(message),
    issueInstantMs: readTime(message, 'IssueInstant'),
    destination: ok(attributeOf(message, 'Destination')),
  });

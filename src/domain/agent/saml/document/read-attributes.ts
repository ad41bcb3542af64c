import { ok } from '../../../shared/result.js';
import { childElements, elementText } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { AssertionAttribute } from '../assertion.js';
import { type Read, readAll, readAttribute, readEach } from './reading.js';

/** Null is no text, even where it is written as an empty one. */
const isNull = (value: XmlElement): boolean =>
  value.attributes.some(
    (attribute) =>
      attribute.name === 'nil' &&
      attribute.namespace === xmlNamespaces.xsi &&
      (attribute.value === 'true' || attribute.value === '1'),
  );

const readAttributeElement = (attribute: XmlElement): Read<AssertionAttribute> => {
  const texts = childElements(attribute, xmlNamespaces.saml, 'AttributeValue').map((value) =>
    isNull(value) ? null : elementText(value),
  );
  return readAll({ name: readAttribute(attribute, 'Name'), values: ok(texts.filter((text) => text !== null)) });
};

/** The attributes of an assertion in their order, those that are encrypted left out (SAML core, section 2.7.3). */
export const readAttributes = (assertion: XmlElement): Read<readonly AssertionAttribute[]> =>
  readEach(
    childElements(assertion, xmlNamespaces.saml, 'AttributeStatement').flatMap((statement) =>
      childElements(statement, xmlNamespaces.saml, 'Attribute'),
    ),
    readAttributeElement,
  );

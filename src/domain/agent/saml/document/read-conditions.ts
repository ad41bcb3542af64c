import { ok } from '../../../shared/result.js';
import { allChildElements, childElements } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { Conditions } from '../assertion.js';
import { optionalChild, type Read, readAll, readEach, readOptionalTime, readUri } from './reading.js';

const known: ReadonlySet<string> = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

const isKnown = (condition: XmlElement): boolean =>
  condition.namespace === xmlNamespaces.saml && known.has(condition.name);

const readAudiences = (restriction: XmlElement): Read<readonly string[]> =>
  readEach(childElements(restriction, xmlNamespaces.saml, 'Audience'), readUri);

/** What holds for an assertion to be used (SAML core, section 2.5.1). */
export const readConditions = (conditions: XmlElement): Read<Conditions> => {
  const fields = readAll({
    notBeforeMs: readOptionalTime(conditions, 'NotBefore'),
    notOnOrAfterMs: readOptionalTime(conditions, 'NotOnOrAfter'),
    audienceRestrictions: readEach(childElements(conditions, xmlNamespaces.saml, 'AudienceRestriction'), readAudiences),
    oneTimeUse: optionalChild(conditions, xmlNamespaces.saml, 'OneTimeUse'),
    proxyRestriction: optionalChild(conditions, xmlNamespaces.saml, 'ProxyRestriction'),
  });
  if (!fields.ok) return fields;
  const { proxyRestriction: _, oneTimeUse, ...kept } = fields.value;
  return ok({ ...kept, oneTimeUse: oneTimeUse !== null, unknown: !allChildElements(conditions).every(isKnown) });
};

import { err, ok, type Result } from '../../../shared/result.js';
import {
  allChildElements,
  attributeOf,
  childElements,
  elementText,
  isNamed,
  type XmlElement,
} from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type {
  Assertion,
  AssertionAttribute,
  AuthenticationStatement,
  Conditions,
  SubjectConfirmation,
} from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { readId, readIssuer } from './message-fields.js';
import { readNameIdOf } from './read-name-id.js';
import {
  optionalChild,
  type Read,
  readAll,
  readAttribute,
  readChild,
  readEach,
  readOptionalChild,
  readOptionalTime,
  readTime,
  readUri,
} from './reading.js';

/** Null is not a text, even if written as an empty one. */
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

/** The attributes of an assertion, in order, without encrypted ones (SAML core, section 2.7.3). */
const readAttributes = (assertion: XmlElement): Read<readonly AssertionAttribute[]> =>
  readEach(
    childElements(assertion, xmlNamespaces.saml, 'AttributeStatement').flatMap((statement) =>
      childElements(statement, xmlNamespaces.saml, 'Attribute'),
    ),
    readAttributeElement,
  );

const readData = (data: XmlElement): Read<NonNullable<SubjectConfirmation['data']>> =>
  readAll({
    recipient: ok(attributeOf(data, 'Recipient')),
    inResponseTo: ok(attributeOf(data, 'InResponseTo')),
    notBeforeMs: readOptionalTime(data, 'NotBefore'),
    notOnOrAfterMs: readOptionalTime(data, 'NotOnOrAfter'),
  });

const readConfirmation = (confirmation: XmlElement): Read<SubjectConfirmation> =>
  readAll({
    method: readAttribute(confirmation, 'Method'),
    data: readOptionalChild(confirmation, xmlNamespaces.saml, 'SubjectConfirmationData', readData),
  });

/** The subject of an assertion and its confirmations (SAML core, section 2.4.1). */
const readSubject = (subject: XmlElement): Read<Pick<Assertion, 'nameId' | 'confirmations'>> =>
  readAll({
    nameId: readNameIdOf(subject),
    confirmations: readEach(childElements(subject, xmlNamespaces.saml, 'SubjectConfirmation'), readConfirmation),
  });

const known: ReadonlySet<string> = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

const isKnown = (condition: XmlElement): boolean =>
  condition.namespace === xmlNamespaces.saml && known.has(condition.name);

const readAudiences = (restriction: XmlElement): Read<readonly string[]> =>
  readEach(childElements(restriction, xmlNamespaces.saml, 'Audience'), readUri);

/** The conditions of an assertion (SAML core, section 2.5.1). */
const readConditions = (conditions: XmlElement): Read<Conditions> => {
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

const readContextClass = (context: XmlElement): Read<string | null> =>
  readOptionalChild(context, xmlNamespaces.saml, 'AuthnContextClassRef', readUri);

/** How and when the subject was authenticated (SAML core, section 2.7.2). */
const readAuthentication = (statement: XmlElement): Read<AuthenticationStatement> =>
  readAll({
    authnInstantMs: readTime(statement, 'AuthnInstant'),
    sessionIndex: ok(attributeOf(statement, 'SessionIndex')),
    sessionNotOnOrAfterMs: readOptionalTime(statement, 'SessionNotOnOrAfter'),
    contextClass: readChild(statement, xmlNamespaces.saml, 'AuthnContext', readContextClass),
  });

/**
 * Parses an assertion without checking it (SAML core, section 2.3.3). Refuses missing, repeated or malformed elements,
 * and a subject without a printable NameID.
 */
export const readAssertion = (element: XmlElement): Result<Assertion, DocumentRejection> => {
  if (!isNamed(element, xmlNamespaces.saml, 'Assertion')) return err('unexpected_root');
  const statements = childElements(element, xmlNamespaces.saml, 'AuthnStatement');
  const fields = readAll({
    id: readId(element),
    issuer: readIssuer(element),
    issueInstantMs: readTime(element, 'IssueInstant'),
    subject: readOptionalChild(element, xmlNamespaces.saml, 'Subject', readSubject),
    conditions: readOptionalChild(element, xmlNamespaces.saml, 'Conditions', readConditions),
    authentication: readEach(statements, readAuthentication),
    attributes: readAttributes(element),
  });
  if (!fields.ok) return fields;
  const { subject, ...kept } = fields.value;
  return ok({ ...kept, nameId: subject?.nameId ?? null, confirmations: subject?.confirmations ?? [] });
};

import { err, ok, type Result } from '../../../shared/result.js';
import { childElements, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { Assertion } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { readId, readIssuer } from './message-fields.js';
import { readAttributes } from './read-attributes.js';
import { readAuthentication } from './read-authentication.js';
import { readConditions } from './read-conditions.js';
import { readSubject } from './read-subject.js';
import { readAll, readEach, readOptionalChild, readTime } from './reading.js';

/**
 * What an assertion says, nothing of it judged (SAML core, section 2.3.3). Refused: what is missing, there twice or not of its
 * type, and a subject that is not named by a NameID that can be shown.
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

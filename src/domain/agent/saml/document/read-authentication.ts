import { ok } from '../../../shared/result.js';
import { attributeOf } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { AuthenticationStatement } from '../assertion.js';
import { type Read, readAll, readChild, readOptionalChild, readOptionalTime, readTime, readUri } from './reading.js';

const readContextClass = (context: XmlElement): Read<string | null> =>
  readOptionalChild(context, xmlNamespaces.saml, 'AuthnContextClassRef', readUri);

/** How and when the subject was authenticated (SAML core, section 2.7.2). */
export const readAuthentication = (statement: XmlElement): Read<AuthenticationStatement> =>
  readAll({
    authnInstantMs: readTime(statement, 'AuthnInstant'),
    sessionIndex: ok(attributeOf(statement, 'SessionIndex')),
    sessionNotOnOrAfterMs: readOptionalTime(statement, 'SessionNotOnOrAfter'),
    contextClass: readChild(statement, xmlNamespaces.saml, 'AuthnContext', readContextClass),
  });

import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, childElements, isNamed, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type { LogoutRequest, LogoutResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { readIssuer, readMessageFields } from './message-fields.js';
import { readNameIdOf } from './read-name-id.js';
import { readAll, readEach, readElementText, readOptionalTime, readStatusCodes } from './reading.js';

/** Parses a LogoutResponse without checking it (SAML core, section 3.7.2; SAML profiles, section 4.4.4.2). */
export const readLogoutResponse = (root: XmlElement, isSigned: boolean): Result<LogoutResponse, DocumentRejection> => {
  if (!isNamed(root, xmlNamespaces.samlp, 'LogoutResponse')) return err('unexpected_root');
  const fields = readAll({
    message: readMessageFields(root),
    issuer: readIssuer(root),
    statusCodes: readStatusCodes(root),
  });
  if (!fields.ok) return fields;
  const { message, issuer, statusCodes } = fields.value;
  const { id, destination } = message;
  return ok({ id, destination, issuer, inResponseTo: attributeOf(root, 'InResponseTo'), statusCodes, isSigned });
};

/** Parses a LogoutRequest without checking it (SAML core, section 3.7.1; SAML profiles, section 4.4.4.1). */
export const readLogoutRequest = (root: XmlElement): Result<LogoutRequest, DocumentRejection> => {
  if (!isNamed(root, xmlNamespaces.samlp, 'LogoutRequest')) return err('unexpected_root');
  const fields = readAll({
    message: readMessageFields(root),
    issuer: readIssuer(root),
    notOnOrAfterMs: readOptionalTime(root, 'NotOnOrAfter'),
    nameId: readNameIdOf(root),
    sessionIndexes: readEach(childElements(root, xmlNamespaces.samlp, 'SessionIndex'), readElementText),
  });
  if (!fields.ok) return fields;
  const { message, nameId, ...kept } = fields.value;
  return nameId === null ? err('no_subject') : ok({ ...message, ...kept, nameId });
};

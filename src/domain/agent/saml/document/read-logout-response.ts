import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { LogoutResponse } from '../logout-message.js';
import { readIssuer, readMessageFields } from './message-fields.js';
import { readAll } from './reading.js';
import { readStatusCodes } from './status-codes.js';

/** What a LogoutResponse says, nothing of it judged (SAML core, section 3.7.2; SAML profiles, section 4.4.4.2). */
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

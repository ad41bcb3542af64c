import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { SamlResponseHead } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { readMessageFields, readOptionalIssuer } from './message-fields.js';
import { readAll } from './reading.js';
import { readStatusCodes } from './status-codes.js';

/** What a Response says beside its assertion, nothing of it judged (SAML core, section 3.2.2). */
export const readSamlResponseHead = (
  root: XmlElement,
  isSigned: boolean,
): Result<SamlResponseHead, DocumentRejection> => {
  if (!isNamed(root, xmlNamespaces.samlp, 'Response')) return err('unexpected_root');
  const fields = readAll({
    message: readMessageFields(root),
    issuer: readOptionalIssuer(root),
    statusCodes: readStatusCodes(root),
  });
  if (!fields.ok) return fields;
  const { message, issuer, statusCodes } = fields.value;
  return ok({ ...message, issuer, inResponseTo: attributeOf(root, 'InResponseTo'), statusCodes, isSigned });
};

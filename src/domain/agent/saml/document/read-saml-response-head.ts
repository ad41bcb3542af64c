import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, isNamed, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type { SamlResponseHead } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { readMessageFields, readOptionalIssuer } from './message-fields.js';
import { readAll, readStatusCodes } from './reading.js';

/** Parses a Response without its assertion, without checking it (SAML core, section 3.2.2). */
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

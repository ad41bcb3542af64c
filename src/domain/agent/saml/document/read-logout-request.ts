import { err, ok, type Result } from '../../../shared/result.js';
import { childElements, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { LogoutRequest } from '../logout-message.js';
import { readIssuer, readMessageFields } from './message-fields.js';
import { readNameIdOf } from './read-name-id.js';
import { readAll, readEach, readElementText, readOptionalTime } from './reading.js';

/** What a LogoutRequest says, nothing of it judged (SAML core, section 3.7.1; SAML profiles, section 4.4.4.1). */
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

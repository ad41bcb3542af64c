import type { ResponseCheck } from './response-check.js';

/** SAML core, section 8.3.1: any format. */
export const unspecifiedNameId = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/**
 * Requires a NameID in the requested format. It may be absent if an attribute is the user id and no format is
 * requested.
 */
export const checkNameId: ResponseCheck = ({ assertion: { nameId } }, { nameIdFormat, userIdAttribute }) => {
  const isAnyFormat = nameIdFormat === null || nameIdFormat === unspecifiedNameId;
  if (nameId === null) return isAnyFormat && userIdAttribute !== null ? null : 'no_subject';
  return isAnyFormat || nameId.format === nameIdFormat ? null : 'wrong_name_id_format';
};

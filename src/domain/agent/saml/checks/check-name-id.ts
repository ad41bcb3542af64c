import type { ResponseCheck } from './response-check.js';

/** SAML core, section 8.3.1: any format will do. */
export const unspecifiedNameId = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/**
 * It names its subject, in the format that was asked for. Where an attribute is the user id and no format is asked
 * for, it may do without.
 */
export const checkNameId: ResponseCheck = ({ assertion: { nameId } }, { nameIdFormat, userIdAttribute }) => {
  const isAnyFormat = nameIdFormat === null || nameIdFormat === unspecifiedNameId;
  if (nameId === null) return isAnyFormat && userIdAttribute !== null ? null : 'no_subject';
  return isAnyFormat || nameId.format === nameIdFormat ? null : 'wrong_name_id_format';
};

import type { ResponseCheck } from './response-check.js';

/** SAML core, section 8.3.1: any format will do. */
export const unspecifiedNameId = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/** It names its subject, in the format that was asked for. */
export const checkNameId: ResponseCheck = ({ assertion: { nameId } }, { nameIdFormat }) => {
  if (nameId === null) return 'no_subject';
  if (nameIdFormat === null || nameIdFormat === unspecifiedNameId) return null;
  return nameId.format === nameIdFormat ? null : 'wrong_name_id_format';
};

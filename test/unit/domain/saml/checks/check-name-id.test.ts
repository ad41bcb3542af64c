import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../support/verified-response.js';

describe('the name of the subject', () => {
  it('is required, even where an attribute is the user id', () => {
    expect(refusalOf({ assertion: { nameId: null } })).toBe('no_subject');
    expect(refusalOf({ assertion: { nameId: null } }, { userIdAttribute: 'groups' })).toBe('no_subject');
  });

  it('has the format that was asked for; unspecified is any', () => {
    const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
    const nameId = { value: 'ann', format: null, nameQualifier: null, spNameQualifier: null };
    expect(refusalOf({}, { nameIdFormat: email })).toBeNull();
    expect(refusalOf({}, { nameIdFormat: persistent })).toBe('wrong_name_id_format');
    expect(refusalOf({ assertion: { nameId } }, { nameIdFormat: persistent })).toBe('wrong_name_id_format');
    expect(refusalOf({}, { nameIdFormat: unspecified })).toBeNull();
    expect(refusalOf({ assertion: { nameId } }, { nameIdFormat: unspecified })).toBeNull();
  });
});

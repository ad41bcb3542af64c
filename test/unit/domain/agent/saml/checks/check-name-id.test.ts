import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the NameID check', () => {
  it('requires a name, unless an attribute is the user id', () => {
    expect(refusalOf({ assertion: { nameId: null } })).toBe('no_subject');
    const attributes = [{ name: 'mail', values: ['ann@example.com'] }];
    expect(refusalOf({ assertion: { nameId: null, attributes } }, { userIdAttribute: 'mail' })).toBeNull();
  });

  it('requires a name if a format is configured, even if an attribute is the user id', () => {
    const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    const rules = { userIdAttribute: 'department', nameIdFormat };
    expect(refusalOf({ assertion: { nameId: null } }, rules)).toBe('no_subject');
  });

  it('does not replace the attribute that is the user id', () => {
    expect(refusalOf({}, { userIdAttribute: 'missing' })).toBe('unusable_user_id');
    expect(refusalOf({ assertion: { nameId: null } }, { userIdAttribute: 'missing' })).toBe('unusable_user_id');
  });

  it('requires the configured format; unspecified accepts any', () => {
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

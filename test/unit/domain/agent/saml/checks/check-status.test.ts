import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the Status check', () => {
  it.each([
    ['none', []],
    ['a failure', ['urn:oasis:names:tc:SAML:2.0:status:Responder']],
    [
      'a success below a failure',
      ['urn:oasis:names:tc:SAML:2.0:status:Requester', 'urn:oasis:names:tc:SAML:2.0:status:Success'],
    ],
    ['success in another case', ['urn:oasis:names:tc:SAML:2.0:status:success']],
  ])('refuses %s', (_, statusCodes) => {
    expect(refusalOf({ head: { statusCodes } })).toBe('failed_status');
  });
});

import { describe, expect, it } from 'vitest';
import {
  logoutMessageOfForm,
  logoutMessageOfUri,
} from '../../../../../../src/application/agent/sign-on/saml/logout-message.js';

const formOf = (text: string) => logoutMessageOfForm(new TextEncoder().encode(text));
const malformed = { ok: false, error: 'malformed_form' };
const deflate = encodeURIComponent('urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE');

describe('a message to the logout path', () => {
  it('is absent without a SAML parameter', () => {
    expect(logoutMessageOfUri('/saml/logout')).toEqual({ ok: true, value: null });
    expect(logoutMessageOfUri('/saml/logout?from=menu')).toEqual({ ok: true, value: null });
  });

  it('is read from a query, undecoded where a signature covers it', () => {
    const uri = `/saml/logout?SAMLEncoding=${deflate}&SAMLResponse=a%2bb&RelayState=&SigAlg=x%3a&Signature=y%3d`;
    expect(logoutMessageOfUri(uri)).toEqual({
      ok: true,
      value: {
        kind: 'response',
        message: {
          binding: 'redirect',
          message: 'a%2bb',
          relayState: '',
          signature: { algorithm: 'x%3a', value: 'y%3d' },
        },
        relayState: '',
      },
    });
  });

  it('is read from a form', () => {
    expect(formOf('SAMLRequest=a%2Bb&RelayState=r+s')).toEqual({
      ok: true,
      value: { kind: 'request', message: { binding: 'post', encoded: 'a+b' }, relayState: 'r s' },
    });
  });

  it.each([
    'SAMLRequest=a&SAMLResponse=b',
    'SAMLRequest=a&SAMLRequest=b',
    'SAMLRequest=',
    'SAMLRequest=a&RelayState=x&RelayState=y',
    'SAMLRequest=%zz',
    `SAMLRequest=a&RelayState=${'r'.repeat(1025)}`,
  ])('is malformed with %s, in query or form', (text) => {
    expect(logoutMessageOfUri(`/saml/logout?${text}`)).toEqual(malformed);
    expect(formOf(text)).toEqual(malformed);
  });

  it.each([
    'SAMLRequest=a&SigAlg=b',
    'SAMLRequest=a&Signature=b',
    'SAMLRequest=a&SAMLEncoding=urn%3Aother',
    'SAMLRequest=a&SigAlg=b&Signature=c&Signature=d',
  ])('is malformed with %s in a query', (text) => {
    expect(logoutMessageOfUri(`/saml/logout?${text}`)).toEqual(malformed);
  });

  it('is required in a form', () => {
    expect(formOf('')).toEqual(malformed);
    expect(formOf('RelayState=x')).toEqual(malformed);
  });
});

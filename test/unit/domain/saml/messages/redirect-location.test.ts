import { describe, expect, it } from 'vitest';
import { type RedirectToSend, redirectLocation } from '../../../../../src/domain/saml/messages/redirect-location.js';

const redirect: RedirectToSend = {
  location: 'https://idp.example/sso',
  parameter: 'SAMLRequest',
  encoded: 'fZ+/A==',
  relayState: 'handle',
  key: null,
};

const signed: string[] = [];
const key = {
  signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sign: (text: string) => {
    signed.push(text);
    return 'ab+/==';
  },
};

describe('the URL of a message', () => {
  it('has the message and the relay state, encoded', () => {
    expect(redirectLocation(redirect)).toBe('https://idp.example/sso?SAMLRequest=fZ%2B%2FA%3D%3D&RelayState=handle');
    expect(redirectLocation({ ...redirect, parameter: 'SAMLResponse', relayState: null })).toBe(
      'https://idp.example/sso?SAMLResponse=fZ%2B%2FA%3D%3D',
    );
  });

  it('keeps the query of the location, and no fragment', () => {
    const at = (location: string) => redirectLocation({ ...redirect, location, relayState: null });
    expect(at('https://idp.example/sso?a=b&c')).toBe('https://idp.example/sso?a=b&c&SAMLRequest=fZ%2B%2FA%3D%3D');
    expect(at('https://idp.example/sso?')).toBe('https://idp.example/sso?SAMLRequest=fZ%2B%2FA%3D%3D');
    expect(at('https://idp.example/sso?a&#x?y')).toBe('https://idp.example/sso?a&SAMLRequest=fZ%2B%2FA%3D%3D');
  });

  it('has a signature over its parameters as they stand, and not over those of the location', () => {
    const url = redirectLocation({ ...redirect, location: 'https://idp.example/sso?a=b', key });
    const parameters =
      'SAMLRequest=fZ%2B%2FA%3D%3D&RelayState=handle' +
      '&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256';
    expect(signed).toEqual([parameters]);
    expect(url).toBe(`https://idp.example/sso?a=b&${parameters}&Signature=ab%2B%2F%3D%3D`);
  });

  it('cannot be given another parameter by the relay state', () => {
    const url = redirectLocation({ ...redirect, relayState: 'a&SAMLRequest=evil#b c\r\nX: y' });
    expect(url).toBe(
      'https://idp.example/sso?SAMLRequest=fZ%2B%2FA%3D%3D&RelayState=a%26SAMLRequest%3Devil%23b%20c%0D%0AX%3A%20y',
    );
  });
});

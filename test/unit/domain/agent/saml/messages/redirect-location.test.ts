import { describe, expect, it } from 'vitest';
import {
  type RedirectQuery,
  redirectLocation,
  redirectQuery,
} from '../../../../../../src/domain/agent/saml/messages/redirect-location.js';

const message: RedirectQuery = {
  parameter: 'SAMLRequest',
  encoded: 'fZ+/A==',
  relayState: 'handle',
  signatureAlgorithm: null,
};

describe('the query of a message', () => {
  it('contains the encoded message and relay state', () => {
    expect(redirectQuery(message)).toBe('SAMLRequest=fZ%2B%2FA%3D%3D&RelayState=handle');
    expect(redirectQuery({ ...message, parameter: 'SAMLResponse', relayState: null })).toBe(
      'SAMLResponse=fZ%2B%2FA%3D%3D',
    );
  });

  it('names the algorithm before signing, so it is signed too', () => {
    const signatureAlgorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
    expect(redirectQuery({ ...message, signatureAlgorithm })).toBe(
      'SAMLRequest=fZ%2B%2FA%3D%3D&RelayState=handle' +
        '&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256',
    );
  });

  it('gains no parameter from the relay state', () => {
    expect(redirectQuery({ ...message, relayState: 'a&SAMLRequest=evil#b c\r\nX: y' })).toBe(
      'SAMLRequest=fZ%2B%2FA%3D%3D&RelayState=a%26SAMLRequest%3Devil%23b%20c%0D%0AX%3A%20y',
    );
  });
});

describe('the URL of a message', () => {
  it('keeps the query of the location, without its fragment', () => {
    const at = (location: string) => redirectLocation(location, 'SAMLRequest=x', null);
    expect(at('https://idp.example/sso')).toBe('https://idp.example/sso?SAMLRequest=x');
    expect(at('https://idp.example/sso?a=b&c')).toBe('https://idp.example/sso?a=b&c&SAMLRequest=x');
    expect(at('https://idp.example/sso?')).toBe('https://idp.example/sso?SAMLRequest=x');
    expect(at('https://idp.example/sso?a&#x?y')).toBe('https://idp.example/sso?a&SAMLRequest=x');
  });

  it('appends the encoded signature after the signed part', () => {
    expect(redirectLocation('https://idp.example/sso?a=b', 'SAMLRequest=x&SigAlg=y', 'ab+/==')).toBe(
      'https://idp.example/sso?a=b&SAMLRequest=x&SigAlg=y&Signature=ab%2B%2F%3D%3D',
    );
  });
});

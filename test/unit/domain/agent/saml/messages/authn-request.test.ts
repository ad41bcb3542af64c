import { describe, expect, it } from 'vitest';
import {
  type AuthnRequestToSend,
  authnRequestXml,
} from '../../../../../../src/domain/agent/saml/messages/authn-request.js';

const request: AuthnRequestToSend = {
  id: '_1',
  issueInstantMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  destination: 'https://idp.example/sso?tenant=a&b=c',
  entityId: 'https://app.example/sp',
  acsUrl: 'https://app.example/saml/acs',
  nameIdFormat: null,
  authnContexts: [],
  forceAuthn: false,
};

const context = (uri: string): string =>
  `<saml:AuthnContextClassRef xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${uri}</saml:AuthnContextClassRef>`;

describe('an AuthnRequest', () => {
  it('requests any name at the consumer endpoint by default', () => {
    expect(authnRequestXml(request)).toBe(
      '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"' +
        ' AssertionConsumerServiceURL="https://app.example/saml/acs"' +
        ' Destination="https://idp.example/sso?tenant=a&amp;b=c" ID="_1" IssueInstant="2026-01-02T03:04:05Z"' +
        ' ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Version="2.0">' +
        '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://app.example/sp</saml:Issuer>' +
        '<samlp:NameIDPolicy AllowCreate="true"></samlp:NameIDPolicy></samlp:AuthnRequest>',
    );
  });

  it('requests the configured name, contexts and fresh authentication', () => {
    const xml = authnRequestXml({
      ...request,
      forceAuthn: true,
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      authnContexts: ['urn:a', 'urn:b'],
    });
    expect(xml).toContain(' ForceAuthn="true"');
    expect(xml).toContain(
      '<samlp:NameIDPolicy AllowCreate="true" Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">' +
        `</samlp:NameIDPolicy><samlp:RequestedAuthnContext Comparison="exact">${context('urn:a')}${context('urn:b')}` +
        '</samlp:RequestedAuthnContext></samlp:AuthnRequest>',
    );
  });

  it('does not request creation of a transient name', () => {
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    expect(authnRequestXml({ ...request, nameIdFormat: format })).toContain(
      `<samlp:NameIDPolicy Format="${format}"></samlp:NameIDPolicy>`,
    );
  });
});

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
  it('asks for any name, by the consumer endpoint, where nothing else is configured', () => {
    expect(authnRequestXml(request)).toBe(
      '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"' +
        ' AssertionConsumerServiceURL="https://app.example/saml/acs"' +
        ' Destination="https://idp.example/sso?tenant=a&amp;b=c" ID="_1" IssueInstant="2026-01-02T03:04:05Z"' +
        ' ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Version="2.0">' +
        '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://app.example/sp</saml:Issuer>' +
        '<samlp:NameIDPolicy AllowCreate="true"></samlp:NameIDPolicy></samlp:AuthnRequest>',
    );
  });

  it('asks for the name, the contexts and the fresh authentication that are configured', () => {
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

  it('does not ask that a transient name be made', () => {
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    expect(authnRequestXml({ ...request, nameIdFormat: format })).toContain(
      `<samlp:NameIDPolicy Format="${format}"></samlp:NameIDPolicy>`,
    );
  });
});

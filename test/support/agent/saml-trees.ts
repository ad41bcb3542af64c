import type { XmlElement } from '../../../src/domain/agent/xml/element-access.js';
import { xml } from './xml-elements.js';

const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** A signature over the element with that ID, as the shape rules want it; nothing is really signed. */
export const signatureTree = (id: string): XmlElement =>
  xml(
    'ds:Signature',
    {},
    xml(
      'ds:SignedInfo',
      {},
      xml('ds:CanonicalizationMethod', { Algorithm: exclusive }),
      xml('ds:SignatureMethod', { Algorithm: `${more}rsa-sha256` }),
      xml(
        'ds:Reference',
        { URI: `#${id}` },
        xml(
          'ds:Transforms',
          {},
          xml('ds:Transform', { Algorithm: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature' }),
          xml('ds:Transform', { Algorithm: exclusive }, xml('excC14n:InclusiveNamespaces', { PrefixList: 'xs' })),
        ),
        xml('ds:DigestMethod', { Algorithm: 'http://www.w3.org/2001/04/xmlenc#sha256' }),
        xml('ds:DigestValue', {}, 'AAAA'),
      ),
    ),
    xml('ds:SignatureValue', {}, 'AAAA'),
    xml('ds:KeyInfo', {}, xml('ds:X509Data', {}, xml('ds:X509Certificate', {}, 'AAAA'))),
  );

const signatures = (id: string, isSigned: boolean): XmlElement[] => (isSigned ? [signatureTree(id)] : []);

export const subjectTree = (name = 'ann'): XmlElement =>
  xml(
    'saml:Subject',
    {},
    xml('saml:NameID', { Format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', NameQualifier: 'q' }, name),
    xml(
      'saml:SubjectConfirmation',
      { Method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer' },
      xml('saml:SubjectConfirmationData', {
        Recipient: 'https://sp.test/acs',
        InResponseTo: '_request',
        NotOnOrAfter: '2026-01-02T03:09:05Z',
      }),
    ),
  );

export const assertionTree = (isSigned: boolean, id = '_assertion', name = 'ann'): XmlElement =>
  xml(
    'saml:Assertion',
    { ID: id, Version: '2.0', IssueInstant: '2026-01-02T03:04:05Z' },
    xml('saml:Issuer', {}, 'https://idp.test'),
    ...signatures(id, isSigned),
    subjectTree(name),
    xml(
      'saml:Conditions',
      { NotBefore: '2026-01-02T03:04:00Z', NotOnOrAfter: '2026-01-02T03:09:05.5Z' },
      xml('saml:AudienceRestriction', {}, xml('saml:Audience', {}, 'https://sp.test')),
    ),
    xml(
      'saml:AuthnStatement',
      { AuthnInstant: '2026-01-02T03:04:04Z', SessionIndex: 'index', SessionNotOnOrAfter: '2026-01-02T11:04:05Z' },
      xml('saml:AuthnContext', {}, xml('saml:AuthnContextClassRef', {}, 'urn:context')),
    ),
    xml(
      'saml:AttributeStatement',
      {},
      xml(
        'saml:Attribute',
        { Name: 'groups' },
        xml('saml:AttributeValue', {}, 'a'),
        xml('saml:AttributeValue', {}, 'b'),
      ),
    ),
  );

export const statusTree = (code = 'urn:oasis:names:tc:SAML:2.0:status:Success'): XmlElement =>
  xml('samlp:Status', {}, xml('samlp:StatusCode', { Value: code }));

/** A response as it ought to be, signed on the root, on the assertion, on both or on neither. */
export const responseTree = (
  signed: 'response' | 'assertion' | 'both' | 'none',
  assertion: XmlElement = assertionTree(signed === 'assertion' || signed === 'both'),
): XmlElement =>
  xml(
    'samlp:Response',
    {
      ID: '_response',
      Version: '2.0',
      IssueInstant: '2026-01-02T03:04:05Z',
      Destination: 'https://sp.test/acs',
      InResponseTo: '_request',
    },
    xml('saml:Issuer', {}, 'https://idp.test'),
    ...signatures('_response', signed === 'response' || signed === 'both'),
    statusTree(),
    assertion,
  );

export const logoutRequestTree = (isSigned: boolean): XmlElement =>
  xml(
    'samlp:LogoutRequest',
    {
      ID: '_logout',
      Version: '2.0',
      IssueInstant: '2026-01-02T03:04:05Z',
      Destination: 'https://sp.test/logout',
      NotOnOrAfter: '2026-01-02T03:09:05Z',
    },
    xml('saml:Issuer', {}, 'https://idp.test'),
    ...signatures('_logout', isSigned),
    xml('saml:NameID', {}, 'ann'),
    xml('samlp:SessionIndex', {}, 'one'),
    xml('samlp:SessionIndex', {}, 'two'),
  );

export const logoutResponseTree = (isSigned: boolean): XmlElement =>
  xml(
    'samlp:LogoutResponse',
    { ID: '_answer', Version: '2.0', IssueInstant: '2026-01-02T03:04:05Z', InResponseTo: '_request' },
    xml('saml:Issuer', {}, 'https://idp.test'),
    ...signatures('_answer', isSigned),
    statusTree(),
  );

import { describe, expect, it } from 'vitest';
import { readAssertion } from '../../../../../../src/domain/agent/saml/document/read-assertion.js';
import {
  readLogoutRequest,
  readLogoutResponse,
} from '../../../../../../src/domain/agent/saml/document/read-logout-message.js';
import { readSamlResponseHead } from '../../../../../../src/domain/agent/saml/document/read-saml-response-head.js';
import type { XmlElement } from '../../../../../../src/domain/agent/xml/element-access.js';
import { err, ok } from '../../../../../../src/domain/shared/result.js';
import {
  assertionTree,
  logoutRequestTree,
  logoutResponseTree,
  responseTree,
} from '../../../../../support/agent/saml-trees.js';
import { withAttribute, withChange, withChildren, xml } from '../../../../../support/agent/xml-elements.js';

const malformed = err('malformed_element');
const issuedMs = Date.parse('2026-01-02T03:04:05Z');
const assertion = assertionTree(true);
const without = (root: XmlElement, name: string): XmlElement =>
  withChange(root, (element) => (element.name === name ? null : element));
const doubled = (root: XmlElement, name: string): XmlElement =>
  withChange(root, (element) => (element.name === name ? [element, element] : element));
const holding = (root: XmlElement, name: string, ...children: (XmlElement | string)[]): XmlElement =>
  withChildren(root, name, () => children);
const adding = (root: XmlElement, name: string, ...added: (XmlElement | string)[]): XmlElement =>
  withChildren(root, name, (children) => [...children, ...added]);
const nameOf = (root: XmlElement): string | null => {
  const read = readAssertion(root);
  return read.ok ? (read.value.nameId?.value ?? null) : read.error;
};

describe('an assertion that is read', () => {
  it('has all that it says', () => {
    expect(readAssertion(assertion)).toEqual(
      ok({
        id: '_assertion',
        issuer: 'https://idp.test',
        issueInstantMs: issuedMs,
        nameId: {
          value: 'ann',
          format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
          nameQualifier: 'q',
          spNameQualifier: null,
        },
        confirmations: [
          {
            method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
            data: {
              recipient: 'https://sp.test/acs',
              inResponseTo: '_request',
              notBeforeMs: null,
              notOnOrAfterMs: Date.parse('2026-01-02T03:09:05Z'),
            },
          },
        ],
        conditions: {
          notBeforeMs: Date.parse('2026-01-02T03:04:00Z'),
          notOnOrAfterMs: Date.parse('2026-01-02T03:09:05.500Z'),
          audienceRestrictions: [['https://sp.test']],
          oneTimeUse: false,
          unknown: false,
        },
        authentication: [
          {
            authnInstantMs: Date.parse('2026-01-02T03:04:04Z'),
            sessionIndex: 'index',
            sessionNotOnOrAfterMs: Date.parse('2026-01-02T11:04:05Z'),
            contextClass: 'urn:context',
          },
        ],
        attributes: [{ name: 'groups', values: ['a', 'b'] }],
      }),
    );
  });

  it('has what is missing as missing', () => {
    const bare = ['Subject', 'Conditions', 'AuthnStatement', 'AttributeStatement'].reduce(without, assertion);
    const read = readAssertion(bare);
    expect(read.ok && read.value).toMatchObject({
      nameId: null,
      confirmations: [],
      conditions: null,
      authentication: [],
      attributes: [],
    });
    expect(nameOf(without(assertion, 'NameID'))).toBeNull();
    const unconfirmed = readAssertion(without(assertion, 'SubjectConfirmationData'));
    expect(unconfirmed.ok && unconfirmed.value.confirmations[0]?.data).toBeNull();
  });

  it('is an assertion', () => {
    expect(readAssertion(responseTree('both'))).toEqual(err('unexpected_root'));
    expect(readAssertion({ ...assertion, namespace: 'urn:oasis:names:tc:SAML:1.0:assertion' })).toEqual(
      err('unexpected_root'),
    );
  });

  it.each([
    'Issuer',
    'Subject',
    'NameID',
    'Conditions',
    'SubjectConfirmationData',
    'AuthnContext',
    'AuthnContextClassRef',
  ])('has no two of %s', (name) => {
    expect(readAssertion(doubled(assertion, name))).toEqual(malformed);
  });

  it.each(['OneTimeUse', 'ProxyRestriction'])('has no two of %s', (name) => {
    const condition = xml(`saml:${name}`);
    expect(readAssertion(adding(assertion, 'Conditions', condition)).ok).toBe(true);
    expect(readAssertion(adding(assertion, 'Conditions', condition, condition))).toEqual(malformed);
  });

  it.each([
    ['Assertion', 'ID'],
    ['Assertion', 'IssueInstant'],
    ['SubjectConfirmation', 'Method'],
    ['AuthnStatement', 'AuthnInstant'],
    ['Attribute', 'Name'],
  ])('is not without %s %s', (name, attribute) => {
    expect(readAssertion(withAttribute(assertion, name, attribute, null))).toEqual(malformed);
    expect(readAssertion(withAttribute(assertion, name, attribute, ''))).toEqual(malformed);
  });

  it.each(['Issuer', 'AuthnContext'])('is not without %s', (name) => {
    expect(readAssertion(without(assertion, name))).toEqual(malformed);
  });

  it.each([
    ['Assertion', 'IssueInstant'],
    ['Conditions', 'NotBefore'],
    ['Conditions', 'NotOnOrAfter'],
    ['SubjectConfirmationData', 'NotBefore'],
    ['SubjectConfirmationData', 'NotOnOrAfter'],
    ['AuthnStatement', 'AuthnInstant'],
    ['AuthnStatement', 'SessionNotOnOrAfter'],
  ])('has a time in %s %s, or none', (name, attribute) => {
    for (const time of [
      '',
      'never',
      '2026-01-02',
      '2026-01-02T03:04:05',
      '1767323045',
      '2026-02-30T00:00:00Z',
      ' 2026-01-02T03:04:05Z',
    ]) {
      expect(readAssertion(withAttribute(assertion, name, attribute, time))).toEqual(malformed);
    }
  });

  it.each(['1a', 'a b', 'a:b', "a'", '#a', 'a\n', 'é b'])('has an ID that is a name, not %j', (id) => {
    expect(readAssertion(withAttribute(assertion, 'Assertion', 'ID', id))).toEqual(malformed);
  });

  it('reads no attribute of another namespace', () => {
    const foreign = withChange(assertion, (element) => ({
      ...element,
      attributes: element.attributes.map((attribute) =>
        attribute.name === 'ID' ? { ...attribute, namespace: 'urn:x' } : attribute,
      ),
    }));
    expect(readAssertion(foreign)).toEqual(malformed);
  });

  it('reads no element of another namespace', () => {
    const foreign = withChange(assertion, (element) =>
      element.name === 'Subject' ? { ...element, namespace: null } : element,
    );
    expect(nameOf(foreign)).toBeNull();
    const issued = withChange(assertion, (element) =>
      element.name === 'Issuer' ? { ...element, namespace: 'urn:x' } : element,
    );
    expect(readAssertion(issued)).toEqual(malformed);
  });

  it('has texts that are whole', () => {
    for (const name of ['Issuer', 'Audience', 'AuthnContextClassRef']) {
      expect(readAssertion(holding(assertion, name))).toEqual(malformed);
      expect(readAssertion(holding(assertion, name, 'a', xml('x'), 'b'))).toEqual(malformed);
    }
    expect(nameOf(holding(assertion, 'NameID', 'ann', xml('x'), '@evil.test'))).toBe('malformed_element');
    expect(nameOf(holding(assertion, 'NameID', 'ann', '@evil.test'))).toBe('ann@evil.test');
    expect(nameOf(holding(assertion, 'NameID', ' Ann '))).toBe(' Ann ');
  });

  it.each(['', ' ', '\u00a0', 'ann\n', 'a\tb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a'.repeat(1025)])(
    'has no subject in %j',
    (name) => {
      expect(nameOf(holding(assertion, 'NameID', name))).toBe('no_subject');
    },
  );

  it('takes a name as long as a directory has', () => {
    expect(nameOf(holding(assertion, 'NameID', 'a'.repeat(1024)))).toBe('a'.repeat(1024));
  });

  it.each(['BaseID', 'EncryptedID'])('has no subject that is named by %s', (name) => {
    expect(nameOf(holding(assertion, 'Subject', xml(`saml:${name}`)))).toBe('no_subject');
    expect(nameOf(adding(assertion, 'Subject', xml(`saml:${name}`)))).toBe('no_subject');
  });

  it('is not named by what confirms its subject', () => {
    const confirmed = adding(without(assertion, 'NameID'), 'SubjectConfirmation', xml('saml:NameID', {}, 'admin'));
    expect(nameOf(confirmed)).toBeNull();
  });

  it('tells conditions that nobody here knows', () => {
    for (const condition of [xml('saml:Condition'), xml('AudienceRestriction'), xml('ds:OneTimeUse')]) {
      const read = readAssertion(adding(assertion, 'Conditions', condition));
      expect(read.ok && read.value.conditions?.unknown).toBe(true);
    }
    const once = readAssertion(adding(assertion, 'Conditions', xml('saml:OneTimeUse')));
    expect(once.ok && once.value.conditions).toMatchObject({ oneTimeUse: true, unknown: false });
  });

  it('keeps audience restrictions apart, those that name nobody too', () => {
    const restricted = adding(
      assertion,
      'Conditions',
      xml('saml:AudienceRestriction', {}, xml('saml:Audience', {}, 'b'), xml('saml:Audience', {}, 'c')),
      xml('saml:AudienceRestriction'),
    );
    const read = readAssertion(restricted);
    expect(read.ok && read.value.conditions?.audienceRestrictions).toEqual([['https://sp.test'], ['b', 'c'], []]);
  });

  it('leaves out attribute values that are no text, and attributes that are encrypted', () => {
    const values = [
      xml('saml:AttributeValue', {}, 'text'),
      xml('saml:AttributeValue', {}, xml('saml:NameID', {}, 'x')),
      xml('saml:AttributeValue', { 'xsi:nil': 'true' }),
      xml('saml:AttributeValue', { 'xsi:nil': '1' }),
      xml('saml:AttributeValue', { nil: 'true' }),
      xml('AttributeValue', {}, 'foreign'),
    ];
    const statement = xml(
      'saml:AttributeStatement',
      {},
      xml('saml:Attribute', { Name: '__proto__' }, ...values),
      xml('saml:EncryptedAttribute'),
      xml('saml:Attribute', { Name: 'empty' }),
    );
    const read = readAssertion(adding(assertion, 'Assertion', statement));
    expect(read.ok && read.value.attributes).toEqual([
      { name: 'groups', values: ['a', 'b'] },
      { name: '__proto__', values: ['text', ''] },
      { name: 'empty', values: [] },
    ]);
  });

  it('reads a statement that names a declaration in place of a class', () => {
    const declared = holding(assertion, 'AuthnContext', xml('saml:AuthnContextDeclRef', {}, 'urn:declaration'));
    const read = readAssertion(declared);
    expect(read.ok && read.value.authentication[0]?.contextClass).toBeNull();
  });
});

describe('the head of a response that is read', () => {
  const head = {
    id: '_response',
    issuer: 'https://idp.test',
    issueInstantMs: issuedMs,
    destination: 'https://sp.test/acs',
    inResponseTo: '_request',
    statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success'],
    isSigned: true,
  };

  it('has all that it says', () => {
    expect(readSamlResponseHead(responseTree('response'), true)).toEqual(ok(head));
    expect(readSamlResponseHead(responseTree('assertion'), false)).toEqual(ok({ ...head, isSigned: false }));
  });

  it('names neither issuer, destination nor request where they are missing', () => {
    const root = responseTree('none');
    const bare = ['Destination', 'InResponseTo'].reduce<XmlElement>(
      (so, name) => withAttribute(so, 'Response', name, null),
      { ...root, children: root.children.slice(1) },
    );
    expect(readSamlResponseHead(bare, true)).toEqual(
      ok({ ...head, issuer: null, destination: null, inResponseTo: null }),
    );
  });

  it('has all status codes', () => {
    const nested = holding(
      responseTree('none'),
      'Status',
      xml(
        'samlp:StatusCode',
        { Value: 'a' },
        xml('samlp:StatusCode', { Value: 'b' }, xml('samlp:StatusCode', { Value: 'c' })),
      ),
      xml('samlp:StatusMessage', {}, 'no'),
    );
    const read = readSamlResponseHead(nested, true);
    expect(read.ok && read.value.statusCodes).toEqual(['a', 'b', 'c']);
  });

  it('has one status of one code at each level', () => {
    const root = responseTree('none');
    const code = xml('samlp:StatusCode', { Value: 'a' });
    expect(readSamlResponseHead(without(root, 'Status'), true)).toEqual(malformed);
    expect(readSamlResponseHead(doubled(root, 'Status'), true)).toEqual(malformed);
    expect(readSamlResponseHead(doubled(root, 'StatusCode'), true)).toEqual(malformed);
    expect(readSamlResponseHead(holding(root, 'Status'), true)).toEqual(malformed);
    expect(readSamlResponseHead(holding(root, 'StatusCode', code, code), true)).toEqual(malformed);
    expect(readSamlResponseHead(withAttribute(root, 'StatusCode', 'Value', null), true)).toEqual(malformed);
  });

  it('is not without ID and issue instant, nor with two issuers', () => {
    const root = responseTree('none', xml('saml:EncryptedAssertion'));
    expect(readSamlResponseHead(withAttribute(root, 'Response', 'ID', null), true)).toEqual(malformed);
    expect(readSamlResponseHead(withAttribute(root, 'Response', 'IssueInstant', null), true)).toEqual(malformed);
    expect(readSamlResponseHead(doubled(root, 'Issuer'), true)).toEqual(malformed);
    expect(readSamlResponseHead(logoutResponseTree(true), true)).toEqual(err('unexpected_root'));
  });
});

describe('a logout request that is read', () => {
  const root = logoutRequestTree(true);

  it('has all that it says', () => {
    expect(readLogoutRequest(root)).toEqual(
      ok({
        id: '_logout',
        issuer: 'https://idp.test',
        issueInstantMs: issuedMs,
        destination: 'https://sp.test/logout',
        notOnOrAfterMs: Date.parse('2026-01-02T03:09:05Z'),
        nameId: { value: 'ann', format: null, nameQualifier: null, spNameQualifier: null },
        sessionIndexes: ['one', 'two'],
      }),
    );
  });

  it('names its subject, by a NameID', () => {
    expect(readLogoutRequest(without(root, 'NameID'))).toEqual(err('no_subject'));
    expect(readLogoutRequest(doubled(root, 'NameID'))).toEqual(malformed);
    expect(readLogoutRequest(adding(root, 'LogoutRequest', xml('saml:EncryptedID')))).toEqual(err('no_subject'));
    expect(readLogoutRequest(holding(root, 'NameID', ' '))).toEqual(err('no_subject'));
  });

  it('is refused where a session is not told: it would end all of them', () => {
    expect(readLogoutRequest(holding(root, 'SessionIndex'))).toEqual(malformed);
    expect(readLogoutRequest(holding(root, 'SessionIndex', xml('x', {}, 'one')))).toEqual(malformed);
  });

  it('is not without issuer, ID and issue instant', () => {
    expect(readLogoutRequest(without(root, 'Issuer'))).toEqual(malformed);
    expect(readLogoutRequest(withAttribute(root, 'LogoutRequest', 'ID', null))).toEqual(malformed);
    expect(readLogoutRequest(withAttribute(root, 'LogoutRequest', 'IssueInstant', 'x'))).toEqual(malformed);
    expect(readLogoutRequest(withAttribute(root, 'LogoutRequest', 'NotOnOrAfter', 'x'))).toEqual(malformed);
    expect(readLogoutRequest(logoutResponseTree(true))).toEqual(err('unexpected_root'));
  });
});

describe('a logout response that is read', () => {
  const root = logoutResponseTree(true);

  it('has all that it says', () => {
    const said = {
      id: '_answer',
      issuer: 'https://idp.test',
      destination: null,
      inResponseTo: '_request',
      statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success'],
    };
    expect(readLogoutResponse(root, true)).toEqual(ok({ ...said, isSigned: true }));
    expect(readLogoutResponse(root, false)).toEqual(ok({ ...said, isSigned: false }));
  });

  it('is not without issuer, status and ID', () => {
    expect(readLogoutResponse(without(root, 'Issuer'), true)).toEqual(malformed);
    expect(readLogoutResponse(without(root, 'Status'), true)).toEqual(malformed);
    expect(readLogoutResponse(withAttribute(root, 'LogoutResponse', 'ID', null), true)).toEqual(malformed);
    expect(readLogoutResponse(logoutRequestTree(true), true)).toEqual(err('unexpected_root'));
  });
});

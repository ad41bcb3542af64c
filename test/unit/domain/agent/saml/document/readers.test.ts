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

describe('readAssertion', () => {
  it('reads the complete content', () => {
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

  it('reads absent parts as absent', () => {
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

  it('refuses another element', () => {
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
  ])('refuses two of %s', (name) => {
    expect(readAssertion(doubled(assertion, name))).toEqual(malformed);
  });

  it.each(['OneTimeUse', 'ProxyRestriction'])('refuses two of %s', (name) => {
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
  ])('requires %s %s', (name, attribute) => {
    expect(readAssertion(withAttribute(assertion, name, attribute, null))).toEqual(malformed);
    expect(readAssertion(withAttribute(assertion, name, attribute, ''))).toEqual(malformed);
  });

  it.each(['Issuer', 'AuthnContext'])('requires %s', (name) => {
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
  ])('requires a valid time in %s %s, if present', (name, attribute) => {
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

  it.each(['1a', 'a b', 'a:b', "a'", '#a', 'a\n', 'é b'])('requires an ID that is a name, not %j', (id) => {
    expect(readAssertion(withAttribute(assertion, 'Assertion', 'ID', id))).toEqual(malformed);
  });

  it('ignores an attribute of another namespace', () => {
    const foreign = withChange(assertion, (element) => ({
      ...element,
      attributes: element.attributes.map((attribute) =>
        attribute.name === 'ID' ? { ...attribute, namespace: 'urn:x' } : attribute,
      ),
    }));
    expect(readAssertion(foreign)).toEqual(malformed);
  });

  it('ignores an element of another namespace', () => {
    const foreign = withChange(assertion, (element) =>
      element.name === 'Subject' ? { ...element, namespace: null } : element,
    );
    expect(nameOf(foreign)).toBeNull();
    const issued = withChange(assertion, (element) =>
      element.name === 'Issuer' ? { ...element, namespace: 'urn:x' } : element,
    );
    expect(readAssertion(issued)).toEqual(malformed);
  });

  it('requires texts without child elements', () => {
    for (const name of ['Issuer', 'Audience', 'AuthnContextClassRef']) {
      expect(readAssertion(holding(assertion, name))).toEqual(malformed);
      expect(readAssertion(holding(assertion, name, 'a', xml('x'), 'b'))).toEqual(malformed);
    }
    expect(nameOf(holding(assertion, 'NameID', 'ann', xml('x'), '@evil.test'))).toBe('malformed_element');
    expect(nameOf(holding(assertion, 'NameID', 'ann', '@evil.test'))).toBe('ann@evil.test');
    expect(nameOf(holding(assertion, 'NameID', ' Ann '))).toBe(' Ann ');
  });

  it.each(['', ' ', '\u00a0', 'ann\n', 'a\tb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a'.repeat(1025)])(
    'reads no subject from %j',
    (name) => {
      expect(nameOf(holding(assertion, 'NameID', name))).toBe('no_subject');
    },
  );

  it('accepts a name as long as in a directory', () => {
    expect(nameOf(holding(assertion, 'NameID', 'a'.repeat(1024)))).toBe('a'.repeat(1024));
  });

  it.each(['BaseID', 'EncryptedID'])('reads no subject from %s', (name) => {
    expect(nameOf(holding(assertion, 'Subject', xml(`saml:${name}`)))).toBe('no_subject');
    expect(nameOf(adding(assertion, 'Subject', xml(`saml:${name}`)))).toBe('no_subject');
  });

  it('reads no subject from a subject confirmation', () => {
    const confirmed = adding(without(assertion, 'NameID'), 'SubjectConfirmation', xml('saml:NameID', {}, 'admin'));
    expect(nameOf(confirmed)).toBeNull();
  });

  it('reports unknown conditions', () => {
    for (const condition of [xml('saml:Condition'), xml('AudienceRestriction'), xml('ds:OneTimeUse')]) {
      const read = readAssertion(adding(assertion, 'Conditions', condition));
      expect(read.ok && read.value.conditions?.unknown).toBe(true);
    }
    const once = readAssertion(adding(assertion, 'Conditions', xml('saml:OneTimeUse')));
    expect(once.ok && once.value.conditions).toMatchObject({ oneTimeUse: true, unknown: false });
  });

  it('keeps audience restrictions separate, including empty ones', () => {
    const restricted = adding(
      assertion,
      'Conditions',
      xml('saml:AudienceRestriction', {}, xml('saml:Audience', {}, 'b'), xml('saml:Audience', {}, 'c')),
      xml('saml:AudienceRestriction'),
    );
    const read = readAssertion(restricted);
    expect(read.ok && read.value.conditions?.audienceRestrictions).toEqual([['https://sp.test'], ['b', 'c'], []]);
  });

  it('omits attribute values that are not text, and encrypted attributes', () => {
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

  it('reads a statement with a declaration instead of a class', () => {
    const declared = holding(assertion, 'AuthnContext', xml('saml:AuthnContextDeclRef', {}, 'urn:declaration'));
    const read = readAssertion(declared);
    expect(read.ok && read.value.authentication[0]?.contextClass).toBeNull();
  });
});

describe('reading the head of a response', () => {
  const head = {
    id: '_response',
    issuer: 'https://idp.test',
    issueInstantMs: issuedMs,
    destination: 'https://sp.test/acs',
    inResponseTo: '_request',
    statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Success'],
    isSigned: true,
  };

  it('reads the complete content', () => {
    expect(readSamlResponseHead(responseTree('response'), true)).toEqual(ok(head));
    expect(readSamlResponseHead(responseTree('assertion'), false)).toEqual(ok({ ...head, isSigned: false }));
  });

  it('gives no issuer, destination or request if absent', () => {
    const root = responseTree('none');
    const bare = ['Destination', 'InResponseTo'].reduce<XmlElement>(
      (so, name) => withAttribute(so, 'Response', name, null),
      { ...root, children: root.children.slice(1) },
    );
    expect(readSamlResponseHead(bare, true)).toEqual(
      ok({ ...head, issuer: null, destination: null, inResponseTo: null }),
    );
  });

  it('reads all status codes', () => {
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

  it('requires one status with one code per level', () => {
    const root = responseTree('none');
    const code = xml('samlp:StatusCode', { Value: 'a' });
    expect(readSamlResponseHead(without(root, 'Status'), true)).toEqual(malformed);
    expect(readSamlResponseHead(doubled(root, 'Status'), true)).toEqual(malformed);
    expect(readSamlResponseHead(doubled(root, 'StatusCode'), true)).toEqual(malformed);
    expect(readSamlResponseHead(holding(root, 'Status'), true)).toEqual(malformed);
    expect(readSamlResponseHead(holding(root, 'StatusCode', code, code), true)).toEqual(malformed);
    expect(readSamlResponseHead(withAttribute(root, 'StatusCode', 'Value', null), true)).toEqual(malformed);
  });

  it('requires ID and issue instant, and at most one issuer', () => {
    const root = responseTree('none', xml('saml:EncryptedAssertion'));
    expect(readSamlResponseHead(withAttribute(root, 'Response', 'ID', null), true)).toEqual(malformed);
    expect(readSamlResponseHead(withAttribute(root, 'Response', 'IssueInstant', null), true)).toEqual(malformed);
    expect(readSamlResponseHead(doubled(root, 'Issuer'), true)).toEqual(malformed);
    expect(readSamlResponseHead(logoutResponseTree(true), true)).toEqual(err('unexpected_root'));
  });
});

describe('reading a logout request', () => {
  const root = logoutRequestTree(true);

  it('reads the complete content', () => {
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

  it('requires a NameID as subject', () => {
    expect(readLogoutRequest(without(root, 'NameID'))).toEqual(err('no_subject'));
    expect(readLogoutRequest(doubled(root, 'NameID'))).toEqual(malformed);
    expect(readLogoutRequest(adding(root, 'LogoutRequest', xml('saml:EncryptedID')))).toEqual(err('no_subject'));
    expect(readLogoutRequest(holding(root, 'NameID', ' '))).toEqual(err('no_subject'));
  });

  it('refuses an unreadable session index: it would end all sessions', () => {
    expect(readLogoutRequest(holding(root, 'SessionIndex'))).toEqual(malformed);
    expect(readLogoutRequest(holding(root, 'SessionIndex', xml('x', {}, 'one')))).toEqual(malformed);
  });

  it('requires issuer, ID and issue instant', () => {
    expect(readLogoutRequest(without(root, 'Issuer'))).toEqual(malformed);
    expect(readLogoutRequest(withAttribute(root, 'LogoutRequest', 'ID', null))).toEqual(malformed);
    expect(readLogoutRequest(withAttribute(root, 'LogoutRequest', 'IssueInstant', 'x'))).toEqual(malformed);
    expect(readLogoutRequest(withAttribute(root, 'LogoutRequest', 'NotOnOrAfter', 'x'))).toEqual(malformed);
    expect(readLogoutRequest(logoutResponseTree(true))).toEqual(err('unexpected_root'));
  });
});

describe('reading a logout response', () => {
  const root = logoutResponseTree(true);

  it('reads the complete content', () => {
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

  it('requires issuer, status and ID', () => {
    expect(readLogoutResponse(without(root, 'Issuer'), true)).toEqual(malformed);
    expect(readLogoutResponse(without(root, 'Status'), true)).toEqual(malformed);
    expect(readLogoutResponse(withAttribute(root, 'LogoutResponse', 'ID', null), true)).toEqual(malformed);
    expect(readLogoutResponse(logoutRequestTree(true), true)).toEqual(err('unexpected_root'));
  });
});

import { describe, expect, it } from 'vitest';
import {
  logoutStructureFault,
  responseStructureFault,
  withDecryptedAssertion,
} from '../../../../../../src/domain/agent/saml/document/message-structure.js';
import type { XmlElement } from '../../../../../../src/domain/agent/xml/element-access.js';
import {
  assertionTree,
  logoutRequestTree,
  logoutResponseTree,
  responseTree,
  signatureTree,
  statusTree,
  subjectTree,
} from '../../../../../support/agent/saml-trees.js';
import { withAttribute, withChange, withChildren, xml } from '../../../../../support/agent/xml-elements.js';

const issuer = xml('saml:Issuer', {}, 'https://idp.test');
const without = (root: XmlElement, name: string): XmlElement =>
  withChange(root, (element) => (element.name === name ? null : element));
const rooted = (...children: XmlElement[]): XmlElement => ({ ...responseTree('none'), children });
const failed = statusTree('urn:oasis:names:tc:SAML:2.0:status:Responder');

describe('the structure of a response', () => {
  it.each(['response', 'assertion', 'both', 'none'] as const)('is valid with a signature on: %s', (signed) => {
    expect(responseStructureFault(responseTree(signed))).toBeNull();
  });

  it('is valid with white space between its elements', () => {
    const spaced = withChange(responseTree('both'), (element) =>
      element.children.every((child) => typeof child !== 'string')
        ? { ...element, children: ['\n  ', ...element.children.flatMap((child) => [child, '\n  '])] }
        : element,
    );
    expect(responseStructureFault(spaced)).toBeNull();
  });

  it('is valid with an encrypted assertion', () => {
    const encrypted = xml('saml:EncryptedAssertion', {}, xml('xenc:EncryptedData', { Id: '_data' }));
    expect(responseStructureFault(responseTree('response', encrypted))).toBeNull();
  });

  it('is invalid with another root', () => {
    expect(responseStructureFault(assertionTree(true))).toBe('unexpected_root');
    expect(responseStructureFault(logoutRequestTree(true))).toBe('unexpected_root');
    expect(responseStructureFault({ ...responseTree('both'), namespace: null })).toBe('unexpected_root');
    expect(responseStructureFault({ ...responseTree('both'), name: 'response' })).toBe('unexpected_root');
  });

  it.each(['Response', 'Assertion'])('requires version 2.0 of the %s', (name) => {
    for (const version of ['1.1', '2', '2.0 ', '', null]) {
      expect(responseStructureFault(withAttribute(responseTree('both'), name, 'Version', version))).toBe(
        'unsupported_version',
      );
    }
  });

  it('ignores a Version in another namespace', () => {
    const root = withAttribute(responseTree('both'), 'Assertion', 'Version', null);
    const foreign = withChange(root, (element) =>
      element.name === 'Assertion'
        ? { ...element, attributes: [...element.attributes, { name: 'Version', namespace: 'urn:x', value: '2.0' }] }
        : element,
    );
    expect(responseStructureFault(foreign)).toBe('unsupported_version');
  });

  it.each(['ID', 'Id', 'id', 'iD', 'xml:id', 'ds:Id'])('refuses a duplicate identifier, spelled %s', (attribute) => {
    const extension = xml('samlp:Extensions', {}, xml('x', { [attribute]: '_assertion' }));
    const root = withChildren(responseTree('both'), 'Response', ([first, ...rest]) =>
      first === undefined ? rest : [first, ...rest.slice(0, 1), extension, ...rest.slice(1)],
    );
    expect(responseStructureFault(root)).toBe('duplicate_id');
  });

  it('refuses two identifiers on one element', () => {
    const root = withAttribute(responseTree('both'), 'Response', 'Id', '_response');
    expect(responseStructureFault(root)).toBe('duplicate_id');
  });

  it('reports a failure status if there is no assertion', () => {
    expect(responseStructureFault(rooted(issuer, failed))).toBe('failed_status');
    expect(responseStructureFault(rooted(issuer, statusTree()))).toBe('no_assertion');
    expect(responseStructureFault(rooted(issuer))).toBe('no_assertion');
  });
});

describe('the assertion of a response', () => {
  const other = assertionTree(false, '_other', 'admin');
  const encrypted = xml('saml:EncryptedAssertion', {}, xml('xenc:EncryptedData'));

  it.each([
    ['two', [assertionTree(true), other]],
    ['an unsigned one before a signed one', [other, assertionTree(true)]],
    ['an encrypted one beside a plain one', [assertionTree(true), encrypted]],
    ['two encrypted ones', [encrypted, encrypted]],
  ])('is refused with %s', (_, assertions) => {
    expect(responseStructureFault(rooted(issuer, statusTree(), ...assertions))).toBe('several_assertions');
  });

  it.each([
    ['in extensions', xml('samlp:Extensions', {}, other)],
    ['in a status detail', xml('samlp:Status', {}, xml('samlp:StatusDetail', {}, other))],
    ['in an element of no namespace', xml('wrapper', {}, xml('wrapper', {}, other))],
    ['as an encrypted one', xml('samlp:Extensions', {}, encrypted)],
    ['of SAML 1.1', { ...other, namespace: 'urn:oasis:names:tc:SAML:1.0:assertion' }],
    ['of no namespace', { ...other, namespace: null }],
  ])('is refused elsewhere: %s', (_, element) => {
    const root = rooted(issuer, statusTree(), element, assertionTree(true));
    expect(responseStructureFault(root)).toBe('misplaced_assertion');
  });

  it.each(['Advice', 'Subject', 'AttributeValue', 'Conditions', 'Object', 'KeyInfo'])(
    'is refused inside its own %s',
    (name) => {
      const parts = withChildren(assertionTree(true), 'Assertion', (children) => [
        ...children,
        xml(`saml:${name}`, {}, other),
      ]);
      expect(responseStructureFault(responseTree('both', parts))).toBe('misplaced_assertion');
    },
  );

  it('is checked again after decryption', () => {
    const received = responseTree('response', encrypted);
    expect(responseStructureFault(withDecryptedAssertion(received, assertionTree(true)))).toBeNull();
    expect(responseStructureFault(withDecryptedAssertion(received, assertionTree(true, '_response')))).toBe(
      'duplicate_id',
    );
    expect(responseStructureFault(withDecryptedAssertion(received, responseTree('none')))).toBe('unexpected_root');
    const nested = withChildren(assertionTree(false), 'Subject', (children) => [
      ...children,
      signatureTree('_assertion'),
    ]);
    expect(responseStructureFault(withDecryptedAssertion(received, nested))).toBe('misplaced_signature');
  });
});

describe('the signatures of a response', () => {
  it.each([
    [
      'in extensions',
      (root: XmlElement) => [
        issuer,
        xml('samlp:Extensions', {}, signatureTree('_response')),
        ...root.children.slice(2),
      ],
    ],
    ['after the status', (root: XmlElement) => [issuer, ...root.children.slice(2), signatureTree('_response')]],
    [
      'second, but before the issuer',
      (root: XmlElement) => [statusTree(), signatureTree('_response'), issuer, ...root.children.slice(3)],
    ],
    ['before the issuer', (root: XmlElement) => [signatureTree('_response'), issuer, ...root.children.slice(2)]],
    [
      'in no namespace',
      (root: XmlElement) => [issuer, { ...signatureTree('_response'), namespace: null }, ...root.children.slice(2)],
    ],
    [
      'in the issuer',
      (root: XmlElement) => [xml('saml:Issuer', {}, signatureTree('_response')), ...root.children.slice(2)],
    ],
  ])('are refused outside their schema position: %s', (_, change) => {
    const root = responseTree('response');
    expect(responseStructureFault({ ...root, children: change(root) })).toBe('misplaced_signature');
  });

  it('come first if there is no issuer', () => {
    const root = responseTree('response');
    expect(responseStructureFault({ ...root, children: root.children.slice(1) })).toBeNull();
  });

  it.each(['Response', 'Assertion'])('are limited to one per %s', (name) => {
    const doubled = withChildren(responseTree('both'), name, (children) =>
      children.flatMap((child) => (typeof child !== 'string' && child.name === 'Signature' ? [child, child] : [child])),
    );
    expect(responseStructureFault(doubled)).toBe('several_signatures');
  });

  it('are refused on an encrypted assertion from outside', () => {
    const encrypted = xml('saml:EncryptedAssertion', {}, signatureTree('_data'), xml('xenc:EncryptedData'));
    expect(responseStructureFault(responseTree('none', encrypted))).toBe('misplaced_signature');
  });

  it('cover their parent element', () => {
    const swapped = (name: string) =>
      withAttribute(
        responseTree(name === 'Response' ? 'response' : 'assertion'),
        'Reference',
        'URI',
        name === 'Response' ? '#_assertion' : '#_response',
      );
    expect(responseStructureFault(swapped('Response'))).toBe('signature_reference');
    expect(responseStructureFault(swapped('Assertion'))).toBe('signature_reference');
  });

  it.each(['Response', 'Assertion'])('require an ID of the %s', (name) => {
    expect(responseStructureFault(withAttribute(responseTree('both'), name, 'ID', null))).toBe('signature_reference');
  });
});

/**
 * The eight shapes of signature wrapping, where the genuine, signed element goes along somewhere and a forged one is
 * read.
 */
describe('signature wrapping', () => {
  const genuineResponse = without(responseTree('response'), 'Signature');
  const genuineAssertion = without(assertionTree(true), 'Signature');
  const withObject = (id: string, wrapped: XmlElement): XmlElement =>
    withChildren(signatureTree(id), 'Signature', (children) => [...children, xml('ds:Object', {}, wrapped)]);
  const forgedResponse = (...after: XmlElement[]): XmlElement => {
    const forged = withAttribute(
      responseTree('none', assertionTree(false, '_evil', 'admin')),
      'Response',
      'ID',
      '_forged',
    );
    return { ...forged, children: [issuer, ...after, ...forged.children.slice(1)] };
  };
  const forgedAssertion = (id: string, ...after: XmlElement[]): XmlElement => {
    const forged = assertionTree(false, id, 'admin');
    return { ...forged, children: [issuer, ...after, ...forged.children.slice(1)] };
  };
  const held = (...assertions: XmlElement[]): XmlElement => rooted(issuer, statusTree(), ...assertions);

  const shapes: Readonly<Record<string, XmlElement>> = {
    'XSW1: the genuine response in an Object of the signature': forgedResponse(
      withObject('_response', genuineResponse),
    ),
    'XSW1 with the ID kept': withAttribute(
      forgedResponse(withObject('_response', genuineResponse)),
      'Response',
      'ID',
      '_response',
    ),
    'XSW2: the genuine response before a detached signature': forgedResponse(
      genuineResponse,
      signatureTree('_response'),
    ),
    'XSW2, signature first': forgedResponse(signatureTree('_response'), genuineResponse),
    'XSW3: a forged assertion before the genuine one': held(forgedAssertion('_evil'), assertionTree(true)),
    'XSW4: the genuine assertion within the forged one': held(forgedAssertion('_evil', assertionTree(true))),
    'XSW5: the genuine assertion after a forged one with its signature': held(
      forgedAssertion('_evil', signatureTree('_assertion')),
      genuineAssertion,
    ),
    'XSW5 with the ID kept': held(forgedAssertion('_assertion', signatureTree('_assertion')), genuineAssertion),
    'XSW6: the genuine assertion within the signature of the forged one': held(
      forgedAssertion(
        '_evil',
        withChildren(signatureTree('_assertion'), 'Signature', (children) => [...children, genuineAssertion]),
      ),
    ),
    'XSW7: the genuine assertion in extensions': rooted(
      issuer,
      xml('samlp:Extensions', {}, assertionTree(true)),
      statusTree(),
      forgedAssertion('_evil'),
    ),
    'XSW8: the genuine assertion in an Object of the signature': held(
      forgedAssertion('_evil', withObject('_assertion', genuineAssertion)),
    ),
    'XSW8 with the ID kept': held(forgedAssertion('_assertion', withObject('_assertion', genuineAssertion))),
    'an assertion of the signed response hidden in KeyInfo': held(
      forgedAssertion(
        '_evil',
        withChildren(signatureTree('_assertion'), 'KeyInfo', (children) => [...children, genuineAssertion]),
      ),
    ),
    'the genuine assertion in the advice of the forged one': held(
      withChildren(forgedAssertion('_evil'), 'Assertion', (children) => [
        ...children,
        xml('saml:Advice', {}, assertionTree(true)),
      ]),
    ),
    'the signature of the assertion moved to the response': rooted(
      issuer,
      signatureTree('_assertion'),
      statusTree(),
      genuineAssertion,
    ),
    'a subject beside the signed response': held(
      withChildren(assertionTree(true), 'Signature', (children) => [...children, subjectTree('admin')]),
    ),
  };

  it.each(Object.entries(shapes))('is refused as %s', (_, root) => {
    expect(responseStructureFault(root)).not.toBeNull();
  });

  it.each(Object.entries(shapes).filter(([name]) => name.startsWith('XSW')))(
    'is refused inside foreign namespaces too: %s',
    (_, root) => {
      // Readers that go by local names take these for the same.
      const strange = withChange(root, (element) =>
        element.name === 'Assertion' || element.name === 'Signature' ? { ...element, namespace: 'urn:other' } : element,
      );
      expect(responseStructureFault(strange)).not.toBeNull();
    },
  );
});

describe('the structure of a logout message', () => {
  it('is valid, signed or not', () => {
    for (const isSigned of [true, false]) {
      expect(logoutStructureFault(logoutRequestTree(isSigned), 'LogoutRequest')).toBeNull();
      expect(logoutStructureFault(logoutResponseTree(isSigned), 'LogoutResponse')).toBeNull();
    }
  });

  it('is refused for another message', () => {
    expect(logoutStructureFault(logoutRequestTree(true), 'LogoutResponse')).toBe('unexpected_root');
    expect(logoutStructureFault(logoutResponseTree(true), 'LogoutRequest')).toBe('unexpected_root');
    expect(logoutStructureFault(responseTree('response'), 'LogoutRequest')).toBe('unexpected_root');
  });

  const add = (element: XmlElement) =>
    withChildren(logoutRequestTree(true), 'LogoutRequest', (children) => [...children, element]);

  it.each([
    ['an assertion', assertionTree(false), 'misplaced_assertion'],
    ['a second signature', signatureTree('_logout'), 'several_signatures'],
    ['the genuine request', xml('samlp:Extensions', {}, logoutRequestTree(false)), 'unexpected_root'],
    ['its own identifier again', xml('samlp:Extensions', {}, xml('x', { Id: '_logout' })), 'duplicate_id'],
    ['a signature in extensions', xml('samlp:Extensions', {}, signatureTree('_logout')), 'misplaced_signature'],
  ])('is refused with %s', (_, element, reason) => {
    expect(logoutStructureFault(add(element), 'LogoutRequest')).toBe(reason);
  });

  it('requires version 2.0', () => {
    const root = withAttribute(logoutRequestTree(true), 'LogoutRequest', 'Version', '1.1');
    expect(logoutStructureFault(root, 'LogoutRequest')).toBe('unsupported_version');
  });
});

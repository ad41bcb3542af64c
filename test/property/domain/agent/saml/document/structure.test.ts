import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertionStructureFault,
  logoutStructureFault,
  responseStructureFault,
} from '../../../../../../src/domain/agent/saml/document/message-structure.js';
import { readAssertion } from '../../../../../../src/domain/agent/saml/document/read-assertion.js';
import { readLogoutRequest } from '../../../../../../src/domain/agent/saml/document/read-logout-message.js';
import { readSamlResponseHead } from '../../../../../../src/domain/agent/saml/document/read-saml-response-head.js';
import {
  allChildElements,
  attributeOf,
  childElements,
  isNamed,
  placedElements,
  type XmlElement,
} from '../../../../../../src/domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../../../../src/domain/agent/xml/xml-name.js';
import { countedTree } from '../../../../../support/agent/counted-work.js';
import {
  assertionTree,
  logoutRequestTree,
  responseTree,
  signatureTree,
  statusTree,
} from '../../../../../support/agent/saml-trees.js';
import { withChange, xml } from '../../../../../support/agent/xml-elements.js';

const signed = fc.constantFrom('response', 'assertion', 'both', 'none');
const valid = signed.map((kind) => responseTree(kind));
const hosts = [
  'Response',
  'Issuer',
  'Status',
  'StatusCode',
  'Assertion',
  'Subject',
  'NameID',
  'Conditions',
  'Signature',
  'SignedInfo',
  'Reference',
  'KeyInfo',
  'X509Data',
  'AttributeValue',
  'DigestValue',
];
const smuggled = fc.constantFrom(
  assertionTree(false, '_evil', 'admin'),
  assertionTree(true, '_evil', 'admin'),
  assertionTree(true),
  xml('saml:EncryptedAssertion'),
  responseTree('both'),
  signatureTree('_response'),
  signatureTree('_assertion'),
  xml('ds:Object', {}, assertionTree(true)),
);

/** The tree with the element put into one of those named, at a place of its children. */
const smuggledInto = (root: XmlElement, host: string, at: number, element: XmlElement): XmlElement =>
  withChange(root, (candidate) => {
    if (candidate.name !== host) return candidate;
    const place = at % (candidate.children.length + 1);
    return { ...candidate, children: candidate.children.toSpliced(place, 0, element) };
  });

/** What an attacker with the elements of a genuine response can move, take out, double, rename or wrap. */
const moved = fc
  .tuple(
    valid,
    fc.array(fc.record({ from: fc.nat(), to: fc.nat(), keeps: fc.boolean(), wraps: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([root, moves]) =>
    moves.reduce((so, { from, to, keeps, wraps }) => {
      const elements = placedElements(so).map(({ element }) => element);
      const taken = elements[1 + (from % (elements.length - 1))];
      const target = elements[to % elements.length];
      if (taken === undefined || target === undefined) return so;
      const put = wraps ? xml('samlp:Extensions', {}, taken) : taken;
      // Elements are told apart by what they are: every copy of the target gets it.
      return withChange(so, (element) => {
        const isTarget = element.name === target.name && attributeOf(element, 'ID') === attributeOf(target, 'ID');
        const children = keeps
          ? element.children
          : element.children.filter((child) => typeof child === 'string' || child.name !== taken.name);
        return { ...element, children: isTarget ? [...children, put] : children };
      });
    }, root),
  );

describe('the structure of a response', () => {
  it('becomes invalid after inserting an assertion, message or signature anywhere', () => {
    fc.assert(
      fc.property(valid, fc.constantFrom(...hosts), fc.nat(), smuggled, (root, host, at, element) => {
        const changed = smuggledInto(root, host, at, element);
        fc.pre(placedElements(changed).length > placedElements(root).length);
        const fault = responseStructureFault(changed);
        // A signature may be added where one belongs: what it covers is then that element, and it does not hold.
        const isLawful =
          element.name === 'Signature' &&
          fault === null &&
          allChildElements(changed)
            .concat(childElements(changed, xmlNamespaces.saml, 'Assertion').flatMap(allChildElements))
            .includes(element);
        if (!isLawful) expect(fault).not.toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it('has, if valid, exactly one assertion, and signatures that cover exactly their parent', () => {
    fc.assert(
      fc.property(moved, (root) => {
        if (responseStructureFault(root) !== null) return;
        const elements = placedElements(root);
        const assertions = elements.filter(({ element }) => element.name === 'Assertion');
        expect(assertions).toHaveLength(1);
        expect(assertions[0]?.parent).toBe(root);
        const ids = elements.map(({ element }) => attributeOf(element, 'ID')).filter((id) => id !== null);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { element, parent } of elements) {
          if (element.name !== 'Signature') continue;
          if (parent === null) throw new Error('a signature is no root');
          expect(isNamed(parent, xmlNamespaces.samlp, 'Response') || parent === assertions[0]?.element).toBe(true);
          const references = placedElements(element).filter((placed) => placed.element.name === 'Reference');
          expect(references.map((placed) => attributeOf(placed.element, 'URI'))).toEqual([
            `#${attributeOf(parent, 'ID')}`,
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('accepts or refuses every tree', () => {
    const names = fc.constantFrom(
      'samlp:Response',
      'saml:Assertion',
      'saml:Subject',
      'saml:NameID',
      'saml:Conditions',
      'saml:Issuer',
      'ds:Signature',
      'ds:SignedInfo',
      'ds:Reference',
      'samlp:Status',
      'samlp:StatusCode',
      'x',
    );
    const { tree } = fc.letrec<{ tree: XmlElement }>((tie) => ({
      tree: fc
        .tuple(
          names,
          fc.dictionary(
            fc.constantFrom('ID', 'Version', 'URI', 'Value', 'IssueInstant', '__proto__'),
            fc.constantFrom('2.0', '_a', '', '2026-01-02T03:04:05Z'),
          ),
          fc.array(fc.oneof({ depthSize: 'small' }, fc.constantFrom('', ' ', 'text'), tie('tree')), { maxLength: 4 }),
        )
        .map(([name, attributes, children]) => xml(name, attributes, ...children)),
    }));
    fc.assert(
      fc.property(tree, (root) => {
        expect(responseStructureFault(root)).not.toBeUndefined();
        expect(readSamlResponseHead(root, false)).toHaveProperty('ok');
        expect(readAssertion(root)).toHaveProperty('ok');
        expect(readLogoutRequest(root)).toHaveProperty('ok');
      }),
      { numRuns: 300 },
    );
  });
});

describe('the structure of a standalone assertion', () => {
  it('becomes invalid after inserting an assertion or message anywhere, or a misplaced signature', () => {
    const alone = fc.boolean().map((isSigned) => assertionTree(isSigned));
    fc.assert(
      fc.property(alone, fc.constantFrom('Assertion', ...hosts), fc.nat(), smuggled, (root, host, at, element) => {
        const changed = smuggledInto(root, host, at, element);
        fc.pre(placedElements(changed).length > placedElements(root).length);
        const fault = assertionStructureFault(changed);
        const isLawful = element.name === 'Signature' && fault === null && allChildElements(changed).includes(element);
        if (!isLawful) expect(fault).not.toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it('is valid for the assertion of a response, and for no response', () => {
    expect(assertionStructureFault(assertionTree(true))).toBeNull();
    expect(assertionStructureFault(responseTree('both'))).toBe('unexpected_root');
    expect(responseStructureFault(assertionTree(true))).toBe('unexpected_root');
  });
});

describe('checking a large tree', () => {
  const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => item(index));
  const count = 1500;
  const issuer = xml('saml:Issuer', {}, 'https://idp.test');
  const of = (...children: XmlElement[]): XmlElement => ({ ...responseTree('none'), children });
  const nested = (name: string): XmlElement =>
    many(count, () => name).reduce<XmlElement>((inner, each) => xml(each, {}, inner), xml('x'));

  const large: Readonly<Record<string, XmlElement>> = {
    assertions: of(issuer, statusTree(), ...many(count / 10, (index) => assertionTree(true, `_${index}`))),
    signatures: of(issuer, ...many(count / 10, () => signatureTree('_response')), statusTree(), assertionTree(false)),
    'signatures in an assertion': of(
      issuer,
      statusTree(),
      xml('saml:Assertion', { Version: '2.0', ID: '_a' }, issuer, ...many(count / 10, () => signatureTree('_a'))),
    ),
    references: withChange(responseTree('both'), (element) =>
      element.name === 'Reference' ? many(count, () => element) : element,
    ),
    certificates: withChange(responseTree('both'), (element) =>
      element.name === 'X509Certificate' ? many(count, () => element) : element,
    ),
    identifiers: of(
      issuer,
      statusTree(),
      xml('samlp:Extensions', {}, ...many(count, (index) => xml('x', { ID: `_${index}` }))),
      assertionTree(true),
    ),
    issuers: of(...many(count, () => issuer), statusTree(), assertionTree(true)),
    attributes: of(
      issuer,
      statusTree(),
      xml(
        'saml:Assertion',
        { ID: '_a', Version: '2.0', IssueInstant: '2026-01-02T03:04:05Z' },
        issuer,
        ...many(count, (index) =>
          xml(
            'saml:AttributeStatement',
            {},
            xml('saml:Attribute', { Name: `a${index}` }, xml('saml:AttributeValue', {}, 'x')),
          ),
        ),
      ),
    ),
    subjects: of(
      issuer,
      statusTree(),
      xml(
        'saml:Assertion',
        { ID: '_a', Version: '2.0', IssueInstant: '2026-01-02T03:04:05Z' },
        issuer,
        ...many(count, () => xml('saml:Subject')),
      ),
    ),
    depth: of(issuer, nested('samlp:Extensions'), statusTree(), assertionTree(true)),
    'status codes': of(
      issuer,
      xml(
        'samlp:Status',
        {},
        many(count, () => 'samlp:StatusCode').reduce(
          (inner, name) => xml(name, { Value: 'x' }, inner),
          xml('samlp:StatusCode', { Value: 'x' }),
        ),
      ),
      assertionTree(true),
    ),
  };

  it.each(Object.entries(large))('takes time linear in the number of elements: %s', (_, root) => {
    const elements = placedElements(root).length;
    const work = (run: (tree: XmlElement) => unknown): number => {
      const counted = countedTree(root);
      run(counted.root);
      return counted.count();
    };
    expect(work(responseStructureFault)).toBeLessThan(40 * elements);
    expect(work((tree) => readSamlResponseHead(tree, true))).toBeLessThan(40 * elements);
    const assertion = (tree: XmlElement): XmlElement => childElements(tree, xmlNamespaces.saml, 'Assertion')[0] ?? tree;
    expect(work((tree) => readAssertion(assertion(tree)))).toBeLessThan(40 * elements);
    expect(work((tree) => assertionStructureFault(assertion(tree)))).toBeLessThan(40 * elements);
  });

  it('reads sessions in time linear in their number', () => {
    const request = logoutRequestTree(true);
    const root = {
      ...request,
      children: [...request.children, ...many(count, () => xml('samlp:SessionIndex', {}, 'x'))],
    };
    const counted = countedTree(root);
    expect(logoutStructureFault(counted.root, 'LogoutRequest')).toBeNull();
    expect(readLogoutRequest(counted.root).ok).toBe(true);
    expect(counted.count()).toBeLessThan(80 * placedElements(root).length);
  });
});

import { describe, expect, it } from 'vitest';
import {
  allChildElements,
  attributeOf,
  childElements,
  elementText,
  exactChildren,
  isEmptyElement,
  isNamed,
  placedElements,
  type XmlElement,
} from '../../../../../src/domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../../../src/domain/agent/xml/xml-name.js';
import { xml } from '../../../../support/agent/xml-elements.js';

const tree = xml(
  'saml:a',
  { ID: '1', 'xml:ID': '2', 'xml:lang': 'en' },
  'x',
  xml('saml:b', {}, xml('saml:c')),
  'y',
  xml('b'),
  xml('saml:b'),
);

describe('an element', () => {
  it('is named by namespace and local name', () => {
    expect(isNamed(tree, xmlNamespaces.saml, 'a')).toBe(true);
    expect(isNamed(tree, null, 'a')).toBe(false);
    expect(isNamed(tree, xmlNamespaces.saml, 'A')).toBe(false);
  });

  it('gives the elements directly below it', () => {
    expect(allChildElements(tree).map(({ name }) => name)).toEqual(['b', 'b', 'b']);
    expect(childElements(tree, xmlNamespaces.saml, 'b')).toEqual([tree.children[1], tree.children[4]]);
    expect(childElements(tree, null, 'b')).toEqual([tree.children[3]]);
    expect(childElements(tree, xmlNamespaces.saml, 'c')).toEqual([]);
  });

  it('gives its attributes in no namespace', () => {
    expect(attributeOf(tree, 'ID')).toBe('1');
    expect(attributeOf(tree, 'lang')).toBeNull();
    expect(attributeOf(xml('a', { 'xml:ID': '2' }), 'ID')).toBeNull();
    expect(attributeOf(tree, '__proto__')).toBeNull();
  });

  it('gives its text if it has no child elements', () => {
    expect(elementText(xml('a', {}, 'x', ' ', 'y'))).toBe('x y');
    expect(elementText(xml('a'))).toBe('');
    expect(elementText(tree)).toBeNull();
  });

  it('reports whether its children are exactly the given ones', () => {
    const pair = xml('saml:a', {}, ' \n', xml('saml:b'), '\t', xml('saml:c'));
    const names = ['b', 'c'];
    expect(exactChildren(pair, xmlNamespaces.saml, names)).toEqual([pair.children[1], pair.children[3]]);
    expect(exactChildren(pair, xmlNamespaces.samlp, names)).toBeNull();
    expect(exactChildren(pair, xmlNamespaces.saml, ['c', 'b'])).toBeNull();
    expect(exactChildren(pair, xmlNamespaces.saml, ['b'])).toBeNull();
    expect(exactChildren(pair, xmlNamespaces.saml, ['b', 'c', 'd'])).toBeNull();
    expect(exactChildren({ ...pair, children: [...pair.children, '\u00a0'] }, xmlNamespaces.saml, names)).toBeNull();
    expect(isEmptyElement(xml('a', { b: 'c' }, ' \n'))).toBe(true);
    expect(isEmptyElement(xml('a', {}, 'x'))).toBe(false);
    expect(isEmptyElement(xml('a', {}, xml('b')))).toBe(false);
  });
});

describe('the elements of a tree', () => {
  it('are all visited once, with their parent', () => {
    const placed = placedElements(tree);
    expect(placed.map(({ element }) => element.name)).toEqual(['a', 'b', 'b', 'b', 'c']);
    expect(placed.map(({ parent }) => parent?.name ?? null)).toEqual([null, 'a', 'a', 'a', 'b']);
  });

  it('are found at any depth', () => {
    let deep: XmlElement = xml('leaf');
    for (let depth = 1; depth < 100_000; depth += 1) deep = { ...deep, name: 'a', children: [deep] };
    expect(placedElements(deep)).toHaveLength(100_000);
  });
});

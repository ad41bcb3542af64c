import type { XmlElement } from '../../../src/domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../src/domain/agent/xml/xml-name.js';

const namespaceOf = (prefix: string): string => {
  const found = Object.entries(xmlNamespaces).find(([name]) => name === prefix);
  if (found === undefined) throw new Error(`no such prefix: ${prefix}`);
  return found[1];
};

/** Attributes by name, `xml:id` with the prefix that `xmlNamespaces` has for the namespace. */
type Attributes = Readonly<Record<string, string>>;

/** An element by its qualified name, such as `saml:Issuer`; without a prefix it is in no namespace. */
export const xml = (
  qualified: string,
  attributes: Attributes = {},
  ...children: (XmlElement | string)[]
): XmlElement => {
  const split = (name: string) => {
    const [local = '', prefix] = name.split(':').reverse();
    return { name: local, namespace: prefix === undefined ? null : namespaceOf(prefix) };
  };
  return {
    ...split(qualified),
    attributes: Object.entries(attributes).map(([name, value]) => ({ ...split(name), value })),
    children,
  };
};

const isList = (result: XmlElement | readonly XmlElement[]): result is readonly XmlElement[] => Array.isArray(result);

/** The tree with every element replaced by what `change` makes of it, from the leaves up; null takes it out. */
export const changed = (
  element: XmlElement,
  change: (element: XmlElement) => XmlElement | readonly XmlElement[] | null,
): readonly XmlElement[] => {
  const children = element.children.flatMap((child): readonly (XmlElement | string)[] =>
    typeof child === 'string' ? [child] : changed(child, change),
  );
  const result = change({ ...element, children });
  if (result === null) return [];
  return isList(result) ? result : [result];
};

/** As `changed`, for one that stays one. */
export const withChange = (
  root: XmlElement,
  change: (element: XmlElement) => XmlElement | readonly XmlElement[] | null,
) => {
  const [first] = changed(root, change);
  if (first === undefined) throw new Error('nothing is left');
  return first;
};

/** The tree with the attribute of every element of that local name set, or taken out (null). */
export const withAttribute = (root: XmlElement, name: string, attribute: string, value: string | null): XmlElement =>
  withChange(root, (element) => {
    if (element.name !== name) return element;
    const others = element.attributes.filter((other) => other.name !== attribute);
    return {
      ...element,
      attributes: value === null ? others : [...others, { name: attribute, namespace: null, value }],
    };
  });

/** The tree with the children of every element of that local name changed. */
export const withChildren = (
  root: XmlElement,
  name: string,
  change: (children: readonly (XmlElement | string)[]) => readonly (XmlElement | string)[],
): XmlElement =>
  withChange(root, (element) => (element.name === name ? { ...element, children: change(element.children) } : element));

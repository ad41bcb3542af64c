import { isBlank } from './xml-characters.js';

/** An element and its parent; null: the root. */
export interface PlacedElement {
  readonly element: XmlElement;
  readonly parent: XmlElement | null;
}

/** The root and all its descendants, breadth first. Iterative, so any depth is safe. */
export const placedElements = (root: XmlElement): readonly PlacedElement[] => {
  const placed: PlacedElement[] = [{ element: root, parent: null }];
  // The list grows during the loop until the deepest elements are added.
  for (const { element } of placed) {
    for (const child of allChildElements(element)) placed.push({ element: child, parent: element });
  }
  return placed;
};

/** An attribute of an element, not a namespace declaration. */
export interface XmlAttribute {
  /** Local name. */
  readonly name: string;
  /** Null: no namespace, as for attributes without a prefix. */
  readonly namespace: string | null;
  readonly value: string;
}

/** An element with resolved namespaces (Namespaces in XML 1.0). The tree omits comments and processing instructions. */
export interface XmlElement {
  /** Local name. */
  readonly name: string;
  readonly namespace: string | null;
  readonly attributes: readonly XmlAttribute[];
  /** Child elements and texts, in order, with resolved references. */
  readonly children: readonly (XmlElement | string)[];
}

/**
 * The child elements, if they have exactly these names in this order, with only white space between them; otherwise
 * null.
 */
export const exactChildren = (
  element: XmlElement,
  namespace: string,
  names: readonly string[],
): readonly XmlElement[] | null => {
  const elements = allChildElements(element);
  const isExact =
    elements.length === names.length &&
    elements.every((child, index) => isNamed(child, namespace, names[index] ?? '')) &&
    element.children.every((child) => typeof child !== 'string' || isBlank(child));
  return isExact ? elements : null;
};

/** Whether the element contains only white space. */
export const isEmptyElement = (element: XmlElement): boolean =>
  element.children.every((child) => typeof child === 'string' && isBlank(child));

/** Whether the element has this namespace and local name. */
export const isNamed = (element: XmlElement, namespace: string | null, name: string): boolean =>
  element.name === name && element.namespace === namespace;

/** All child elements, in order. */
export const allChildElements = (element: XmlElement): readonly XmlElement[] =>
  element.children.filter((child) => typeof child !== 'string');

/** The child elements of this name, in order. */
export const childElements = (element: XmlElement, namespace: string | null, name: string): readonly XmlElement[] =>
  allChildElements(element).filter((child) => isNamed(child, namespace, name));

/** The value of an attribute without namespace; null if absent. */
export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes.find((attribute) => attribute.name === name && attribute.namespace === null)?.value ?? null;

/** The exact text of the element; null if it has child elements. */
export const elementText = (element: XmlElement): string | null => {
  const texts = element.children.filter((child) => typeof child === 'string');
  return texts.length === element.children.length ? texts.join('') : null;
};

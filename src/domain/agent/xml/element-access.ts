import { isBlank } from './xml-characters.js';

/** An element and the one that it is directly in; null: it is the root. */
export interface PlacedElement {
  readonly element: XmlElement;
  readonly parent: XmlElement | null;
}

/** The root and every element below it, once each, those nearer to the root first. No recursion: any depth will do. */
export const placedElements = (root: XmlElement): readonly PlacedElement[] => {
  const placed: PlacedElement[] = [{ element: root, parent: null }];
  // The list grows while it is walked, until the deepest elements have been added.
  for (const { element } of placed) {
    for (const child of allChildElements(element)) placed.push({ element: child, parent: element });
  }
  return placed;
};

/** An attribute of an element. Declarations of namespaces are none. */
export interface XmlAttribute {
  /** Local name. */
  readonly name: string;
  /** Null: in no namespace, as attributes without a prefix are. */
  readonly namespace: string | null;
  readonly value: string;
}

/**
 * An element with its namespace resolved (Namespaces in XML 1.0). Comments and processing instructions are not in the
 * tree.
 */
export interface XmlElement {
  /** Local name. */
  readonly name: string;
  readonly namespace: string | null;
  readonly attributes: readonly XmlAttribute[];
  /** Elements and pieces of text, in their order; references are resolved. */
  readonly children: readonly (XmlElement | string)[];
}

/**
 * The elements directly below it, where they are those of the names given, in that order, and nothing is between them
 * but white space; null otherwise.
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

/** Whether there is nothing in it but white space. */
export const isEmptyElement = (element: XmlElement): boolean =>
  element.children.every((child) => typeof child === 'string' && isBlank(child));

/** Whether the element has that namespace and that local name. */
export const isNamed = (element: XmlElement, namespace: string | null, name: string): boolean =>
  element.name === name && element.namespace === namespace;

/** All elements directly below it, in their order. */
export const allChildElements = (element: XmlElement): readonly XmlElement[] =>
  element.children.filter((child) => typeof child !== 'string');

/** The elements of that name directly below it, in their order. */
export const childElements = (element: XmlElement, namespace: string | null, name: string): readonly XmlElement[] =>
  allChildElements(element).filter((child) => isNamed(child, namespace, name));

/** The value of its attribute in no namespace; null: it has none of that name. */
export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes.find((attribute) => attribute.name === name && attribute.namespace === null)?.value ?? null;

/** Its text, whole and exact, empty where it is empty; null: there are elements in it. */
export const elementText = (element: XmlElement): string | null => {
  const texts = element.children.filter((child) => typeof child === 'string');
  return texts.length === element.children.length ? texts.join('') : null;
};

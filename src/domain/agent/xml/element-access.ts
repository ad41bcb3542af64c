import type { XmlElement } from './xml-element.js';

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

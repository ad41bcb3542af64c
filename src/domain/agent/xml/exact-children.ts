import { allChildElements, isNamed } from './element-access.js';
import { isBlank } from './xml-characters.js';
import type { XmlElement } from './xml-element.js';

/**
 * The elements directly below it, where they are those of the names given, in that order, and nothing is between them but white
 * space; null otherwise.
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

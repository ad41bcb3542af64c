import { allChildElements } from './element-access.js';
import type { XmlElement } from './xml-element.js';

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

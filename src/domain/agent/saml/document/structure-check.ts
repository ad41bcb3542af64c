import type { PlacedElement } from '../../xml/placed-elements.js';
import type { XmlElement } from '../../xml/xml-element.js';
import type { DocumentRejection } from '../document-rejection.js';

/** A document whose structure is looked at, before anything in it is believed. */
export interface DocumentTree {
  readonly root: XmlElement;
  /** The root and every element below it. */
  readonly elements: readonly PlacedElement[];
}

/** One thing that the structure of a document has to keep; the reason to refuse it where it does not, or null. Linear in the elements. */
export type StructureCheck = (tree: DocumentTree) => DocumentRejection | null;

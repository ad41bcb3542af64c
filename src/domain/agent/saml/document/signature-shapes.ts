import { attributeOf, childElements } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import { signableElements } from './signature-places.js';
import { signatureFault } from './signature-shape.js';
import type { StructureCheck } from './structure-check.js';

/** Every signature covers the element that it stands in, by algorithms that are believed. */
export const signatureShapesFault: StructureCheck = ({ root }) => {
  for (const signed of signableElements(root)) {
    for (const signature of childElements(signed, xmlNamespaces.ds, 'Signature')) {
      const fault = signatureFault(signature, attributeOf(signed, 'ID') ?? '');
      if (fault !== null) return fault;
    }
  }
  return null;
};

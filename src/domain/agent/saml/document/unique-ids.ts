import type { StructureCheck } from './structure-check.js';

/**
 * No identifier is there twice, on whatever elements and however the attribute is spelled (`ID`, `Id`, `id`, `xml:id`,
 * `wsu:Id`): a reference to it means one element, to every reader.
 */
export const duplicateIdFault: StructureCheck = ({ elements }) => {
  const seen = new Set<string>();
  for (const { element } of elements) {
    for (const { name, value } of element.attributes) {
      if (name.toLowerCase() !== 'id') continue;
      if (seen.has(value)) return 'duplicate_id';
      seen.add(value);
    }
  }
  return null;
};

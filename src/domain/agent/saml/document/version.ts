import { attributeOf, childElements } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { StructureCheck } from './structure-check.js';

/** The message and the assertion in it are of version 2.0 (SAML core, section 4.1). */
export const versionFault: StructureCheck = ({ root }) => {
  const versioned = [root, ...childElements(root, xmlNamespaces.saml, 'Assertion')];
  return versioned.every((element) => attributeOf(element, 'Version') === '2.0') ? null : 'unsupported_version';
};

import { withXmlCharactersOnly } from '../../xml/xml-characters.js';

const inText: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const inAttribute: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

const escaped = (text: string, pattern: RegExp, references: Readonly<Record<string, string>>): string =>
  withXmlCharactersOnly(text).replace(pattern, (character) => references[character] ?? character);

/** Escapes text for element content in canonical form. Characters that XML does not allow become U+FFFD. */
export const markupText = (text: string): string => escaped(text, /[&<>\r]/g, inText);

/** Namespaces before attributes, each sorted by name. */
const order = ([left]: readonly [string, string], [right]: readonly [string, string]): number => {
  const isNamespace = (name: string): boolean => name.startsWith('xmlns');
  if (isNamespace(left) !== isNamespace(right)) return isNamespace(left) ? -1 : 1;
  return left < right ? -1 : 1;
};

/**
 * Builds an element, without null attributes. `content` is markup. The result is in canonical form (Exclusive XML
 * Canonicalization, section 3), so it can be signed as it is. This requires that each element declares exactly the
 * namespace of its prefix, unless an ancestor does. Attributes have no prefix.
 */
export const markup = (
  name: string,
  attributes: Readonly<Record<string, string | null>>,
  ...content: readonly string[]
): string => {
  const given = Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== null);
  let tag = name;
  for (const [attribute, value] of given.sort(order)) {
    tag += ` ${attribute}="${escaped(value, /[&<"\t\n\r]/g, inAttribute)}"`;
  }
  return `<${tag}>${content.join('')}</${name}>`;
};

import type { KeyObject } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { metadataLimits, metadataShapeFault } from '../../../domain/agent/xml/document-shape.js';
import { attributeOf, isNamed, type XmlAttribute, type XmlElement } from '../../../domain/agent/xml/element-access.js';
import { decodeReferences } from '../../../domain/agent/xml/xml-characters.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { signedOctets } from './signed-octets.js';
import { parseStrictly } from './strict-document.js';

/** Namespaces by prefix; the empty prefix is the default namespace. */
type Scope = ReadonlyMap<string, string>;

const attributesKey = ':@';
const textKey = '#text';
const cdataKey = '#cdata';
const declaration = 'xmlns';

const outermost: Scope = new Map([['xml', xmlNamespaces.xml]]);

class Unresolved extends Error {}

const refuse = (what: string): never => {
  throw new Unresolved(what);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : refuse('no text'));

const decoded = (text: string): string => decodeReferences(text) ?? refuse('an unknown reference');

/**
 * Normalises white space of an attribute value, except from references (XML 1.0, section 3.3.3).
 */
const attributeValue = (raw: unknown): string => decoded(textOf(raw).replaceAll(/[\t\n\r]/g, ' '));

const split = (name: string): readonly [prefix: string, local: string] => {
  const colon = name.indexOf(':');
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
};

const declaredPrefix = (name: string): string | null => {
  if (name === declaration) return '';
  return name.startsWith(`${declaration}:`) ? name.slice(declaration.length + 1) : null;
};

const scopeWithin = (outer: Scope, attributes: Readonly<Record<string, unknown>>): Scope => {
  const declared = Object.entries(attributes).flatMap(([name, value]) => {
    const prefix = declaredPrefix(name);
    return prefix === null ? [] : [[prefix, attributeValue(value)] as const];
  });
  return declared.length === 0 ? outer : new Map([...outer, ...declared]);
};

const namespaceOf = (prefix: string, scope: Scope): string => scope.get(prefix) || refuse('an undeclared prefix');

const resolvedAttributes = (attributes: Readonly<Record<string, unknown>>, scope: Scope): readonly XmlAttribute[] =>
  Object.entries(attributes)
    .filter(([name]) => declaredPrefix(name) === null)
    .map(([fullName, value]) => {
      const [prefix, name] = split(fullName);
      const namespace = prefix === '' ? null : namespaceOf(prefix, scope);
      return { name, namespace, value: attributeValue(value) };
    });

const resolvedChildren = (nodes: unknown, scope: Scope): readonly (XmlElement | string)[] => {
  const children: (XmlElement | string)[] = [];
  let text = '';
  for (const node of Array.isArray(nodes) ? nodes : refuse('no children')) {
    const piece = pieceOf(node);
    if (piece !== null) {
      text += piece;
      continue;
    }
    if (text !== '') children.push(text);
    text = '';
    children.push(resolvedElement(node, scope));
  }
  return text === '' ? children : [...children, text];
};

/** The text of a text node; null for an element. */
const pieceOf = (node: unknown): string | null => {
  if (!isObject(node)) return refuse('no node');
  if (textKey in node) return decoded(textOf(node[textKey]));
  if (!(cdataKey in node)) return null;
  const [inner] = Array.isArray(node[cdataKey]) ? node[cdataKey] : [];
  return isObject(inner) ? textOf(inner[textKey]) : '';
};

const resolvedElement = (node: Readonly<Record<string, unknown>>, outer: Scope): XmlElement => {
  const fullName = Object.keys(node).find((key) => key !== attributesKey) ?? refuse('no name');
  const attributes = node[attributesKey] ?? {};
  if (!isObject(attributes)) return refuse('no attributes');
  const scope = scopeWithin(outer, attributes);
  const [prefix, name] = split(fullName);
  return {
    name,
    namespace: prefix === '' ? scope.get('') || null : namespaceOf(prefix, scope),
    attributes: resolvedAttributes(attributes, scope),
    children: resolvedChildren(node[fullName], scope),
  };
};

/**
 * The single root of fast-xml-parser's ordered output, with namespaces and references resolved.
 * Null without exactly one root, or with an unknown prefix or reference.
 */
const resolveNames = (parsed: unknown): XmlElement | null => {
  try {
    const [root, ...others] = resolvedChildren(parsed, outermost).filter(
      (child) => typeof child !== 'string' || child.trim() !== '',
    );
    return typeof root === 'object' && others.length === 0 ? root : null;
  } catch (error) {
    if (error instanceof Unresolved) return null;
    throw error;
  }
};

/**
 * Replaces, trims and converts nothing: references and namespaces are resolved here. CDATA stays
 * separate from text, where `&amp;` has another meaning.
 */
const parser = new XMLParser({
  preserveOrder: true,
  processEntities: false,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  textNodeName: '#text',
  cdataPropName: '#cdata',
  maxNestedTags: metadataLimits.depth + 1,
  onDangerousProperty: () => {
    throw new Error('a reserved property name');
  },
});

/**
 * Reads XML with fast-xml-parser. Lenient: use it only for text that is proven or was parsed
 * strictly.
 */
export class FastXmlReader {
  /** The error is one clause. */
  read(text: string): Result<XmlElement, string> {
    const fault = metadataShapeFault(text);
    if (fault !== null) return err(`is refused: ${fault}`);
    try {
      const root = resolveNames(parser.parse(text, true));
      return root === null ? err('is not an XML document with one root and declared names') : ok(root);
    } catch {
      // The parser's message may quote the document.
      return err('is not well-formed XML');
    }
  }
}

const reader = new FastXmlReader();

const isSame = (left: XmlElement, right: XmlElement): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Parses signed octets again. Two independent parsers must agree; otherwise one misreads what was
 * signed.
 */
const readProven = (octets: string): Result<XmlElement, DocumentRejection> => {
  const strict = parseStrictly(octets);
  const fast = reader.read(octets);
  if (!strict.ok || !fast.ok || !isSame(strict.value.root, fast.value)) return err('document_not_well_formed');
  return ok(fast.value);
};

/**
 * The element parsed again from the octets that its own signature covers, without the signature.
 * Fails with `unsigned` if it has none. The signed octets must be this element: same name, same ID.
 */
export const provenElement = (
  text: string,
  element: Element,
  keys: readonly KeyObject[],
): Result<XmlElement, DocumentRejection> => {
  const octets = signedOctets(text, element, keys);
  if (!octets.ok) return octets;
  const proven = readProven(octets.value);
  if (!proven.ok) return proven;
  const isSameElement =
    isNamed(proven.value, element.namespaceURI, element.localName) &&
    attributeOf(proven.value, 'ID') === element.getAttribute('ID');
  return isSameElement ? proven : err('signature_reference');
};

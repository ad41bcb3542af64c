import { DOMParser } from '@xmldom/xmldom';
import type { XmlAttribute, XmlElement } from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** A document that was parsed without one complaint. */
export interface StrictDocument {
  readonly root: XmlElement;
  /** The same, as xml-crypto takes it. */
  readonly element: Element;
}

const elementNode = 1;
const textNode = 3;
const cdataNode = 4;

/**
 * A name without a colon (Namespaces in XML 1.0, section 3), by the letters and digits of Unicode.
 */
const localName = /^[\p{L}_][\p{L}\p{M}\p{N}._·-]*$/u;
/**
 * In a URI of a namespace these are not allowed (RFC 3986), and canonicalization writes them as
 * they are.
 */
const unfitForNamespace = /["'<>&\s\p{Cc}]/u;

/**
 * Declarations of namespaces in a document that differ: canonicalization looks through all that are
 * in scope for each name. Documents of identity providers have about ten.
 */
const maximumDeclarations = 128;

class NotWellFormed extends Error {}

const refuse = (what: string): never => {
  throw new NotWellFormed(what);
};

const isDeclaration = (attribute: Attr): boolean => attribute.name === 'xmlns' || attribute.prefix === 'xmlns';

/** The parser takes names without a namespace, and names that are none. */
const checkedName = ({ prefix, localName: name, namespaceURI }: Element | Attr): string => {
  if (!localName.test(name)) refuse('a name that is none');
  if (prefix && (!localName.test(prefix) || !namespaceURI)) refuse('a prefix that stands for nothing');
  return name;
};

const checkDeclaration = ({ prefix, localName: name, value }: Attr, declared: Set<string>): void => {
  const isDefault = prefix !== 'xmlns';
  if (!isDefault && !localName.test(name)) refuse('a prefix that is none');
  if (!isDefault && (name === 'xml' || name === 'xmlns' || value === '')) refuse('a prefix that cannot be declared');
  if (value === xmlNamespaces.xml || value === xmlNamespaces.xmlns || unfitForNamespace.test(value)) {
    refuse('a namespace that cannot be declared');
  }
  declared.add(`${isDefault ? '' : name}=${value}`);
  if (declared.size > maximumDeclarations) refuse('too many namespaces');
};

const attributesOf = (element: Element, declared: Set<string>): readonly XmlAttribute[] => {
  const attributes: XmlAttribute[] = [];
  for (const attribute of Array.from(element.attributes)) {
    if (isDeclaration(attribute)) {
      checkDeclaration(attribute, declared);
      continue;
    }
    // Canonicalization leaves out whatever begins so, as if it declared a namespace.
    if (attribute.name.startsWith('xmlns')) refuse('a name that is reserved');
    const { value, namespaceURI } = attribute;
    attributes.push({ name: checkedName(attribute), namespace: namespaceURI || null, value });
  }
  return attributes;
};

const childrenOf = (element: Element, declared: Set<string>): readonly (XmlElement | string)[] => {
  const children: (XmlElement | string)[] = [];
  let text = '';
  for (const child of Array.from(element.childNodes)) {
    if (child.nodeType === textNode || child.nodeType === cdataNode) text += child.nodeValue ?? '';
    else if (child.nodeType === elementNode) {
      if (text !== '') children.push(text);
      text = '';
      children.push(xmlElementOf(child as Element, declared));
    }
  }
  return text === '' ? children : [...children, text];
};

/**
 * An element of xmldom as the domain has it; comments and processing instructions are left out.
 * Throws where a name is none. `declared` collects the namespaces that are declared in the
 * document.
 */
export const xmlElementOf = (element: Element, declared: Set<string> = new Set()): XmlElement => ({
  name: checkedName(element),
  namespace: element.namespaceURI || null,
  attributes: attributesOf(element, declared),
  children: childrenOf(element, declared),
});

const parseOrThrow = (text: string): StrictDocument => {
  const parser = new DOMParser({ errorHandler: (_level: string, message: unknown) => refuse(String(message)) });
  const document = parser.parseFromString(text, 'text/xml');
  const outside = Array.from(document.childNodes).filter((node) => node !== document.documentElement);
  if (outside.some(({ nodeType }) => nodeType === elementNode)) refuse('two roots');
  if (outside.some((node) => node.nodeType === textNode && node.nodeValue?.trim() !== ''))
    refuse('text around the root');
  const element = document.documentElement ?? refuse('no root');
  return { root: xmlElementOf(element), element };
};

/**
 * Parses with xmldom, where every warning is an error. The text has to have passed the check of its
 * shape, which bounds it and keeps DTDs out.
 */
export const parseStrictly = (text: string): Result<StrictDocument, 'document_not_well_formed'> => {
  try {
    return ok(parseOrThrow(text));
  } catch {
    return err('document_not_well_formed');
  }
};

/** Elements of that name directly below an element. */
export const domChildren = (element: Element, namespace: string, name: string): readonly Element[] =>
  Array.from(element.childNodes)
    .filter((child): child is Element => child.nodeType === elementNode)
    .filter((child) => child.namespaceURI === namespace && child.localName === name);

import { DOMParser } from '@xmldom/xmldom';
import type { XmlAttribute, XmlElement } from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** A document that was parsed without errors or warnings. */
export interface StrictDocument {
  readonly root: XmlElement;
  /** The same root for xml-crypto. */
  readonly element: Element;
}

const elementNode = 1;
const textNode = 3;
const cdataNode = 4;

/** A name without a colon (Namespaces in XML 1.0, section 3), in Unicode letters and digits. */
const localName = /^[\p{L}_][\p{L}\p{M}\p{N}._·-]*$/u;
/** Not allowed in a namespace URI (RFC 3986); canonicalization would write them unescaped. */
const unfitForNamespace = /["'<>&\s\p{Cc}]/u;

/**
 * Maximum distinct namespace declarations: canonicalization searches all in scope for each name.
 * Documents of identity providers have about ten.
 */
const maxDeclarations = 128;

class NotWellFormed extends Error {}

const refuse = (what: string): never => {
  throw new NotWellFormed(what);
};

const isDeclaration = (attribute: Attr): boolean => attribute.name === 'xmlns' || attribute.prefix === 'xmlns';

/** xmldom accepts undeclared prefixes and invalid names. */
const checkedName = ({ prefix, localName: name, namespaceURI }: Element | Attr): string => {
  if (!localName.test(name)) refuse('an invalid name');
  if (prefix && (!localName.test(prefix) || !namespaceURI)) refuse('an undeclared prefix');
  return name;
};

const checkDeclaration = ({ prefix, localName: name, value }: Attr, declared: Set<string>): void => {
  const isDefault = prefix !== 'xmlns';
  if (!isDefault && !localName.test(name)) refuse('an invalid prefix');
  if (!isDefault && (name === 'xml' || name === 'xmlns' || value === '')) refuse('a reserved prefix');
  if (value === xmlNamespaces.xml || value === xmlNamespaces.xmlns || unfitForNamespace.test(value)) {
    refuse('a reserved or invalid namespace');
  }
  declared.add(`${isDefault ? '' : name}=${value}`);
  if (declared.size > maxDeclarations) refuse('too many namespaces');
};

const attributesOf = (element: Element, declared: Set<string>): readonly XmlAttribute[] => {
  const attributes: XmlAttribute[] = [];
  for (const attribute of Array.from(element.attributes)) {
    if (isDeclaration(attribute)) {
      checkDeclaration(attribute, declared);
      continue;
    }
    // Canonicalization drops such attributes as if they declared namespaces.
    if (attribute.name.startsWith('xmlns')) refuse('a reserved name');
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
 * Converts an xmldom element to the domain's form, without comments and processing instructions.
 * Throws on an invalid name. `declared` collects the namespaces of the document.
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
 * Parses with xmldom; every warning is an error. The text must have passed the shape check, which
 * bounds it and excludes DTDs.
 */
export const parseStrictly = (text: string): Result<StrictDocument, 'document_not_well_formed'> => {
  try {
    return ok(parseOrThrow(text));
  } catch {
    return err('document_not_well_formed');
  }
};

/** The child elements with a name. */
export const domChildren = (element: Element, namespace: string, name: string): readonly Element[] =>
  Array.from(element.childNodes)
    .filter((child): child is Element => child.nodeType === elementNode)
    .filter((child) => child.namespaceURI === namespace && child.localName === name);

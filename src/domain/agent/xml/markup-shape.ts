import type { DocumentRejection } from '../saml/document-rejection.js';
import { decodeReferences, isBlank, isWhiteSpace } from './xml-characters.js';
import { qualifiedNameAt, splitName, xmlNamespaces } from './xml-name.js';

/** The prefixes that an element declares, to be undone at its end. */
type Declarations = readonly string[];

const declaredPrefix = (attribute: string): string | null => {
  if (attribute === 'xmlns') return '';
  return attribute.startsWith('xmlns:') ? attribute.slice('xmlns:'.length) : null;
};

/** Reserved names are fixed, and a prefix cannot be undeclared (Namespaces in XML 1.0, sections 2.2 and 3). */
const isAllowed = (prefix: string, uri: string): boolean => {
  if (prefix === 'xml') return uri === xmlNamespaces.xml;
  const isReserved = prefix === 'xmlns' || uri === xmlNamespaces.xml || uri === xmlNamespaces.xmlns;
  return !isReserved && (prefix === '' || uri !== '');
};

/** The prefixes in scope. */
class NamespaceScope {
  readonly #uris = new Map<string, string[]>([['xml', [xmlNamespaces.xml]]]);
  readonly #open: Declarations[] = [];

  /**
   * Enters an element with these attributes (qualified name and value). False: a prefix is undeclared, a declaration is
   * not allowed, or two attributes have the same expanded name.
   */
  enter(name: string, attributes: ReadonlyMap<string, string>): boolean {
    const declared: string[] = [];
    for (const [attribute, value] of attributes) {
      const prefix = declaredPrefix(attribute);
      if (prefix === null) continue;
      if (!isAllowed(prefix, value)) return false;
      this.#declare(prefix, value);
      declared.push(prefix);
    }
    this.#open.push(declared);
    return this.#isDeclared(splitName(name).prefix) && this.#areDistinct(attributes.keys());
  }

  /** Leaves the element that was entered last. */
  leave(): void {
    for (const prefix of this.#open.pop() ?? []) this.#uris.get(prefix)?.pop();
  }

  #declare(prefix: string, uri: string): void {
    const uris = this.#uris.get(prefix);
    if (uris === undefined) this.#uris.set(prefix, [uri]);
    else uris.push(uri);
  }

  #isDeclared(prefix: string): boolean {
    return prefix === '' || this.#uris.get(prefix)?.at(-1) !== undefined;
  }

  #areDistinct(names: Iterable<string>): boolean {
    const seen = new Set<string>();
    for (const name of names) {
      const { prefix, local } = splitName(name);
      if (prefix === '' || prefix === 'xmlns') continue;
      const uri = this.#uris.get(prefix)?.at(-1);
      // Local names contain no space, so distinct pairs have distinct texts.
      const expanded = `${local} ${uri}`;
      if (uri === undefined || seen.has(expanded)) return false;
      seen.add(expanded);
    }
    return true;
  }
}

/** Maximum length of a declaration. */
const greatestLength = 128;
const space = '[ \\t\\r\\n]';
const equals = `${space}*=${space}*`;
const declaration = new RegExp(
  `^<\\?xml${space}+version${equals}(?:"1\\.0"|'1\\.0')` +
    `(?:${space}+encoding${equals}(?:"([A-Za-z0-9._-]+)"|'([A-Za-z0-9._-]+)'))?` +
    `(?:${space}+standalone${equals}(?:"(?:yes|no)"|'(?:yes|no)'))?${space}*\\?>$`,
);

/**
 * The position after the XML declaration (XML 1.0, section 2.8); 0 without one. Refuses versions other than 1.0 and
 * encodings other than UTF-8, in which the octets were decoded.
 */
const declarationFault = (text: string): number | DocumentRejection => {
  // `<?xml-stylesheet` is a processing instruction, not a declaration.
  if (!/^<\?xml[ \t\r\n?]/.test(text.slice(0, 6))) return 0;
  // INVARIANT: the expression runs on a text of bounded length.
  const end = text.slice(0, greatestLength).indexOf('?>') + 2;
  const found = declaration.exec(text.slice(0, end));
  if (found === null) return 'document_markup';
  const encoding = found[1] ?? found[2];
  return encoding === undefined || encoding.toLowerCase() === 'utf-8' ? end : 'document_encoding';
};

/** Limits of a document. */
export interface ShapeLimits {
  /** UTF-16 code units. */
  readonly characters: number;
  readonly elements: number;
  /** Maximum nesting; the root counts. */
  readonly depth: number;
  /** Per element, including namespace declarations. */
  readonly attributes: number;
  /** Of all elements together. */
  readonly allAttributes: number;
}

/** The state of the scan. Positions are UTF-16 code units. */
interface Scan {
  readonly text: string;
  readonly limits: ShapeLimits;
  /** Whether comments, CDATA sections and processing instructions are allowed. */
  readonly allowsAsides: boolean;
  position: number;
  elements: number;
  attributes: number;
  /** Names of the open elements. */
  readonly open: string[];
  readonly namespaces: NamespaceScope;
}

type Fault = DocumentRejection | null;

const notWellFormed = 'document_not_well_formed';

const skipWhiteSpace = (scan: Scan): boolean => {
  const from = scan.position;
  while (isWhiteSpace(scan.text.charCodeAt(scan.position))) scan.position += 1;
  return scan.position > from;
};

const take = (scan: Scan, expected: string): boolean => {
  if (!scan.text.startsWith(expected, scan.position)) return false;
  scan.position += expected.length;
  return true;
};

const takeName = (scan: Scan): string | null => {
  const name = qualifiedNameAt(scan.text, scan.position);
  scan.position += name?.length ?? 0;
  return name;
};

/** Moves beyond the next `end`; false if there is none. */
const skipBeyond = (scan: Scan, end: string): boolean => {
  const index = scan.text.indexOf(end, scan.position);
  scan.position = index + end.length;
  return index >= 0;
};

/** Reads `name="value"` into the attributes. */
const attributeFault = (scan: Scan, attributes: Map<string, string>): Fault => {
  const name = takeName(scan);
  skipWhiteSpace(scan);
  if (name === null || attributes.has(name) || !take(scan, '=')) return notWellFormed;
  skipWhiteSpace(scan);
  const quote = scan.text.charAt(scan.position);
  const start = scan.position + 1;
  scan.position = start;
  if ((quote !== '"' && quote !== "'") || !skipBeyond(scan, quote)) return notWellFormed;
  const value = scan.text.slice(start, scan.position - 1);
  if (value.includes('<')) return notWellFormed;
  const decoded = decodeReferences(value);
  if (decoded === null) return 'document_markup';
  attributes.set(name, decoded);
  scan.attributes += 1;
  const { limits } = scan;
  return attributes.size > limits.attributes || scan.attributes > limits.allAttributes ? 'document_too_deep' : null;
};

const startTagFault = (scan: Scan): Fault => {
  const name = takeName(scan);
  // A document has one root.
  if (name === null || (scan.open.length === 0 && scan.elements > 0)) return notWellFormed;
  scan.elements += 1;
  if (scan.elements > scan.limits.elements || scan.open.length === scan.limits.depth) return 'document_too_deep';
  const attributes = new Map<string, string>();
  for (;;) {
    const isApart = skipWhiteSpace(scan);
    const isEmpty = take(scan, '/>');
    if (isEmpty || take(scan, '>')) {
      if (!scan.namespaces.enter(name, attributes)) return notWellFormed;
      if (isEmpty) scan.namespaces.leave();
      else scan.open.push(name);
      return null;
    }
    const fault = isApart ? attributeFault(scan, attributes) : notWellFormed;
    if (fault !== null) return fault;
  }
};

const endTagFault = (scan: Scan): Fault => {
  const name = takeName(scan);
  skipWhiteSpace(scan);
  if (name === null || name !== scan.open.pop() || !take(scan, '>')) return notWellFormed;
  scan.namespaces.leave();
  return null;
};

/** Comments, CDATA sections and processing instructions, after their first two characters. */
const asideFault = (scan: Scan): Fault => {
  if (!scan.allowsAsides) return 'document_markup';
  // Parsers disagree about two hyphens within a comment.
  if (take(scan, '!--')) return skipBeyond(scan, '--') && take(scan, '>') ? null : notWellFormed;
  if (take(scan, '![CDATA[')) return scan.open.length > 0 && skipBeyond(scan, ']]>') ? null : notWellFormed;
  if (!take(scan, '?')) return 'document_markup';
  const target = takeName(scan);
  if (target === null || target.toLowerCase() === 'xml') return 'document_markup';
  return skipBeyond(scan, '?>') ? null : notWellFormed;
};

/** Text up to the next tag; only white space outside the root. */
const textFault = (scan: Scan, text: string): Fault => {
  if (scan.open.length > 0) {
    if (text.includes(']]>')) return notWellFormed;
    return decodeReferences(text) === null ? 'document_markup' : null;
  }
  return isBlank(text) ? null : notWellFormed;
};

const tagFault = (scan: Scan): Fault => {
  const second = scan.text.charAt(scan.position + 1);
  scan.position += 1;
  if (second === '!' || second === '?') return asideFault(scan);
  return take(scan, '/') ? endTagFault(scan) : startTagFault(scan);
};

/**
 * The first fault in tags, text and references of a document (XML 1.0 and Namespaces in XML 1.0), or null. Linear in
 * the text; expands nothing.
 */
export const markupFault = (text: string, limits: ShapeLimits, allowsAsides: boolean): Fault => {
  const declaration = declarationFault(text);
  if (typeof declaration !== 'number') return declaration;
  const begin = { position: declaration, elements: 0, attributes: 0, open: [] };
  const scan: Scan = { text, limits, allowsAsides, namespaces: new NamespaceScope(), ...begin };
  while (scan.position < text.length) {
    const next = text.indexOf('<', scan.position);
    const end = next < 0 ? text.length : next;
    const fault = textFault(scan, text.slice(scan.position, end));
    scan.position = end;
    const found = fault ?? (next < 0 ? null : tagFault(scan));
    if (found !== null) return found;
  }
  return scan.elements === 0 || scan.open.length > 0 ? notWellFormed : null;
};

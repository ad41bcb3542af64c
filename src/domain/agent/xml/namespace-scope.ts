import { splitName } from './xml-name.js';
import { xmlNamespaces } from './xml-names.js';

/** Declarations that an element made, to be taken back at its end. */
type Declarations = readonly string[];

const declaredPrefix = (attribute: string): string | null => {
  if (attribute === 'xmlns') return '';
  return attribute.startsWith('xmlns:') ? attribute.slice('xmlns:'.length) : null;
};

/** The reserved names stay what they are, and a prefix cannot be taken back (Namespaces in XML 1.0, sections 2.2 and 3). */
const isAllowed = (prefix: string, uri: string): boolean => {
  if (prefix === 'xml') return uri === xmlNamespaces.xml;
  const isReserved = prefix === 'xmlns' || uri === xmlNamespaces.xml || uri === xmlNamespaces.xmlns;
  return !isReserved && (prefix === '' || uri !== '');
};

/** The prefixes that stand for something at one place of a document. */
export class NamespaceScope {
  readonly #uris = new Map<string, string[]>([['xml', [xmlNamespaces.xml]]]);
  readonly #open: Declarations[] = [];

  /**
   * Goes into an element with these attributes (qualified name and value). False: a prefix is not declared, a declaration is
   * not allowed, or two attributes have one name in one namespace.
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
      // No space is in a local name: the two parts cannot run into each other.
      const expanded = `${local} ${uri}`;
      if (uri === undefined || seen.has(expanded)) return false;
      seen.add(expanded);
    }
    return true;
  }
}

import { err, ok, type Result } from '../../../shared/result.js';
import { parseDateTime } from '../../xml/date-time.js';
import { allChildElements, attributeOf, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import { parseXmlDuration } from './duration.js';

/** How long metadata counts, and how soon it is to be fetched again (SAML metadata, section 2.3.1). */
export interface MetadataTerm {
  /** The earliest validUntil of an element and those around it, in wall milliseconds; null: it counts without end. */
  readonly validUntilMs: number | null;
  /** The shortest cacheDuration of them, in milliseconds; null: none is said, or none that is a duration. */
  readonly cacheDurationMs: number | null;
}

/** An EntityDescriptor, and the term of it with all that is around it. */
export interface DescribedEntity {
  readonly element: XmlElement;
  readonly term: MetadataTerm;
}

/** EntitiesDescriptors within one another, at the most. */
const maximumDepth = 16;

const earlier = (first: number | null, second: number | null): number | null => {
  if (first === null || second === null) return first ?? second;
  return Math.min(first, second);
};

/** The term of an element within another; the error is one clause. */
export const termOf = (element: XmlElement, around: MetadataTerm): Result<MetadataTerm, string> => {
  const validUntil = attributeOf(element, 'validUntil');
  const validUntilMs = validUntil === null ? null : parseDateTime(validUntil.trim());
  if (validUntil !== null && validUntilMs === null) return err('has a validUntil that is no date and time');
  const cacheDuration = attributeOf(element, 'cacheDuration');
  const cacheDurationMs = cacheDuration === null ? null : parseXmlDuration(cacheDuration.trim());
  return ok({
    validUntilMs: earlier(around.validUntilMs, validUntilMs),
    cacheDurationMs: earlier(around.cacheDurationMs, cacheDurationMs),
  });
};

const endless: MetadataTerm = { validUntilMs: null, cacheDurationMs: null };

/** Every EntityDescriptor of a document, in its order: its root is one, or an EntitiesDescriptor. The error is one clause. */
export const entityDescriptors = (root: XmlElement): Result<readonly DescribedEntity[], string> => {
  const found: DescribedEntity[] = [];
  /** Those still to be looked into, the next one last. */
  const open: { readonly element: XmlElement; readonly around: MetadataTerm; readonly depth: number }[] = [
    { element: root, around: endless, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, around, depth } = next;
    const isGroup = isNamed(element, xmlNamespaces.md, 'EntitiesDescriptor');
    if (!isGroup && !isNamed(element, xmlNamespaces.md, 'EntityDescriptor')) {
      if (depth === 0) return err('is no SAML metadata: its root is neither EntityDescriptor nor EntitiesDescriptor');
      continue;
    }
    if (depth > maximumDepth) return err('nests EntitiesDescriptor too deeply');
    const term = termOf(element, around);
    if (!term.ok) return term;
    if (!isGroup) found.push({ element, term: term.value });
    else {
      for (const child of allChildElements(element).toReversed()) {
        open.push({ element: child, around: term.value, depth: depth + 1 });
      }
    }
  }
  return ok(found);
};

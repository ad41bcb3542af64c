import { encodeHeaderValue } from '../../http/header-value-encoding.js';
import { isWellFormed } from '../../shared/well-formed.js';
import type { MappedAttribute } from '../configuration/saml-options.js';
import type { Claims, ClaimValue } from '../tokens/claims.js';

/** An attribute with the header that it is mapped to. */
export interface MappedValue {
  /** Name of the attribute. */
  readonly path: string;
  readonly header: string;
  /** Null where no header can carry it faithfully. */
  readonly value: string | null;
}

/** A comma in a value is encoded even where it is the only one: one group `a,b` is not the two groups `a` and `b`. */
const headerItem = (item: ClaimValue): string | null =>
  typeof item === 'string' && isWellFormed(item) ? encodeHeaderValue(item).replaceAll(',', '%2C') : null;

const headerValue = (items: readonly ClaimValue[]): string | null => {
  const texts: string[] = [];
  for (const item of items) {
    const text = headerItem(item);
    if (text === null) return null;
    texts.push(text);
  }
  return texts.join(',');
};

const valuesOf = (claims: Claims, attribute: string): readonly ClaimValue[] => {
  // What objects inherit is no attribute.
  const value = Object.hasOwn(claims, attribute) ? claims[attribute] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
};

/** The attributes of a session that the mapping names, in its order. One without a value has no header. */
export const mappedAttributes = (claims: Claims, mapping: readonly MappedAttribute[]): readonly MappedValue[] => {
  const mapped: MappedValue[] = [];
  for (const { attribute, header } of mapping) {
    const values = valuesOf(claims, attribute);
    if (values.length > 0) mapped.push({ path: attribute, header, value: headerValue(values) });
  }
  return mapped;
};

import { encodeHeaderValue } from '../../http/header-value-encoding.js';
import { isWellFormed } from '../../shared/well-formed.js';
import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber, isClaims } from '../tokens/claims.js';

/** A claim as a header would carry it. */
export interface FlatClaim {
  /** The claim's path, its names joined with `.`: for the log. */
  readonly path: string;
  /** What follows the prefix in the header's name; only characters that a header name may have. */
  readonly name: string;
  /** Encoded as an identity header's value is; null where no header can carry the claim faithfully. */
  readonly value: string | null;
}

const notInName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/gu;

const scalarText = (value: ClaimValue): string | null => {
  if (typeof value === 'string') return isWellFormed(value) ? value : null;
  if (typeof value === 'boolean') return String(value);
  return isClaimedNumber(value) ? claimedNumberText(value) : null;
};

const scalarValue = (value: ClaimValue): string | null => {
  const text = scalarText(value);
  return text === null ? null : encodeHeaderValue(text);
};

const arrayValue = (items: readonly ClaimValue[]): string | null => {
  const texts: string[] = [];
  for (const item of items) {
    const text = scalarText(item);
    if (text === null) return null;
    texts.push(text);
  }
  return texts.map((text) => encodeHeaderValue(text).replaceAll(',', '%2C')).join(',');
};

const isArray = (value: ClaimValue): value is readonly ClaimValue[] => Array.isArray(value);

/** Claims to headers: names of nested ones join with `-`, arrays of scalars with `,`. A null says nothing and is passed over. */
export const flattenClaims = (claims: Claims): readonly FlatClaim[] => {
  const flat: FlatClaim[] = [];
  const visit = (object: Claims, namePrefix: string, pathPrefix: string) => {
    for (const [key, value] of Object.entries(object)) {
      const path = pathPrefix + key;
      const name = namePrefix + key.replace(notInName, '-');
      if (isClaims(value)) visit(value, `${name}-`, `${path}.`);
      else if (value !== null) {
        const text = isArray(value) ? arrayValue(value) : scalarValue(value);
        flat.push({ path, name, value: name === '' ? null : text });
      }
    }
  };
  visit(claims, '', '');
  return flat;
};

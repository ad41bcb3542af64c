import { type Claims, type ClaimValue, isClaims, SpelledNumber } from './claims.js';

const isArray = (value: ClaimValue): value is readonly ClaimValue[] => Array.isArray(value);

const sameMembers = (one: Claims, other: Claims): boolean => {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameClaim(one[name] as ClaimValue, other[name] as ClaimValue))
  );
};

/**
 * Whether two values are equal: arrays in order, objects in any order. Spelled numbers are equal if their spelling is.
 */
export const sameClaim = (one: ClaimValue, other: ClaimValue): boolean => {
  if (isArray(one)) {
    return (
      isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => sameClaim(item, other[index] as ClaimValue))
    );
  }
  if (one instanceof SpelledNumber) return other instanceof SpelledNumber && one.text === other.text;
  return isClaims(one) ? isClaims(other) && sameMembers(one, other) : one === other;
};

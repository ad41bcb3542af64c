import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber, isClaims } from './claims.js';

const isArray = (value: ClaimValue): value is readonly ClaimValue[] => Array.isArray(value);

const valueJson = (value: ClaimValue): string => {
  if (isClaimedNumber(value)) return claimedNumberText(value);
  if (isArray(value)) return `[${value.map(valueJson).join(',')}]`;
  return isClaims(value) ? claimsJson(value) : JSON.stringify(value);
};

/** Claims as JSON text, every number with all its digits: `parseClaims` reads the same claims from it. */
export const claimsJson = (claims: Claims): string => {
  const members = Object.entries(claims).map(([name, value]) => `${JSON.stringify(name)}:${valueJson(value)}`);
  return `{${members.join(',')}}`;
};

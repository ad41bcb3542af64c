import { encodeHeaderValue } from '../../http/header-value-encoding.js';
import type { LeftOutClaim } from './bounded-headers.js';

/** Octets of the names together. */
const maximumNamesOctets = 512;

/** Stands for further names. */
const more = '*';

/** A comma separates names, and `*` stands for names that do not fit: both are encoded inside a name. */
const omittedName = ({ path }: LeftOutClaim): string =>
  encodeHeaderValue(path).replaceAll(',', '%2C').replaceAll(more, '%2A');

/** The value of the header: names joined by `,`, at most 512 octets, then `*` where more claims were left out. */
export const omittedClaims = (leftOut: readonly LeftOutClaim[]): string => {
  const names: string[] = [];
  let octets = 0;
  for (const claim of leftOut) {
    // A percent-encoded path is never shorter, and a token may bring a very long one.
    const name = claim.path.length > maximumNamesOctets ? '' : omittedName(claim);
    octets += name.length + (names.length === 0 ? 0 : 1);
    if (name === '' || octets > maximumNamesOctets) return [...names, more].join(',');
    names.push(name);
  }
  return names.join(',');
};

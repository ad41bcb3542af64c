import type { HeaderOperation } from '../../agent-protocol/messages.js';
import { canonicalName } from '../../http/canonical-name.js';
import type { HeaderList } from '../../http/header-list.js';
import { encodeHeaderValue } from '../../http/header-value-encoding.js';
import { isOwned, type OwnedHeaders, omittedClaimsHeader } from '../../http/owned-headers.js';
import { isWellFormed } from '../../shared/utf8.js';
import { agentDefaults } from '../configuration/agent-configuration.js';
import type { MappedAttribute } from '../configuration/saml-options.js';
import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber, isClaims } from '../tokens/claims.js';
import { BoundedHeaders, type ClaimBounds, claimBounds, type LeftOutClaim } from './bounded-headers.js';
import type { CertificateIdentity, Identity } from './identity.js';

/** A claim as a header would carry it. */
interface FlatClaim {
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

/**
 * Claims to headers: names of nested ones join with `-`, arrays of scalars with `,`. A null says nothing and is
 * passed over.
 */
const flattenClaims = (claims: Claims): readonly FlatClaim[] => {
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

/** An attribute with the header that it is mapped to. */
interface MappedValue {
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
const mappedAttributes = (claims: Claims, mapping: readonly MappedAttribute[]): readonly MappedValue[] => {
  const mapped: MappedValue[] = [];
  for (const { attribute, header } of mapping) {
    const values = valuesOf(claims, attribute);
    if (values.length > 0) mapped.push({ path: attribute, header, value: headerValue(values) });
  }
  return mapped;
};

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

const claimPrefix = 'X-Auth-Claim-';
const commonNameHeader = 'X-Client-Cert-CN';
const distinguishedNameHeader = 'X-Client-Cert-DN';

export interface IdentityHeaderNames {
  readonly userId: string;
  readonly authMethod: string;
}

export interface IdentityHeaders {
  readonly operations: readonly HeaderOperation[];
  readonly leftOut: readonly LeftOutClaim[];
}

/** A claim and the header that would tell it. */
interface ToldClaim extends Omit<FlatClaim, 'name'> {
  readonly header: string;
}

const countNames = (claims: readonly ToldClaim[], names: IdentityHeaderNames): Map<string, number> => {
  const counts = new Map([
    [canonicalName(names.userId), 1],
    [canonicalName(names.authMethod), 1],
  ]);
  for (const { header } of claims) {
    const key = canonicalName(header);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

/** Of single sign-on the mapped attributes alone, of every other method all claims. */
const toldClaims = ({ method, claims }: Identity, mapping: readonly MappedAttribute[]): readonly ToldClaim[] => {
  if (claims === null) return [];
  if (method === 'saml') return mappedAttributes(claims, mapping);
  return flattenClaims(claims).map(({ path, name, value }) => ({
    path,
    header: claimPrefix + name,
    value: name === '' ? null : value,
  }));
};

const setCertificate = (headers: BoundedHeaders, { commonName, distinguishedName }: CertificateIdentity): void => {
  if (commonName !== null) headers.setWithinLimits(commonNameHeader, encodeHeaderValue(commonName), commonNameHeader);
  headers.setWithinLimits(distinguishedNameHeader, encodeHeaderValue(distinguishedName), distinguishedNameHeader);
};

/**
 * The headers that tell the upstream who makes the request. Claims that end in one name are all left out, because which
 * of them counts would be a guess. Claims come in the order of the token until a limit is reached, but names that are
 * integers come first, as members of objects do (ECMA-262, OrdinaryOwnPropertyKeys); attributes of single sign-on in
 * that of the mapping. A header of its own names the claims that are left out.
 */
export const identityHeaders = (
  identity: Identity,
  names: IdentityHeaderNames,
  mapping: readonly MappedAttribute[] = [],
  bounds: ClaimBounds = claimBounds(agentDefaults.maxClaimBytes),
): IdentityHeaders => {
  const headers = new BoundedHeaders(bounds);
  headers.set(names.userId, encodeHeaderValue(identity.userId));
  headers.set(names.authMethod, identity.method);
  if (identity.certificate !== null) setCertificate(headers, identity.certificate);

  const claims = toldClaims(identity, mapping);
  // One that cannot be told takes its name all the same: another one under it would pass for it.
  const counts = countNames(claims, names);
  for (const { path, header, value } of claims) {
    if (value === null) headers.leftOut.push({ path, reason: 'unrepresentable' });
    else if (counts.get(canonicalName(header)) !== 1) headers.leftOut.push({ path, reason: 'same_name' });
    else headers.setClaim(header, value, path);
  }
  if (headers.leftOut.length > 0) headers.set(omittedClaimsHeader, omittedClaims(headers.leftOut));
  return headers;
};

const noOperations: readonly HeaderOperation[] = [];

/** Removes, by the very names that the request has, every header that `removable` covers. */
export const removalOperations = (headers: HeaderList, removable: OwnedHeaders): readonly HeaderOperation[] => {
  let names: Set<string> | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!isOwned(removable, name)) continue;
    names ??= new Set();
    names.add(name);
  }
  return names === null ? noOperations : Array.from(names, (name) => ({ kind: 'remove', name }));
};

import type { HeaderOperation } from '../../agent-protocol/messages.js';
import { canonicalName } from '../../http/canonical-name.js';
import type { HeaderList } from '../../http/header-list.js';
import { encodeHeaderValue } from '../../http/header-value-encoding.js';
import { isOwned, type OwnedHeaders, omittedClaimsHeader } from '../../http/owned-headers.js';
import { isWellFormed } from '../../shared/utf8.js';
import { agentDefaults } from '../configuration/agent-configuration.js';
import type { MappedAttribute } from '../configuration/saml-options.js';
import { type Claims, type ClaimValue, claimedNumberText, isClaimedNumber, isClaims } from '../tokens/claims.js';
import { BoundedHeaders, type ClaimBounds, claimBounds, type OmittedClaim } from './bounded-headers.js';
import type { CertificateIdentity, Identity } from './identity.js';

/** A claim and its header. */
interface FlatClaim {
  /** The claim's path, joined with `.`; for the log. */
  readonly path: string;
  /** The header name after the prefix; contains only characters of a header name. */
  readonly name: string;
  /** The encoded header value; null if no header can carry the claim faithfully. */
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

/** Flattens claims: nested names join with `-`, arrays of scalars with `,`. Nulls are skipped. */
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

/** An attribute and its mapped header. */
interface MappedValue {
  /** Name of the attribute. */
  readonly path: string;
  readonly header: string;
  /** Null if no header can carry it faithfully. */
  readonly value: string | null;
}

/** Always encodes commas: the single group `a,b` differs from the groups `a` and `b`. */
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
  // Inherited members are not attributes.
  const value = Object.hasOwn(claims, attribute) ? claims[attribute] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
};

/** The mapped attributes of a session, in the order of the mapping. An attribute without a value has no header. */
const mappedAttributes = (claims: Claims, mapping: readonly MappedAttribute[]): readonly MappedValue[] => {
  const mapped: MappedValue[] = [];
  for (const { attribute, header } of mapping) {
    const values = valuesOf(claims, attribute);
    if (values.length > 0) mapped.push({ path: attribute, header, value: headerValue(values) });
  }
  return mapped;
};

/** Maximum octets of all names. */
const maximumNamesOctets = 512;

/** Stands for further names. */
const more = '*';

/** Encodes `,`, which separates names, and `*`, which stands for further names. */
const omittedName = ({ path }: OmittedClaim): string =>
  encodeHeaderValue(path).replaceAll(',', '%2C').replaceAll(more, '%2A');

/** The header value: names joined with `,`, at most 512 octets, then `*` if more claims were omitted. */
export const omittedClaims = (leftOut: readonly OmittedClaim[]): string => {
  const names: string[] = [];
  let octets = 0;
  for (const claim of leftOut) {
    // Percent-encoding never shortens a path, and a token may contain a very long one.
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

/** The names of the identity headers. */
export interface IdentityHeaderNames {
  readonly userId: string;
  readonly authMethod: string;
  /** The claims that get a header `X-Auth-Claim-*`: names, or dotted paths into objects. Null or absent: all. */
  readonly forwardedClaims?: readonly string[] | null;
}

export interface IdentityHeaders {
  readonly operations: readonly HeaderOperation[];
  readonly leftOut: readonly OmittedClaim[];
}

/** A claim and its header name. */
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

/** The claim of this name, or the one to which the names between the dots lead; undefined: there is none. */
const claimAt = (claims: Claims, path: string): ClaimValue | undefined => {
  if (Object.hasOwn(claims, path)) return claims[path];
  const dot = path.indexOf('.');
  const first = dot < 0 ? undefined : path.slice(0, dot);
  const inner = first !== undefined && Object.hasOwn(claims, first) ? claims[first] : undefined;
  return isClaims(inner) ? claimAt(inner, path.slice(dot + 1)) : undefined;
};

/** The mapped claims, in the order of the mapping. A claim that is absent, null or an empty list has no header. */
const mappedClaims = (claims: Claims, mapping: readonly MappedAttribute[]): readonly MappedValue[] => {
  const mapped: MappedValue[] = [];
  for (const { attribute, header } of mapping) {
    const value = claimAt(claims, attribute);
    if (value === undefined || value === null || (isArray(value) && value.length === 0)) continue;
    mapped.push({
      path: attribute,
      header,
      value: isClaims(value) ? null : arrayValue(isArray(value) ? value : [value]),
    });
  }
  return mapped;
};

/** Whether one of the names leads to the claim or to an object that contains it. */
const isForwarded = (path: string, names: readonly string[]): boolean =>
  names.some((name) => path.startsWith(name) && (path.length === name.length || path[name.length] === '.'));

/** For SAML the mapped attributes. For other methods the mapped claims, which come first, and the forwarded ones. */
const toldClaims = (
  { method, claims }: Identity,
  mapping: readonly MappedAttribute[],
  forwarded: readonly string[] | null,
): readonly ToldClaim[] => {
  if (claims === null) return [];
  if (method === 'saml') return mappedAttributes(claims, mapping);
  const flat = forwarded?.length === 0 ? [] : flattenClaims(claims);
  const all = (forwarded === null ? flat : flat.filter(({ path }) => isForwarded(path, forwarded))).map(
    ({ path, name, value }) => ({ path, header: claimPrefix + name, value: name === '' ? null : value }),
  );
  return mapping.length === 0 ? all : [...mappedClaims(claims, mapping), ...all];
};

const setCertificate = (headers: BoundedHeaders, { commonName, distinguishedName }: CertificateIdentity): void => {
  if (commonName !== null) headers.setWithinLimits(commonNameHeader, encodeHeaderValue(commonName), commonNameHeader);
  headers.setWithinLimits(distinguishedNameHeader, encodeHeaderValue(distinguishedName), distinguishedNameHeader);
};

/**
 * The identity headers of a request. If several claims have one header name, all are omitted, because choosing one
 * would be a guess. Claims keep the order of the token up to a limit, except that integer names come first (ECMA-262,
 * OrdinaryOwnPropertyKeys). Mapped claims come first, in the order of the mapping. One header lists the omitted claims,
 * but not those that `forwardedClaims` excludes.
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

  const claims = toldClaims(identity, mapping, names.forwardedClaims ?? null);
  // A claim that cannot be represented still reserves its name: another claim must not pass for it.
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

/** Removes every header that `removable` covers, by the names of the request. */
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

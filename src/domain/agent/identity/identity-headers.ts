import type { HeaderOperation } from '../../agent-protocol/messages.js';
import { canonicalName } from '../../http/canonical-name.js';
import type { HeaderList } from '../../http/header-list.js';
import { encodeHeaderValue } from '../../http/header-value-encoding.js';
import { isOwned, type OwnedHeaders, omittedClaimsHeader } from '../../http/owned-headers.js';
import { agentDefaults } from '../configuration/agent-configuration.js';
import type { MappedAttribute } from '../configuration/saml-options.js';
import { mappedAttributes } from './attribute-headers.js';
import { BoundedHeaders, type ClaimBounds, claimBounds, type LeftOutClaim } from './bounded-headers.js';
import { type FlatClaim, flattenClaims } from './claim-flattening.js';
import type { CertificateIdentity, Identity } from './identity.js';
import { omittedClaims } from './omitted-claims.js';

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

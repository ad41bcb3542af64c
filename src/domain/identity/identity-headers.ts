import type { HeaderOperation } from '../agent-protocol/messages.js';
import { canonicalName } from '../http/canonical-name.js';
import type { HeaderList } from '../http/header-list.js';
import { type FlatClaim, flattenClaims } from './claim-flattening.js';
import { encodeHeaderValue } from './header-value-encoding.js';
import type { CertificateIdentity, Identity } from './identity.js';
import { isOwned, type OwnedHeaders } from './owned-headers.js';

/** Identity headers of one request, at the most. */
export const maximumIdentityHeaders = 64;
/** Octets of their names and values together, at the most. */
export const maximumIdentityHeaderOctets = 4096;

const claimPrefix = 'X-Auth-Claim-';
const commonNameHeader = 'X-Client-Cert-CN';
const distinguishedNameHeader = 'X-Client-Cert-DN';

export interface IdentityHeaderNames {
  readonly userId: string;
  readonly authMethod: string;
}

/** What no header says anything of. */
export interface LeftOutClaim {
  /** Of the claim; what is told of a certificate has the name of its header. */
  readonly path: string;
  readonly reason: 'same_name' | 'over_limit' | 'unrepresentable';
}

export interface IdentityHeaders {
  readonly operations: readonly HeaderOperation[];
  readonly leftOut: readonly LeftOutClaim[];
}

const countNames = (claims: readonly FlatClaim[], names: IdentityHeaderNames): Map<string, number> => {
  const counts = new Map([
    [canonicalName(names.userId), 1],
    [canonicalName(names.authMethod), 1],
  ]);
  for (const claim of claims) {
    const key = canonicalName(claimPrefix + claim.name);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

/** Takes headers until a limit is reached. */
class BoundedHeaders {
  readonly operations: HeaderOperation[] = [];
  readonly leftOut: LeftOutClaim[] = [];
  #octets = 0;

  /** For what has to be told, whatever its size. */
  set(name: string, value: string): void {
    this.operations.push({ kind: 'set', name, value });
    this.#octets += name.length + value.length;
  }

  setWithinLimits(name: string, value: string, path: string): void {
    const octets = this.#octets + name.length + value.length;
    if (this.operations.length >= maximumIdentityHeaders || octets > maximumIdentityHeaderOctets) {
      this.leftOut.push({ path, reason: 'over_limit' });
    } else this.set(name, value);
  }
}

const setCertificate = (headers: BoundedHeaders, { commonName, distinguishedName }: CertificateIdentity): void => {
  if (commonName !== null) headers.setWithinLimits(commonNameHeader, encodeHeaderValue(commonName), commonNameHeader);
  headers.setWithinLimits(distinguishedNameHeader, encodeHeaderValue(distinguishedName), distinguishedNameHeader);
};

/**
 * The headers that tell the upstream who makes the request. Claims that end in one name are all left out, because which of
 * them counts would be a guess. Claims come in the order of the token until a limit is reached, but names that are integers
 * come first, as members of objects do (ECMA-262, OrdinaryOwnPropertyKeys).
 */
export const identityHeaders = (identity: Identity, names: IdentityHeaderNames): IdentityHeaders => {
  const headers = new BoundedHeaders();
  headers.set(names.userId, encodeHeaderValue(identity.userId));
  headers.set(names.authMethod, identity.method);
  if (identity.certificate !== null) setCertificate(headers, identity.certificate);
  if (identity.claims === null) return headers;

  const claims = flattenClaims(identity.claims);
  // One that cannot be told takes its name all the same: another one under it would pass for it.
  const counts = countNames(claims, names);
  for (const { path, name, value } of claims) {
    const header = claimPrefix + name;
    if (value === null) headers.leftOut.push({ path, reason: 'unrepresentable' });
    else if (counts.get(canonicalName(header)) !== 1) headers.leftOut.push({ path, reason: 'same_name' });
    else headers.setWithinLimits(header, value, path);
  }
  return headers;
};

/** Removes, by the very names that the request has, every header that `removable` covers. */
export const removalOperations = (headers: HeaderList, removable: OwnedHeaders): HeaderOperation[] => {
  const names = new Set<string>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (isOwned(removable, name)) names.add(name);
  }
  return Array.from(names, (name) => ({ kind: 'remove', name }));
};

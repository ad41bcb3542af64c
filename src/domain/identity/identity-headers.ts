import type { HeaderOperation } from '../agent-protocol/messages.js';
import { canonicalName } from '../http/canonical-name.js';
import type { HeaderList } from '../http/header-list.js';
import { type FlatClaim, flattenClaims } from './claim-flattening.js';
import { encodeHeaderValue } from './header-value-encoding.js';
import type { Identity } from './identity.js';
import { isOwned, type OwnedHeaders } from './owned-headers.js';

/** Identity headers of one request, at the most. */
export const maximumIdentityHeaders = 64;
/** Octets of their names and values together, at the most. */
export const maximumIdentityHeaderOctets = 4096;

const claimPrefix = 'X-Auth-Claim-';

export interface IdentityHeaderNames {
  readonly userId: string;
  readonly authMethod: string;
}

/** A claim that no header says anything of. */
export interface LeftOutClaim {
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

/**
 * The headers that tell the upstream who makes the request. Claims that end in one name are all left out, because which of
 * them counts would be a guess; claims come in the order of the token until a limit is reached.
 */
export const identityHeaders = (identity: Identity, names: IdentityHeaderNames): IdentityHeaders => {
  const userId = encodeHeaderValue(identity.userId);
  const operations: HeaderOperation[] = [
    { kind: 'set', name: names.userId, value: userId },
    { kind: 'set', name: names.authMethod, value: identity.method },
  ];
  if (identity.claims === null) return { operations, leftOut: [] };

  const { claims, unrepresentable } = flattenClaims(identity.claims);
  const leftOut: LeftOutClaim[] = unrepresentable.map((path) => ({ path, reason: 'unrepresentable' }));
  const counts = countNames(claims, names);
  let octets = names.userId.length + userId.length + names.authMethod.length + identity.method.length;

  for (const { path, name, value } of claims) {
    const header = claimPrefix + name;
    const size = header.length + value.length;
    if (counts.get(canonicalName(header)) !== 1) leftOut.push({ path, reason: 'same_name' });
    else if (operations.length >= maximumIdentityHeaders || octets + size > maximumIdentityHeaderOctets) {
      leftOut.push({ path, reason: 'over_limit' });
    } else {
      octets += size;
      operations.push({ kind: 'set', name: header, value });
    }
  }
  return { operations, leftOut };
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

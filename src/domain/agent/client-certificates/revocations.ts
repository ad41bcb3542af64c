import type { Certificate } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { nameKey } from './distinguished-name.js';
import type { RevocationList } from './revocation-list.js';

/** The revocation lists in force, by the key of their issuer's name. */
export type Revocations = ReadonlyMap<string, readonly RevocationList[]>;

/** A list, and the fingerprint of the authority that signed it. */
export interface VerifiedList {
  readonly list: RevocationList;
  readonly signer: string;
}

/**
 * Indexes lists by issuer. Of several lists of one signer, only the newest counts. Two signers of one name are two keys
 * of an authority: the lists of both count.
 */
export const prepareRevocations = (lists: readonly VerifiedList[]): Revocations => {
  const newest = new Map<string, RevocationList>();
  for (const { list, signer } of lists) {
    const known = newest.get(signer);
    if (known === undefined || list.thisUpdateMs > known.thisUpdateMs) newest.set(signer, list);
  }
  const byIssuer = new Map<string, RevocationList[]>();
  for (const list of newest.values()) {
    const key = nameKey(list.issuer);
    byIssuer.set(key, [...(byIssuer.get(key) ?? []), list]);
  }
  return byIssuer;
};

export type RevocationRejection = 'certificate_revoked' | 'certificate_revocation_unknown';

/** A time interval, inclusive, in milliseconds since the Unix epoch. */
export interface CurrentPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

const isOutdated = ({ thisUpdateMs, nextUpdateMs }: RevocationList, nowMs: number): boolean =>
  nowMs < thisUpdateMs || nowMs > nextUpdateMs;

/**
 * Checks every certificate of a chain, authorities included. A certificate is identified by issuer and serial number
 * (RFC 5280, section 4.1.2.2), so a list counts for each key of its issuer. An issuer without a list revokes nothing.
 * A certificate of an outdated list is refused, because it may be revoked.
 * The result is the period in which the lists are current.
 */
export const checkRevocation = (
  chain: readonly Certificate[],
  revocations: Revocations,
  nowMs: number,
): Result<CurrentPeriod, RevocationRejection> => {
  let fromMs = Number.NEGATIVE_INFINITY;
  let toMs = Number.POSITIVE_INFINITY;
  let isUnknown = false;
  for (const { issuer, serialNumber } of chain) {
    for (const list of revocations.get(nameKey(issuer)) ?? []) {
      if (list.serials.has(serialNumber)) return err('certificate_revoked');
      if (isOutdated(list, nowMs)) isUnknown = true;
      fromMs = Math.max(fromMs, list.thisUpdateMs);
      toMs = Math.min(toMs, list.nextUpdateMs);
    }
  }
  return isUnknown ? err('certificate_revocation_unknown') : ok({ fromMs, toMs });
};

/** The lists that are not current, for reports. */
export const outdatedLists = (revocations: Revocations, nowMs: number): readonly RevocationList[] =>
  [...revocations.values()].flat().filter((list) => isOutdated(list, nowMs));

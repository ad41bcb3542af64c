import type { Certificate } from '../../shared/certificate.js';
import { nameKey } from './distinguished-name.js';

/** A certificate with the names by which issuers are found; making these is what costs. */
export interface NamedCertificate<C> {
  /** No two certificates of a search have the same. */
  readonly index: number;
  readonly read: C;
  readonly certificate: Certificate;
  readonly issuerKey: string;
  readonly subjectKey: string;
}

/** Trust anchors, made ready once for every search that begins with them. */
export interface PreparedAnchors<C> {
  /** Of all of them, those included that may issue nothing. */
  readonly fingerprints: ReadonlySet<string>;
  /** Those that may issue, by the key of their subject, in the order given. Their indices count from 1. */
  readonly issuers: ReadonlyMap<string, readonly NamedCertificate<C>[]>;
  /** First moments of validity, the earliest first. */
  readonly beginnings: readonly number[];
}

export const namedCertificate = <C extends { readonly certificate: Certificate }>(
  read: C,
  index: number,
): NamedCertificate<C> => {
  const { certificate } = read;
  const [issuerKey, subjectKey] = [nameKey(certificate.issuer), nameKey(certificate.subject)];
  return { index, read, certificate, issuerKey, subjectKey };
};

/** Indexes trust anchors, so that a search costs the same however many there are. One that comes twice counts once. */
export const prepareAnchors = <C extends { readonly certificate: Certificate }>(
  anchors: readonly C[],
): PreparedAnchors<C> => {
  const fingerprints = new Set<string>();
  const issuers = new Map<string, NamedCertificate<C>[]>();
  for (const anchor of anchors) {
    const { fingerprint, isAuthority } = anchor.certificate;
    if (fingerprints.has(fingerprint)) continue;
    fingerprints.add(fingerprint);
    if (!isAuthority) continue;
    const named = namedCertificate(anchor, fingerprints.size);
    const namesakes = issuers.get(named.subjectKey);
    if (namesakes === undefined) issuers.set(named.subjectKey, [named]);
    else namesakes.push(named);
  }
  const beginnings = anchors.map(({ certificate }) => certificate.notBeforeMs).sort((left, right) => left - right);
  return { fingerprints, issuers, beginnings };
};

/**
 * The next moment at which one of some certificates becomes valid, or an anchor of those with these `beginnings`;
 * infinity where all are past it.
 */
export const nextBeginningMs = (
  certificates: readonly Certificate[],
  beginnings: PreparedAnchors<unknown>['beginnings'],
  nowMs: number,
): number => {
  // From the end: nearly all anchors have begun to be valid long ago.
  const ofAnchors = beginnings[beginnings.findLastIndex((beginning) => beginning <= nowMs) + 1] ?? Infinity;
  const shown = certificates.map(({ notBeforeMs }) => notBeforeMs).filter((beginning) => beginning > nowMs);
  return Math.min(ofAnchors, ...shown);
};

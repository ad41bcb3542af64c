import type { Certificate } from '../../shared/certificate.js';
import { nameKey } from './distinguished-name.js';

/** A certificate with the keys by which issuers are found; computing them is expensive. */
export interface NamedCertificate<C> {
  /** Unique within a search. */
  readonly index: number;
  readonly read: C;
  readonly certificate: Certificate;
  readonly issuerKey: string;
  readonly subjectKey: string;
}

/** Trust anchors, prepared once for all searches. */
export interface PreparedAnchors<C> {
  /** All of them, including those that may not issue. */
  readonly fingerprints: ReadonlySet<string>;
  /** Anchors that may issue, by the key of their subject, in order. Indices start at 1. */
  readonly issuers: ReadonlyMap<string, readonly NamedCertificate<C>[]>;
  /** Starts of validity, earliest first. */
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

/** Indexes trust anchors, so that a search is independent of their number. Ignores duplicates. */
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

/** The next moment at which one of the certificates or anchors becomes valid; infinity if all have. */
export const nextBeginningMs = (
  certificates: readonly Certificate[],
  beginnings: PreparedAnchors<unknown>['beginnings'],
  nowMs: number,
): number => {
  // From the end: nearly all anchors are already valid.
  const ofAnchors = beginnings[beginnings.findLastIndex((beginning) => beginning <= nowMs) + 1] ?? Infinity;
  const shown = certificates.map(({ notBeforeMs }) => notBeforeMs).filter((beginning) => beginning > nowMs);
  return Math.min(ofAnchors, ...shown);
};

import type { Certificate } from '../../shared/certificate.js';
import { type CertificateDefect, issuerDefects, leafDefects } from './certificate-defects.js';
import { type NamedCertificate, namedCertificate, type PreparedAnchors } from './prepared-anchors.js';

/** A certificate in the place where a chain may have it. */
export interface GraphNode<C> extends NamedCertificate<C> {
  readonly isLeaf: boolean;
  readonly isAnchor: boolean;
  /** Its subject is its issuer: it does not count against a path length (RFC 5280, section 6.1). */
  readonly isSelfIssued: boolean;
  readonly defects: readonly CertificateDefect[];
}

export interface CertificateGraph<C> {
  readonly leaf: GraphNode<C>;
  /** Whose name is that of the issuer of `child`, the likeliest first; whether they signed it is not known yet. */
  candidates(child: GraphNode<C>): readonly GraphNode<C>[];
}

/**
 * How far the key identifiers speak for an issuer: they are hints, because a renewed authority may have another one.
 */
const likelihood = <C>(child: GraphNode<C>, issuer: GraphNode<C>): number => {
  const wanted = child.certificate.authorityKeyId;
  const had = issuer.certificate.subjectKeyId;
  const fit = wanted === null || had === null ? 1 : wanted === had ? 2 : 0;
  return fit * 2 + (issuer.isAnchor ? 1 : 0);
};

const leafIndex = 0;

/**
 * Every certificate once, as an anchor where it is one. Those that are no authorities issue nothing, and are left out.
 * Of the anchors only those are looked at whose name an issuer has.
 */
export const certificateGraph = <C extends { readonly certificate: Certificate }>(
  leaf: C,
  intermediates: readonly C[],
  anchors: PreparedAnchors<C>,
  nowMs: number,
): CertificateGraph<C> => {
  const node = (named: NamedCertificate<C>, isAnchor: boolean): GraphNode<C> => {
    const { certificate, issuerKey, subjectKey } = named;
    const isLeaf = named.index === leafIndex;
    const defects = (isLeaf ? leafDefects : issuerDefects)(certificate, isAnchor, nowMs);
    return { ...named, isLeaf, isAnchor, isSelfIssued: issuerKey === subjectKey, defects };
  };

  const fingerprint = leaf.certificate.fingerprint;
  const leafNode = node(namedCertificate(leaf, leafIndex), anchors.fingerprints.has(fingerprint));
  const seen = new Set([fingerprint]);
  const shown: GraphNode<C>[] = [];
  for (const intermediate of intermediates) {
    const { fingerprint: own, isAuthority } = intermediate.certificate;
    if (seen.has(own) || anchors.fingerprints.has(own)) continue;
    seen.add(own);
    if (isAuthority) shown.push(node(namedCertificate(intermediate, anchors.fingerprints.size + seen.size), false));
  }

  const named = new Map<string, readonly GraphNode<C>[]>();
  const namesakes = (subjectKey: string): readonly GraphNode<C>[] => {
    const known = named.get(subjectKey);
    if (known !== undefined) return known;
    const trusted = (anchors.issuers.get(subjectKey) ?? []).filter(
      (one) => one.certificate.fingerprint !== fingerprint,
    );
    const found = [
      ...trusted.map((anchor) => node(anchor, true)),
      ...shown.filter((intermediate) => intermediate.subjectKey === subjectKey),
    ];
    named.set(subjectKey, found);
    return found;
  };
  const candidates = new Map<number, readonly GraphNode<C>[]>();
  const find = (child: GraphNode<C>): readonly GraphNode<C>[] => {
    // Nobody is called nothing (RFC 5280, section 4.1.2.4).
    if (child.certificate.issuer.length === 0) return [];
    const others = namesakes(child.issuerKey).filter(({ index }) => index !== child.index);
    return others.sort((left, right) => likelihood(child, right) - likelihood(child, left));
  };
  return {
    leaf: leafNode,
    candidates: (child) => {
      const found = candidates.get(child.index) ?? find(child);
      candidates.set(child.index, found);
      return found;
    },
  };
};

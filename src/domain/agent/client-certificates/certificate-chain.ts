import type { Certificate } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import {
  type CertificateDefect,
  type CertificateRejection,
  defectKinds,
  issuerDefects,
  leafDefects,
  mostTelling,
} from './certificate-defects.js';
import { type NamedCertificate, namedCertificate, type PreparedAnchors } from './prepared-anchors.js';

/** A certificate in the place where a chain may have it. */
interface GraphNode<C> extends NamedCertificate<C> {
  readonly isLeaf: boolean;
  readonly isAnchor: boolean;
  /** Its subject is its issuer: it does not count against a path length (RFC 5280, section 6.1). */
  readonly isSelfIssued: boolean;
  readonly defects: readonly CertificateDefect[];
}

interface CertificateGraph<C> {
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
const certificateGraph = <C extends { readonly certificate: Certificate }>(
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

/** Certificates of a chain at most, the leaf and the anchor included. */
export const maximumChainLength = 8;

/** Signatures that are checked for one leaf, at most: what a bag of namesakes can cost. */
export const maximumSignatureChecks = 64;

/** A place in a chain, seen from the leaf. */
interface Step<C> {
  readonly node: GraphNode<C>;
  /** Certificates of authorities below it that are not self-issued. */
  readonly below: number;
  readonly previous: Step<C> | null;
}

type IsSigned<C> = (child: GraphNode<C>, issuer: GraphNode<C>) => boolean;

/** Remembers every answer, and answers no once it has asked as often as it may. */
const countedSignatures = <C>(isSignedBy: (child: C, issuer: C) => boolean): IsSigned<C> => {
  const answers = new Map<string, boolean>();
  return (child, issuer) => {
    const pair = `${child.index} ${issuer.index}`;
    const known = answers.get(pair);
    if (known !== undefined) return known;
    if (answers.size >= maximumSignatureChecks) return false;
    const answer = isSignedBy(child.read, issuer.read);
    answers.set(pair, answer);
    return answer;
  };
};

/**
 * The issuer as the next step, where the rules that bind it to what is below allow that; its signature not looked at
 * yet.
 */
const stepUp = <C>(step: Step<C>, issuer: GraphNode<C>): Step<C> | null => {
  const counts = !(step.node.isLeaf || step.node.isSelfIssued);
  const below = step.below + (counts ? 1 : 0);
  const { pathLength } = issuer.certificate;
  return pathLength !== null && below > pathLength ? null : { node: issuer, below, previous: step };
};

/**
 * Looks for the shortest way from the leaf to an anchor, layer by layer. A certificate is visited once for each number
 * of authorities below it, the one thing about the way so far that matters above; so the work is bounded by the square
 * of the certificates, however they sign each other. A shortest way has no loop: cutting it out would leave a shorter
 * one that breaks no rule.
 */
const search = <C>(
  graph: CertificateGraph<C>,
  isSigned: IsSigned<C>,
  tolerated: readonly CertificateDefect[],
): Step<C> | null => {
  const isTolerable = ({ defects }: GraphNode<C>): boolean => defects.every((defect) => tolerated.includes(defect));
  const start: Step<C> = { node: graph.leaf, below: 0, previous: null };
  if (!isTolerable(start.node)) return null;
  if (start.node.isAnchor) return start;
  const visited = new Set<string>();
  let layer: readonly Step<C>[] = [start];
  for (let length = 2; length <= maximumChainLength; length += 1) {
    const next: Step<C>[] = [];
    for (const step of layer) {
      for (const issuer of graph.candidates(step.node)) {
        const reached = stepUp(step, issuer);
        if (reached === null || !isTolerable(issuer)) continue;
        const place = `${issuer.index} ${reached.below}`;
        if (visited.has(place) || !isSigned(step.node, issuer)) continue;
        if (issuer.isAnchor) return reached;
        visited.add(place);
        next.push(reached);
      }
    }
    layer = next;
  }
  return null;
};

const stepsOf = <C>(last: Step<C>): readonly GraphNode<C>[] => {
  const nodes: GraphNode<C>[] = [];
  for (let step: Step<C> | null = last; step !== null; step = step.previous) nodes.unshift(step.node);
  return nodes;
};

/**
 * Why there is no chain: what the best chain lacks that would be one if nobody looked at validity, usage and strength.
 */
const reason = <C>(graph: CertificateGraph<C>, isSigned: IsSigned<C>): CertificateRejection => {
  const faulty = search(graph, isSigned, defectKinds);
  if (faulty === null) return 'certificate_untrusted';
  const alone = defectKinds.find((kind) => search(graph, isSigned, [kind]) !== null);
  return alone ?? mostTelling(stepsOf(faulty).flatMap(({ defects }) => defects)) ?? 'certificate_untrusted';
};

/**
 * Finds a chain from a certificate to one of the anchors (RFC 5280, section 6.1, without policies and name
 * constraints: who has those is `certificate_unsupported`). The leaf comes first, the anchor last; a leaf that is an
 * anchor itself is the whole chain. Checked are the names and signatures from certificate to certificate, that every
 * issuer is an authority and has room in its path length, and what `certificate-defects.ts` lists, anchors not
 * excepted. `isSignedBy` is asked at most `maximumSignatureChecks` times, once for a pair; it must not throw.
 *
 * Where there is none, the error is the defect of a chain that is one but for it, and `certificate_untrusted` where
 * there is not even such a chain.
 */
export const findChain = <C extends { readonly certificate: Certificate }>(
  leaf: C,
  intermediates: readonly C[],
  anchors: PreparedAnchors<C>,
  nowMs: number,
  isSignedBy: (child: C, issuer: C) => boolean,
): Result<readonly C[], CertificateRejection> => {
  const graph = certificateGraph(leaf, intermediates, anchors, nowMs);
  const isSigned = countedSignatures(isSignedBy);
  const last = search(graph, isSigned, []);
  return last === null ? err(reason(graph, isSigned)) : ok(stepsOf(last).map(({ read }) => read));
};

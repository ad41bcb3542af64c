import type { Certificate } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import {
  type CertificateDefect,
  type CertificateRejection,
  defectKinds,
  issuerDefects,
  leafDefects,
  mostUsefulDefect,
} from './certificate-defects.js';
import { type NamedCertificate, namedCertificate, type PreparedAnchors } from './prepared-anchors.js';

/** A certificate that may be part of a chain. */
interface GraphNode<C> extends NamedCertificate<C> {
  readonly isLeaf: boolean;
  readonly isAnchor: boolean;
  /**
   * Whether subject and issuer are equal: such a certificate does not count against a path length (RFC 5280, section
   * 6.1).
   */
  readonly isSelfIssued: boolean;
  readonly defects: readonly CertificateDefect[];
}

interface CertificateGraph<C> {
  readonly leaf: GraphNode<C>;
  /** Certificates whose subject is the issuer of `child`, the likeliest first. Signatures are not checked yet. */
  candidates(child: GraphNode<C>): readonly GraphNode<C>[];
}

/** How well the key identifiers match. They are only hints, because a renewed authority may have a new key. */
const likelihood = <C>(child: GraphNode<C>, issuer: GraphNode<C>): number => {
  const wanted = child.certificate.authorityKeyId;
  const had = issuer.certificate.subjectKeyId;
  const fit = wanted === null || had === null ? 1 : wanted === had ? 2 : 0;
  return fit * 2 + (issuer.isAnchor ? 1 : 0);
};

const leafIndex = 0;

/**
 * The graph of distinct certificates, with anchors marked. Omits certificates that are not authorities. Reads only
 * anchors whose subject is an issuer.
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
    // An empty name identifies no issuer (RFC 5280, section 4.1.2.4).
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

/** Maximum certificates of a chain, including leaf and anchor. */
export const maximumChainLength = 8;

/** Maximum signature checks per leaf: bounds the cost of many certificates of the same name. */
export const maximumSignatureChecks = 64;

/** A position in a chain, starting from the leaf. */
interface Step<C> {
  readonly node: GraphNode<C>;
  /** Authority certificates below it that are not self-issued. */
  readonly below: number;
  readonly previous: Step<C> | null;
}

type IsSigned<C> = (child: GraphNode<C>, issuer: GraphNode<C>) => boolean;

/** Caches answers, and answers false once the limit of checks is reached. */
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

/** The step to an issuer, if path lengths allow it. Does not check the signature. */
const stepUp = <C>(step: Step<C>, issuer: GraphNode<C>): Step<C> | null => {
  const counts = !(step.node.isLeaf || step.node.isSelfIssued);
  const below = step.below + (counts ? 1 : 0);
  const { pathLength } = issuer.certificate;
  return pathLength !== null && below > pathLength ? null : { node: issuer, below, previous: step };
};

/**
 * Finds the shortest path from the leaf to an anchor, breadth first. The only relevant state of a path is the number of
 * authorities below, so each certificate is visited once per number. The work is thus at most quadratic in the
 * certificates, however they sign each other. A shortest path has no loop, because removing the loop would shorten it
 * without breaking a rule.
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

/** Why there is no chain: the defect of the best chain that ignores validity, usage and strength. */
const reason = <C>(graph: CertificateGraph<C>, isSigned: IsSigned<C>): CertificateRejection => {
  const faulty = search(graph, isSigned, defectKinds);
  if (faulty === null) return 'certificate_untrusted';
  const alone = defectKinds.find((kind) => search(graph, isSigned, [kind]) !== null);
  return alone ?? mostUsefulDefect(stepsOf(faulty).flatMap(({ defects }) => defects)) ?? 'certificate_untrusted';
};

/**
 * Finds a chain from a certificate to an anchor (RFC 5280, section 6.1, without policies and name constraints:
 * certificates that have them are `certificate_unsupported`). The leaf is first, the anchor last; a leaf that is an
 * anchor is the whole chain. Checks names and signatures between certificates, that every issuer is an authority within
 * its path length, and the defects of `certificate-defects.ts`, also of anchors. Calls `isSignedBy` at most
 * `maximumSignatureChecks` times, once per pair; it must not throw.
 * Without a chain, the error is the defect of a chain that is otherwise valid, or `certificate_untrusted` if there is
 * none.
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

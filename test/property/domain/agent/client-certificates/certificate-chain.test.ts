import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findChain,
  maximumChainLength,
  maximumSignatureChecks,
} from '../../../../../src/domain/agent/client-certificates/certificate-chain.js';
import { prepareAnchors } from '../../../../../src/domain/agent/client-certificates/prepared-anchors.js';
import type { Certificate } from '../../../../../src/domain/shared/certificate.js';
import { madeAuthority, madeCertificate, named } from '../../../../support/shared/made-certificate.js';

interface Held {
  readonly certificate: Certificate;
}

const now = 1500;
const order = [
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_usage',
  'certificate_weak',
  'certificate_unsupported',
];

/** What is wrong with a generated certificate: nothing mostly. */
const defects: readonly (readonly [reason: string, says: Partial<Certificate>])[] = [
  ['certificate_expired', { notAfterMs: 1400 }],
  ['certificate_not_yet_valid', { notBeforeMs: 1600 }],
  ['certificate_wrong_usage', { keyUsage: [] }],
  ['certificate_weak', { weakKey: 'it is short' }],
  ['certificate_unsupported', { isConstrained: true }],
];

const common = fc.constantFrom('a', 'b', 'c', 'd');
const defect = fc.oneof(
  { weight: 8, arbitrary: fc.constant<readonly number[]>([]) },
  { weight: 2, arbitrary: fc.nat(4).map((index): readonly number[] => [index]) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(4), fc.nat(4)).map((pair): readonly number[] => pair) },
);
const authority = fc.record({
  subject: common,
  issuer: common,
  isAuthority: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  pathLength: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: fc.nat(2) }),
  subjectKeyId: fc.constantFrom(null, '01', '02'),
  authorityKeyId: fc.constantFrom(null, '01', '02'),
  defect,
});

interface Graph {
  readonly leaf: Held;
  readonly intermediates: readonly Held[];
  readonly anchors: readonly Held[];
  readonly wrong: ReadonlyMap<Held, ReadonlySet<string>>;
  isSignedBy(child: Held, issuer: Held): boolean;
}

const graph = fc
  .record({
    leafIssuer: common,
    leafDefect: defect,
    authorities: fc.array(authority, { maxLength: 6 }),
    anchorCount: fc.integer({ min: 1, max: 4 }),
    signatures: fc.array(fc.constantFrom(true, true, true, false), { minLength: 64, maxLength: 64 }),
  })
  .map(({ leafIssuer, leafDefect, authorities, anchorCount, signatures }): Graph => {
    const wrong = new Map<Held, ReadonlySet<string>>();
    const hold = (certificate: Certificate, chosen: readonly number[]): Held => {
      const picked = chosen.flatMap((index) => defects.slice(index, index + 1));
      const held = { certificate: Object.assign({ ...certificate }, ...picked.map(([, says]) => says)) };
      wrong.set(held, new Set(picked.map(([reason]) => reason)));
      return held;
    };
    const leaf = hold(madeCertificate({ issuer: named(leafIssuer), authorityKeyId: '01' }), leafDefect);
    const all = authorities.map(({ subject, issuer, defect: chosen, ...says }, index) =>
      hold(madeAuthority(subject, { ...says, issuer: named(issuer), fingerprint: `authority ${index}` }), chosen),
    );
    const numbers = new Map([leaf, ...all].map((held, index) => [held, index]));
    return {
      leaf,
      anchors: all.slice(0, anchorCount),
      intermediates: all.slice(anchorCount),
      wrong,
      isSignedBy: (child, issuer) =>
        signatures[((numbers.get(child) ?? 0) * 8 + (numbers.get(issuer) ?? 0)) % signatures.length] === true,
    };
  });

const sameText = (left: Certificate['subject'], right: Certificate['subject']): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** Whether the rules that bind certificates to each other hold in a chain from the leaf to its last. */
const holdsTogether = ({ isSignedBy }: Graph, chain: readonly Held[]): boolean =>
  chain.length <= maximumChainLength &&
  chain.every((held, index) => {
    const issuer = chain[index + 1];
    const { certificate } = held;
    if (index > 0) {
      const below = chain.slice(1, index).filter((one) => !sameText(one.certificate.subject, one.certificate.issuer));
      if (!certificate.isAuthority) return false;
      if (certificate.pathLength !== null && below.length > certificate.pathLength) return false;
    }
    return (
      issuer === undefined || (sameText(certificate.issuer, issuer.certificate.subject) && isSignedBy(held, issuer))
    );
  });

/** Every chain that holds together, by trying every order of every choice of intermediates. */
const everyChain = (given: Graph): readonly (readonly Held[])[] => {
  const chains: (readonly Held[])[] = [];
  const extend = (chain: readonly Held[]): void => {
    for (const anchor of given.anchors) {
      if (holdsTogether(given, [...chain, anchor])) chains.push([...chain, anchor]);
    }
    for (const next of given.intermediates) {
      if (!chain.includes(next) && holdsTogether(given, [...chain, next])) extend([...chain, next]);
    }
  };
  extend([given.leaf]);
  return chains;
};

const wrongIn = ({ wrong }: Graph, chain: readonly Held[]): ReadonlySet<string> =>
  new Set(chain.flatMap((held) => [...(wrong.get(held) ?? [])]));

describe('findChain', () => {
  it('finds a chain if an exhaustive search finds one, and otherwise gives the same reason', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(graph, (given) => {
        const chains = everyChain(given);
        const faults = chains.map((chain) => wrongIn(given, chain));
        const result = findChain(given.leaf, given.intermediates, prepareAnchors(given.anchors), now, given.isSignedBy);
        const outcome = result.ok ? 'chain' : result.error;
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        if (result.ok) {
          expect(result.value[0]).toBe(given.leaf);
          expect(given.anchors).toContain(result.value.at(-1));
          expect(new Set(result.value).size).toBe(result.value.length);
          expect(holdsTogether(given, result.value)).toBe(true);
          expect(wrongIn(given, result.value).size).toBe(0);
          return;
        }
        expect(faults.some((fault) => fault.size === 0)).toBe(false);
        const alone = order.find((reason) => faults.some((fault) => fault.size === 1 && fault.has(reason)));
        if (chains.length === 0) expect(result.error).toBe('certificate_untrusted');
        else if (alone !== undefined) expect(result.error).toBe(alone);
        else expect(faults.some((fault) => fault.has(result.error))).toBe(true);
      }),
      { numRuns: 4000 },
    );
    for (const outcome of ['chain', 'certificate_untrusted', ...order]) {
      expect(seen.get(outcome) ?? 0, outcome).toBeGreaterThan(10);
    }
  });

  it('checks each pair at most once, and never exceeds the limit', () => {
    const hostile = fc.record({
      size: fc.integer({ min: 1, max: 30 }),
      anchors: fc.integer({ min: 1, max: 30 }),
      salt: fc.nat(),
      share: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(hostile, ({ size, anchors, salt, share }) => {
        const hold = (kind: string, count: number): Held[] =>
          Array.from({ length: count }, (_, index) => ({
            certificate: madeAuthority('authority', { fingerprint: `${kind} ${index}` }),
          }));
        const asked = new Set<string>();
        findChain(
          { certificate: madeCertificate() },
          hold('middle', size),
          prepareAnchors(hold('anchor', anchors)),
          now,
          (child, issuer) => {
            const pair = `${child.certificate.fingerprint} by ${issuer.certificate.fingerprint}`;
            expect(asked.has(pair)).toBe(false);
            asked.add(pair);
            return issuer.certificate.fingerprint.startsWith('middle') && (asked.size + salt) % share === 0;
          },
        );
        expect(asked.size).toBeLessThanOrEqual(maximumSignatureChecks);
      }),
      { numRuns: 200 },
    );
  });
});

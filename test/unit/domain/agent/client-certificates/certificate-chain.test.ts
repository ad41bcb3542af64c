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

const held = (certificate: Certificate): Held => ({ certificate });
const now = 1500;

/** Finds a chain where every signature holds whose names fit; its fingerprints, or why there is none. */
const found = (
  leaf: Certificate,
  intermediates: readonly Certificate[],
  anchors: readonly Certificate[],
  isSignedBy: (child: Certificate, issuer: Certificate) => boolean = () => true,
  nowMs = now,
): readonly string[] | string => {
  const chain = findChain(
    held(leaf),
    intermediates.map(held),
    prepareAnchors(anchors.map(held)),
    nowMs,
    (child, issuer) => isSignedBy(child.certificate, issuer.certificate),
  );
  return chain.ok ? chain.value.map(({ certificate }) => certificate.fingerprint) : chain.error;
};

const leaf = madeCertificate();
const root = madeAuthority('root');
const middle = madeAuthority('authority', { issuer: named('root') });
const client = '1.3.6.1.5.5.7.3.2';
const server = '1.3.6.1.5.5.7.3.1';
const anyPurpose = '2.5.29.37.0';

describe('findChain', () => {
  it('builds a path from the leaf through intermediates to an anchor', () => {
    expect(found(leaf, [], [madeAuthority('authority')])).toEqual(['client', 'authority']);
    expect(found(leaf, [middle], [root])).toEqual(['client', 'authority', 'root']);
    expect(found(leaf, [root, leaf, middle, middle], [root])).toEqual(['client', 'authority', 'root']);
  });

  it('ends at the first anchor, self-signed or not, and can be the leaf alone', () => {
    expect(found(leaf, [], [middle])).toEqual(['client', 'authority']);
    expect(found(leaf, [], [root, leaf])).toEqual(['client']);
  });

  it('compares names semantically', () => {
    expect(found(madeCertificate({ issuer: named(' AUTHORITY ') }), [], [madeAuthority('authority')])).toHaveLength(2);
  });

  it('trusts only anchors', () => {
    expect(found(leaf, [middle, root], [])).toBe('certificate_untrusted');
    expect(found(leaf, [], [root])).toBe('certificate_untrusted');
    expect(found(leaf, [middle], [madeAuthority('other')])).toBe('certificate_untrusted');
    expect(found(madeCertificate({ issuer: named('client') }), [], [root])).toBe('certificate_untrusted');
    expect(found(madeCertificate({ issuer: [] }), [], [madeAuthority('x', { subject: [] })])).toBe(
      'certificate_untrusted',
    );
  });

  it('verifies every signature', () => {
    for (const forged of ['client', 'authority']) {
      expect(found(leaf, [middle], [root], (child) => child.fingerprint !== forged)).toBe('certificate_untrusted');
    }
  });

  it('refuses a certificate that is not a CA as issuer', () => {
    expect(found(leaf, [{ ...middle, isAuthority: false }], [root])).toBe('certificate_untrusted');
    expect(found(leaf, [middle], [{ ...root, isAuthority: false }])).toBe('certificate_untrusted');
  });

  it('counts the CAs below a path length, except self-issued ones', () => {
    const limited = { ...root, pathLength: 0 };
    expect(found(leaf, [middle], [limited])).toBe('certificate_untrusted');
    expect(found(leaf, [middle], [{ ...root, pathLength: 1 }])).toHaveLength(3);
    expect(found(leaf, [], [madeAuthority('authority', { pathLength: 0 })])).toHaveLength(2);
    // Between the leaf and the root is the same authority with an older key.
    const renewed = madeAuthority('root', { fingerprint: 'renewed' });
    const direct = madeCertificate({ issuer: named('root') });
    const chained = (child: Certificate, issuer: Certificate): boolean =>
      child === direct ? issuer === renewed : issuer === limited;
    expect(found(direct, [renewed], [limited], chained)).toEqual(['client', 'renewed', 'root']);
  });

  it.each([
    ['the leaf', { notAfterMs: 1499 }, {}, {}],
    ['an intermediate', {}, { notAfterMs: 1499 }, {}],
    ['the anchor', {}, {}, { notAfterMs: 1499 }],
  ])('reports that %s has expired, and not an untrusted chain', (_, onLeaf, onMiddle, onRoot) => {
    const tell = (nowMs: number) =>
      found({ ...leaf, ...onLeaf }, [{ ...middle, ...onMiddle }], [{ ...root, ...onRoot }], undefined, nowMs);
    expect(tell(1500)).toBe('certificate_expired');
    expect(tell(1499)).toHaveLength(3);
    expect(tell(999)).toBe('certificate_not_yet_valid');
    expect(tell(1000)).toHaveLength(3);
  });

  it.each<[string, Partial<Certificate>, string | null]>([
    ['no usage named at all', { keyUsage: null, extendedKeyUsage: null }, null],
    ['a key for key agreement', { keyUsage: ['key_agreement'] }, null],
    ['a key for something else', { keyUsage: ['other', 'certificate_signing'] }, 'certificate_wrong_usage'],
    ['a key for nothing', { keyUsage: [] }, 'certificate_wrong_usage'],
    ['servers and clients', { extendedKeyUsage: [server, client] }, null],
    ['servers alone', { extendedKeyUsage: [server] }, 'certificate_wrong_usage'],
    ['any purpose, without naming clients', { extendedKeyUsage: [anyPurpose] }, 'certificate_wrong_usage'],
    ['a weak key', { weakKey: 'it is short' }, 'certificate_weak'],
    ['a weak signature', { weakSignature: 'it is SHA-1' }, 'certificate_weak'],
    ['an unknown critical extension', { unknownCritical: ['1.2.3'] }, 'certificate_unsupported'],
    ['constraints', { isConstrained: true }, 'certificate_unsupported'],
  ])('checks a leaf with %s', (_, says, reason) => {
    const result = found({ ...leaf, ...says }, [middle], [root]);
    expect(reason === null ? result.length : result).toBe(reason ?? 3);
  });

  it.each<[string, Partial<Certificate>, string | null]>([
    ['no usage named at all', { keyUsage: null, extendedKeyUsage: null }, null],
    ['a key that may not sign certificates', { keyUsage: ['digital_signature'] }, 'certificate_wrong_usage'],
    ['clients', { extendedKeyUsage: [client] }, null],
    ['any purpose', { extendedKeyUsage: [anyPurpose] }, null],
    ['servers alone', { extendedKeyUsage: [server] }, 'certificate_wrong_usage'],
    ['a weak key', { weakKey: 'it is short' }, 'certificate_weak'],
    ['a weak signature', { weakSignature: 'it is SHA-1' }, 'certificate_weak'],
    ['an unknown critical extension', { unknownCritical: ['1.2.3'] }, 'certificate_unsupported'],
    ['constraints', { isConstrained: true }, 'certificate_unsupported'],
  ])('checks an intermediate with %s', (_, says, reason) => {
    const result = found(leaf, [{ ...middle, ...says }], [root]);
    expect(reason === null ? result.length : result).toBe(reason ?? 3);
  });

  it.each<[string, Partial<Certificate>, string | null]>([
    ['a key that may not sign certificates', { keyUsage: ['digital_signature'] }, 'certificate_wrong_usage'],
    ['other purposes', { extendedKeyUsage: [server] }, null],
    ['a weak key', { weakKey: 'it is short' }, 'certificate_weak'],
    ['a weak signature on it, on which nobody relies', { weakSignature: 'it is SHA-1' }, null],
    ['an unknown critical extension', { unknownCritical: ['1.2.3'] }, 'certificate_unsupported'],
    ['constraints', { isConstrained: true }, 'certificate_unsupported'],
  ])('checks an anchor with %s', (_, says, reason) => {
    const result = found(leaf, [middle], [{ ...root, ...says }]);
    expect(reason === null ? result.length : result).toBe(reason ?? 3);
  });

  it('checks a leaf that is an anchor as a leaf', () => {
    const expired = { ...leaf, notAfterMs: 1200 };
    expect(found(expired, [], [expired])).toBe('certificate_expired');
    const forServers = { ...leaf, extendedKeyUsage: [server] };
    expect(found(forServers, [], [forServers])).toBe('certificate_wrong_usage');
  });

  it('takes a longer path past self-issued certificates if the shorter exceeds a path length', () => {
    const [near, far] = [
      madeAuthority('authority', { issuer: named('y'), fingerprint: 'near' }),
      madeAuthority('y', { issuer: named('x') }),
    ];
    const other = madeAuthority('authority', { issuer: named('x'), fingerprint: 'other' });
    const [newer, older] = [madeAuthority('x', { fingerprint: 'newer' }), madeAuthority('x', { fingerprint: 'older' })];
    const top = madeAuthority('x', { issuer: named('root'), fingerprint: 'top' });
    const limited = { ...root, pathLength: 2 };
    const signed = new Map([
      ['near', 'y'],
      ['y', 'top'],
      ['other', 'newer'],
      ['newer', 'older'],
      ['older', 'top'],
      ['top', 'root'],
    ]);
    const isSignedBy = (child: Certificate, issuer: Certificate): boolean =>
      child.fingerprint === 'client' || signed.get(child.fingerprint) === issuer.fingerprint;
    expect(found(leaf, [near, far, other, newer, older, top], [limited], isSignedBy)).toEqual([
      'client',
      'other',
      'newer',
      'older',
      'top',
      'root',
    ]);
  });

  it('prefers a valid chain to one with a defect', () => {
    const old = madeAuthority('authority', { issuer: named('root'), fingerprint: 'old', notAfterMs: 1200 });
    expect(found(leaf, [old, middle], [root])).toEqual(['client', 'authority', 'root']);
  });

  it('reports the only defect of one chain rather than the first of several in another', () => {
    const worse = madeAuthority('authority', {
      fingerprint: 'worse',
      issuer: named('root'),
      notAfterMs: 1200,
      keyUsage: [],
    });
    const weak = madeAuthority('authority', { fingerprint: 'weak', issuer: named('root'), weakKey: 'it is short' });
    expect(found(leaf, [worse, weak], [root])).toBe('certificate_weak');
    expect(found(leaf, [worse], [root])).toBe('certificate_expired');
  });

  it('tries the issuer of the matching key identifiers first, and then the others', () => {
    const asked: string[] = [];
    const isSignedBy = (_: Certificate, issuer: Certificate): boolean => {
      asked.push(issuer.fingerprint);
      return issuer.fingerprint === 'right';
    };
    const marked = madeCertificate({ authorityKeyId: '02' });
    const namesakes = ['00', '01', '02', '03'].map((subjectKeyId) =>
      madeAuthority('authority', { subjectKeyId, fingerprint: subjectKeyId === '02' ? 'right' : subjectKeyId }),
    );
    expect(found(marked, [], namesakes, isSignedBy)).toEqual(['client', 'right']);
    expect(asked).toEqual(['right']);
    const misled = madeCertificate({ authorityKeyId: '01' });
    expect(found(misled, [], namesakes, isSignedBy)).toEqual(['client', 'right']);
  });

  it('limits the length of the chain', () => {
    const path = (count: number): Certificate[] =>
      Array.from({ length: count }, (_, index) =>
        madeAuthority(index === 0 ? 'authority' : `a${index}`, {
          issuer: index === count - 1 ? named('root') : named(`a${index + 1}`),
        }),
      );
    expect(found(leaf, path(maximumChainLength - 2), [root])).toHaveLength(maximumChainLength);
    expect(found(leaf, path(maximumChainLength - 1), [root])).toBe('certificate_untrusted');
  });

  it('is not delayed by many CAs of one name that sign each other', () => {
    const bag = Array.from({ length: 40 }, (_, index) =>
      madeAuthority('authority', { fingerprint: `namesake ${index}` }),
    );
    let asked = 0;
    const count = (answer: boolean) => (): boolean => {
      asked += 1;
      return answer;
    };
    for (const answer of [true, false]) {
      asked = 0;
      expect(found(leaf, bag, [root], count(answer))).toBe('certificate_untrusted');
      expect(asked).toBeLessThanOrEqual(maximumSignatureChecks);
      expect(asked).toBeGreaterThan(0);
    }
  });

  it('verifies no signature if no name matches', () => {
    const unasked = (): boolean => expect.fail('a signature was looked at');
    expect(found(leaf, [root, madeAuthority('other')], [madeAuthority('third')], unasked)).toBe(
      'certificate_untrusted',
    );
  });
});

describe('many anchors', () => {
  /** An anchor that counts how often somebody looks at its names. */
  const counting = (commonName: string, count: () => void): Held => ({
    certificate: Object.defineProperty(madeAuthority(commonName), 'subject', {
      get: () => {
        count();
        return named(commonName);
      },
    }),
  });

  it('are indexed once, not at every check', () => {
    let looks = 0;
    const anchors = prepareAnchors(
      Array.from({ length: 500 }, (_, index) =>
        counting(`anchor ${index}`, () => {
          looks += 1;
        }),
      ),
    );
    expect(looks).toBe(500);
    for (const issuer of ['anchor 7', 'anchor 499', 'nobody']) {
      const client7 = held(madeCertificate({ issuer: named(issuer) }));
      expect(findChain(client7, [], anchors, now, () => true).ok).toBe(issuer !== 'nobody');
    }
    expect(looks).toBe(500);
  });
});

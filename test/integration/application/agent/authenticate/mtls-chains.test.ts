import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authoritiesOf, checkCertificates, inShort, mtlsCheck } from '../../../../support/agent/mtls-checks.js';
import {
  type CertificatePlan,
  type OpensslCertificate,
  OpensslCertificates,
} from '../../../../support/shared/openssl-certificates.js';

let pki: OpensslCertificates;
let root: OpensslCertificate;
let otherRoot: OpensslCertificate;
let issuing: OpensslCertificate;
let alice: OpensslCertificate;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root');
  otherRoot = pki.authority('other root');
  issuing = pki.authority('issuing', { by: root });
  alice = pki.client('alice', { by: issuing });
});
afterAll(() => pki.remove());

const client = (plan: CertificatePlan): OpensslCertificate => pki.client('alice', plan);
const authority = (plan: CertificatePlan, name = 'issuing'): OpensslCertificate => pki.authority(name, plan);

interface Shown {
  readonly leaf: OpensslCertificate;
  readonly with?: readonly OpensslCertificate[];
  readonly trusted: readonly OpensslCertificate[];
}

const verdictOf = ({ leaf, with: others = [], trusted }: Shown): string =>
  inShort(checkCertificates(mtlsCheck({ authorities: authoritiesOf(...trusted) }), leaf, ...others));

let bundles = 0;

/** Whether the program takes the chain for that of a client, with nothing weaker than 112 bits in it. */
const opensslTakes = ({ leaf, with: others = [], trusted }: Shown): boolean => {
  bundles += 1;
  const untrusted = others.length === 0 ? [] : ['-untrusted', pki.bundle(`untrusted-${bundles}.pem`, others)];
  const trust = [
    '-no-CApath',
    '-no-CAstore',
    '-partial_chain',
    '-CAfile',
    pki.bundle(`trusted-${bundles}.pem`, trusted),
  ];
  try {
    pki.openssl(
      'verify',
      '-x509_strict',
      '-purpose',
      'sslclient',
      '-auth_level',
      '2',
      ...trust,
      ...untrusted,
      leaf.certificateFile,
    );
    return true;
  } catch {
    return false;
  }
};

const day = 86_400_000;
const past = (): [number, number] => [Date.now() - 10 * day, Date.now() - day];
const future = (): [number, number] => [Date.now() + day, Date.now() + 10 * day];

/** Made when the test runs, because it needs the authorities. */
const chains: Readonly<Record<string, readonly [expected: string, make: () => Shown]>> = {
  'from the root': ['user alice', () => ({ leaf: client({ by: root }), trusted: [root] })],
  'through an intermediate in the header': ['user alice', () => ({ leaf: alice, with: [issuing], trusted: [root] })],
  'through an intermediate in the file': ['user alice', () => ({ leaf: alice, trusted: [root, issuing] })],
  'to an intermediate that is trusted without its root': ['user alice', () => ({ leaf: alice, trusted: [issuing] })],
  'with the root in the header as well': [
    'user alice',
    () => ({ leaf: alice, with: [issuing, root], trusted: [root] }),
  ],
  'with other certificates in the header': [
    'user alice',
    () => ({ leaf: alice, with: [otherRoot, client({ by: otherRoot }), issuing], trusted: [root] }),
  ],
  'of three authorities': [
    'user alice',
    () => {
      const second = authority({ by: issuing }, 'second');
      return { leaf: client({ by: second }), with: [second, issuing], trusted: [otherRoot, root] };
    },
  ],
  'through an authority whose key and certificate were renewed': [
    'user alice',
    () => {
      const renewed = authority({ by: root });
      return { leaf: client({ by: renewed }), with: [issuing, renewed], trusted: [root] };
    },
  ],
  'through a cross-signed root': [
    'user alice',
    () => ({
      leaf: client({ by: otherRoot }),
      with: [authority({ by: root, keyOf: otherRoot }, 'other root')],
      trusted: [root],
    }),
  ],
  'of RSA and Ed25519': [
    'user alice',
    () => {
      const rsa = authority({ by: root, key: 'rsa-2048' });
      return { leaf: client({ by: rsa, key: 'ed25519' }), with: [rsa], trusted: [root] };
    },
  ],
  'with key agreement instead of signatures': [
    'user alice',
    () => ({ leaf: client({ by: root, extensions: { keyUsage: 'critical,keyAgreement' } }), trusted: [root] }),
  ],
  'from another authority': ['certificate_untrusted', () => ({ leaf: client({ by: otherRoot }), trusted: [root] })],
  'from another authority of the same name': [
    'certificate_untrusted',
    () => ({ leaf: client({ by: authority({}, 'root') }), trusted: [root] }),
  ],
  'from another authority that the header brings along': [
    'certificate_untrusted',
    () => ({ leaf: client({ by: otherRoot }), with: [otherRoot], trusted: [root] }),
  ],
  'signed by itself': ['certificate_untrusted', () => ({ leaf: client({}), trusted: [root] })],
  'with the intermediate missing': ['certificate_untrusted', () => ({ leaf: alice, trusted: [root] })],
  'through an intermediate of the same name and another key': [
    'certificate_untrusted',
    () => ({ leaf: alice, with: [authority({ by: root })], trusted: [root] }),
  ],
  'through a client certificate': [
    'certificate_untrusted',
    () => {
      const mallory = pki.client('mallory', { by: root });
      return { leaf: client({ by: mallory }), with: [mallory], trusted: [root] };
    },
  ],
  'through an authority that is none': [
    'certificate_untrusted',
    () => {
      const none = authority({ by: root, extensions: { basicConstraints: 'critical,CA:FALSE', keyUsage: null } });
      return { leaf: client({ by: none }), with: [none], trusted: [root] };
    },
  ],
  'through an authority without basic constraints': [
    'certificate_untrusted',
    () => {
      const none = authority({ by: root, extensions: { basicConstraints: null } });
      return { leaf: client({ by: none }), with: [none], trusted: [root] };
    },
  ],
  'longer than the path length of an intermediate allows': [
    'certificate_untrusted',
    () => {
      const last = authority({ by: root, extensions: { basicConstraints: 'critical,CA:TRUE,pathlen:0' } }, 'last');
      const beyond = authority({ by: last }, 'beyond');
      return { leaf: client({ by: beyond }), with: [beyond, last], trusted: [root] };
    },
  ],
  'as long as the path length of the root allows': [
    'user alice',
    () => {
      const short = pki.authority('short', { extensions: { basicConstraints: 'critical,CA:TRUE,pathlen:1' } });
      const below = authority({ by: short });
      return { leaf: client({ by: below }), with: [below], trusted: [short] };
    },
  ],
  'longer than the path length of the root allows': [
    'certificate_untrusted',
    () => {
      const short = pki.authority('short', { extensions: { basicConstraints: 'critical,CA:TRUE,pathlen:0' } });
      const below = authority({ by: short });
      return { leaf: client({ by: below }), with: [below], trusted: [short] };
    },
  ],
  'with an expired certificate': [
    'certificate_expired',
    () => ({ leaf: client({ by: root, validity: past() }), trusted: [root] }),
  ],
  'with an expired intermediate': [
    'certificate_expired',
    () => {
      const old = authority({ by: root, validity: past() });
      return { leaf: client({ by: old }), with: [old], trusted: [root] };
    },
  ],
  'with an expired root': [
    'certificate_expired',
    () => {
      const old = pki.authority('old root', { validity: past() });
      return { leaf: client({ by: old }), trusted: [old] };
    },
  ],
  'with a certificate of the future': [
    'certificate_not_yet_valid',
    () => ({ leaf: client({ by: root, validity: future() }), trusted: [root] }),
  ],
  'with a certificate for servers': [
    'certificate_wrong_usage',
    () => ({ leaf: pki.server('alice', { by: root }), trusted: [root] }),
  ],
  'with a certificate whose key is for encryption': [
    'certificate_wrong_usage',
    () => ({ leaf: client({ by: root, extensions: { keyUsage: 'critical,keyEncipherment' } }), trusted: [root] }),
  ],
  'through an authority for servers': [
    'certificate_wrong_usage',
    () => {
      const servers = authority({ by: root, extensions: { extendedKeyUsage: 'serverAuth' } });
      return { leaf: client({ by: servers }), with: [servers], trusted: [root] };
    },
  ],
  'through an authority whose key signs no certificates': [
    'certificate_wrong_usage',
    () => {
      const revoking = authority({ by: root, extensions: { keyUsage: 'critical,cRLSign' } });
      return { leaf: client({ by: revoking }), with: [revoking], trusted: [root] };
    },
  ],
  'with a short key': ['certificate_weak', () => ({ leaf: client({ by: root, key: 'rsa-1024' }), trusted: [root] })],
  'with a short key above it': [
    'certificate_weak',
    () => {
      const short = authority({ by: root, key: 'rsa-1024' });
      return { leaf: client({ by: short }), with: [short], trusted: [root] };
    },
  ],
  'with a short key at the root': [
    'certificate_weak',
    () => {
      const short = pki.authority('short', { key: 'rsa-1024' });
      return { leaf: client({ by: short }), trusted: [short] };
    },
  ],
  'with a signature of SHA-1': [
    'certificate_weak',
    () => ({ leaf: client({ by: root, digest: 'sha1' }), trusted: [root] }),
  ],
  'with a signature of SHA-1 above it': [
    'certificate_weak',
    () => {
      const weak = authority({ by: root, digest: 'sha1' });
      return { leaf: client({ by: weak }), with: [weak], trusted: [root] };
    },
  ],
  'to a root that signed itself with SHA-1': [
    'user alice',
    () => {
      const old = pki.authority('old', { digest: 'sha1' });
      return { leaf: client({ by: old }), trusted: [old] };
    },
  ],
  'with an unknown critical extension': [
    'certificate_unsupported',
    () => ({ leaf: client({ by: root, extensions: { '1.2.3.4.5': 'critical,DER:05:00' } }), trusted: [root] }),
  ],
  'with an unknown extension that is not critical': [
    'user alice',
    () => ({ leaf: client({ by: root, extensions: { '1.2.3.4.5': 'DER:05:00' } }), trusted: [root] }),
  ],
  'through an authority limited to other names': [
    'certificate_unsupported',
    () => {
      const limited = authority({ by: root, extensions: { nameConstraints: 'critical,permitted;DNS:.example' } });
      return { leaf: client({ by: limited, names: ['DNS:a.test'] }), with: [limited], trusted: [root] };
    },
  ],
};

describe('a chain', () => {
  it.each(Object.entries(chains))('%s', (_case, [expected, make]) => {
    const shown = make();
    expect(verdictOf(shown)).toBe(expected);
    expect(opensslTakes(shown)).toBe(expected.startsWith('user '));
  });

  it('is refused for any name constraint, even ones that openssl accepts', () => {
    const limited = authority({ by: root, extensions: { nameConstraints: 'critical,permitted;DNS:.example' } });
    const shown = { leaf: client({ by: limited, names: ['DNS:a.example'] }), with: [limited], trusted: [root] };
    expect(verdictOf(shown)).toBe('certificate_unsupported');
    expect(opensslTakes(shown)).toBe(true);
  });

  it('is refused without the authority that left the file', () => {
    const shown = { leaf: alice, with: [issuing] };
    expect(verdictOf({ ...shown, trusted: [root, otherRoot] })).toBe('user alice');
    expect(verdictOf({ ...shown, trusted: [otherRoot] })).toBe('certificate_untrusted');
  });

  it('is unnecessary for a directly trusted certificate', () => {
    const pinned = client({});
    expect(verdictOf({ leaf: pinned, trusted: [pinned] })).toBe('user alice');
    expect(verdictOf({ leaf: client({}), trusted: [pinned] })).toBe('certificate_untrusted');
  });
});

describe('without authorities', () => {
  it.each<[string, () => OpensslCertificate, string]>([
    ['anybody’s certificate that is in order', () => client({}), 'user alice'],
    ['expired', () => client({ validity: past() }), 'certificate_expired'],
    ['of the future', () => client({ validity: future() }), 'certificate_not_yet_valid'],
    ['for servers', () => pki.server('alice'), 'certificate_wrong_usage'],
    ['with a short key', () => client({ key: 'rsa-1024' }), 'certificate_weak'],
    ['signed with SHA-1', () => client({ by: root, digest: 'sha1' }), 'certificate_weak'],
    [
      'with an unknown critical extension',
      () => client({ extensions: { '1.2.3.4': 'critical,DER:05:00' } }),
      'certificate_unsupported',
    ],
  ])('only the certificate is checked: %s', (_case, make, expected) => {
    const leaf = make();
    expect(inShort(checkCertificates(mtlsCheck({ authorities: null }), leaf, issuing))).toBe(expected);
  });
});

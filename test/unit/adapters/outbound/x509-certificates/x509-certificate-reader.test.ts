import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { X509CertificateReader } from '../../../../../src/adapters/outbound/x509-certificates/x509-certificate-reader.js';
import type { ReadCertificate } from '../../../../../src/application/ports/shared/certificate-reader.js';
import { formatDistinguishedName } from '../../../../../src/domain/agent/client-certificates/distinguished-name.js';
import type { Certificate } from '../../../../../src/domain/shared/certificate.js';
import {
  type CertificatePlan,
  type OpensslCertificate,
  OpensslCertificates,
} from '../../../../support/shared/openssl-certificates.js';

const reader = new X509CertificateReader();

const readOf = (der: Uint8Array): ReadCertificate => {
  const read = reader.read(der);
  if (!read.ok) throw new Error(read.error);
  return read.value;
};

const certificateOf = ({ der }: OpensslCertificate): Certificate => readOf(der).certificate;

let pki: OpensslCertificates;
let root: OpensslCertificate;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root');
});
afterAll(() => pki.remove());

const client = (plan: CertificatePlan = {}): OpensslCertificate => pki.client('client', { by: root, ...plan });

/** What the program says of a certificate. */
const openssl = ({ certificateFile }: OpensslCertificate, ...wanted: readonly string[]): string =>
  pki.openssl('x509', '-in', certificateFile, '-noout', ...wanted);

/** A name as the program writes it by RFC 2253. */
const opensslName = (made: OpensslCertificate, which: 'subject' | 'issuer'): string =>
  openssl(made, `-${which}`, '-nameopt', 'RFC2253,-esc_msb,utf8')
    .slice(which.length + 1)
    .replace(/\n$/, '');

const opensslTime = (made: OpensslCertificate, which: 'startdate' | 'enddate'): number =>
  Date.parse(openssl(made, `-${which}`).split('=')[1] as string);

describe('a client certificate', () => {
  it('is read as openssl reads it', () => {
    const made = client({
      subject: '/C=DE/O=Exämple, Inc./OU=a/OU=b/CN=Zoë #1/emailAddress=zoe@example.com/serialNumber=7',
      names: [
        'DNS:api.example',
        'DNS:*.w.example',
        'email:zoe@example.com',
        'URI:spiffe://a/b',
        'IP:10.0.0.1',
        'IP:2001:db8::1',
      ],
    });
    const read = certificateOf(made);
    expect(formatDistinguishedName(read.subject)).toBe(opensslName(made, 'subject'));
    expect(formatDistinguishedName(read.issuer)).toBe(opensslName(made, 'issuer'));
    expect(read.notBeforeMs).toBe(opensslTime(made, 'startdate'));
    expect(read.notAfterMs).toBe(opensslTime(made, 'enddate'));
    const fingerprint = openssl(made, '-fingerprint', '-sha256')
      .split('=')[1]
      ?.trim()
      .replaceAll(':', '')
      .toLowerCase();
    expect(read.fingerprint).toBe(fingerprint);
    expect(read.subjectAltNames).toEqual([
      { kind: 'dns', value: 'api.example' },
      { kind: 'dns', value: '*.w.example' },
      { kind: 'email', value: 'zoe@example.com' },
      { kind: 'uri', value: 'spiffe://a/b' },
      { kind: 'ip', value: '10.0.0.1' },
      { kind: 'ip', value: '2001:db8::1' },
    ]);
    expect(formatDistinguishedName(read.subject)).toContain('O=Exämple\\, Inc.');
    expect(read).toMatchObject({
      isAuthority: false,
      pathLength: null,
      keyUsage: ['digital_signature'],
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'],
      unknownCritical: [],
      isConstrained: false,
      weakKey: null,
      weakSignature: null,
      authorityKeyId: certificateOf(root).subjectKeyId,
    });
    expect(openssl(made, '-ext', 'subjectKeyIdentifier').toLowerCase().replaceAll(':', '')).toContain(
      read.subjectKeyId,
    );
  });

  it('may have years from 1950 to 9999', () => {
    const made = client({ validity: [Date.UTC(1970, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59)] });
    expect(certificateOf(made)).toMatchObject({ notBeforeMs: 0, notAfterMs: Date.UTC(9999, 11, 31, 23, 59, 59) });
    const century = client({ validity: [Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1)] });
    expect(certificateOf(century)).toMatchObject({
      notBeforeMs: Date.UTC(2049, 11, 31, 23, 59, 59),
      notAfterMs: Date.UTC(2050, 0, 1),
    });
  });

  it('may be without extensions and without a name', () => {
    const none = { basicConstraints: null, keyUsage: null, extendedKeyUsage: null };
    const identifiers = { subjectKeyIdentifier: null, authorityKeyIdentifier: null };
    expect(certificateOf(client({ subject: '/', extensions: { ...none, ...identifiers } }))).toMatchObject({
      subject: [],
      isAuthority: false,
      keyUsage: null,
      extendedKeyUsage: null,
      subjectAltNames: [],
      subjectKeyId: null,
      authorityKeyId: null,
    });
  });

  it('keeps several attributes of one relative name together', () => {
    const { subject } = certificateOf(client({ subject: '/O=a/OU=b+CN=c' }));
    expect(subject.map((relative) => relative.map(({ type, value }) => [type, value]))).toEqual([
      [['2.5.4.10', 'a']],
      [
        ['2.5.4.3', 'c'],
        ['2.5.4.11', 'b'],
      ],
    ]);
  });

  it.each([
    ['UTF8String', 'MASK:0x2000', 'Zoë 中'],
    ['BMPString', 'MASK:0x800', 'Zoë 中'],
    ['UniversalString', 'MASK:0x100', 'Zoë 𝄞'],
    ['PrintableString', 'MASK:0x2', 'Zoe'],
    ['TeletexString of ASCII', 'MASK:0x4', 'Zoe_1'],
  ])('has the text of a %s', (_type, stringMask, commonName) => {
    const { subject } = certificateOf(client({ stringMask, subject: `/CN=${commonName}` }));
    expect(subject).toEqual([[{ type: '2.5.4.3', isText: true, value: commonName }]]);
  });

  it('has no text where the characters of a TeletexString are not certain', () => {
    const { subject } = certificateOf(client({ stringMask: 'MASK:0x4', subject: '/CN=Zoë' }));
    expect(subject).toEqual([[{ type: '2.5.4.3', isText: false, value: '14035a6feb' }]]);
  });

  it('leaves out names of other kinds', () => {
    const names = ['otherName:1.2.3.4;UTF8:x', 'RID:1.2.3.4', 'DNS:a.example'];
    expect(certificateOf(client({ names })).subjectAltNames).toEqual([{ kind: 'dns', value: 'a.example' }]);
  });

  it.each<[string, Certificate['keyUsage']]>([
    ['digitalSignature', ['digital_signature']],
    ['keyAgreement', ['key_agreement']],
    ['keyAgreement,decipherOnly', ['key_agreement', 'other']],
    ['nonRepudiation', ['other']],
    ['keyEncipherment,dataEncipherment,cRLSign,encipherOnly', ['list_signing', 'other']],
    ['digitalSignature,keyCertSign', ['digital_signature', 'certificate_signing']],
    ['DER:03:02:07:00', []],
  ])('has the key usage %s', (keyUsage, expected) => {
    expect(certificateOf(client({ extensions: { keyUsage } })).keyUsage).toEqual(expected);
  });

  it('has its extended key usages in their order', () => {
    const extendedKeyUsage = 'serverAuth,1.2.840.99999.7,clientAuth,anyExtendedKeyUsage';
    expect(certificateOf(client({ extensions: { extendedKeyUsage } })).extendedKeyUsage).toEqual([
      '1.3.6.1.5.5.7.3.1',
      '1.2.840.99999.7',
      '1.3.6.1.5.5.7.3.2',
      '2.5.29.37.0',
    ]);
  });
});

describe('extensions', () => {
  it('tell of an authority and of its path length', () => {
    const of = (basicConstraints: string | null): Certificate =>
      certificateOf(pki.authority('a', { by: root, extensions: { basicConstraints } }));
    expect(of('critical,CA:TRUE')).toMatchObject({ isAuthority: true, pathLength: null });
    expect(of('CA:TRUE,pathlen:0')).toMatchObject({ isAuthority: true, pathLength: 0 });
    expect(of('CA:TRUE,pathlen:300')).toMatchObject({ isAuthority: true, pathLength: 300 });
    expect(of('DER:30:0D:01:01:FF:02:08:7F:FF:FF:FF:FF:FF:FF:FF').pathLength).toBeGreaterThan(2 ** 62);
    expect(of('CA:FALSE')).toMatchObject({ isAuthority: false, pathLength: null });
    expect(of(null)).toMatchObject({ isAuthority: false, pathLength: null });
  });

  it('that are critical and not understood are named', () => {
    const extensions = {
      '1.2.3.4.5': 'critical,DER:05:00',
      '1.2.3.4.6': 'DER:05:00',
      certificatePolicies: 'critical,1.2.3',
    };
    expect(certificateOf(client({ extensions })).unknownCritical).toEqual(['1.2.3.4.5']);
  });

  it.each([
    ['nameConstraints', 'critical,permitted;DNS:.example'],
    ['nameConstraints', 'excluded;email:.example'],
    ['policyConstraints', 'requireExplicitPolicy:0'],
    ['inhibitAnyPolicy', '0'],
  ])('constrain: %s', (name, value) => {
    expect(certificateOf(pki.authority('a', { extensions: { [name]: value } })).isConstrained).toBe(true);
  });

  it.each([
    ['a basicConstraints that is none', { basicConstraints: 'DER:05:00' }],
    ['a negative path length', { basicConstraints: 'critical,DER:30:06:01:01:FF:02:01:FF' }],
    ['a value behind a path length', { basicConstraints: 'DER:30:08:01:01:FF:02:01:00:05:00', keyUsage: null }],
    ['a boolean of another octet', { basicConstraints: 'critical,DER:30:03:01:01:01' }],
    ['a keyUsage that is no bit string', { keyUsage: 'DER:04:01:80' }],
    ['octets behind a keyUsage', { keyUsage: 'DER:03:02:07:80:00' }],
    ['an indefinite length', { extendedKeyUsage: 'DER:30:80:06:08:2B:06:01:05:05:07:03:02:00:00' }],
    ['a length that is longer than it has to be', { extendedKeyUsage: 'DER:30:81:0A:06:08:2B:06:01:05:05:07:03:02' }],
    [
      'an object identifier with a zero before a number',
      { extendedKeyUsage: 'DER:30:0B:06:09:2B:06:01:05:05:07:03:80:02' },
    ],
    ['an object identifier that does not end', { extendedKeyUsage: 'DER:30:0A:06:08:2B:06:01:05:05:07:03:82' }],
    ['an IP address of five octets', { subjectAltName: 'DER:30:07:87:05:0A:00:00:01:00' }],
    ['alternative names that are none', { subjectAltName: 'DER:04:00' }],
  ])('that are malformed make the certificate unreadable: %s', (_case, extensions) => {
    expect(reader.read(client({ extensions }).der).ok).toBe(false);
  });

  it('keep what no name may have visible', () => {
    const subjectAltName = 'DER:30:0D:82:05:61:00:62:2E:63:82:04:E4:2E:63:64';
    expect(certificateOf(client({ extensions: { subjectAltName } })).subjectAltNames).toEqual([
      { kind: 'dns', value: 'a\0b.c' },
      { kind: 'dns', value: 'ä.cd' },
    ]);
  });
});

describe('weakness', () => {
  it.each([
    ['P-256', null],
    ['P-384', null],
    ['P-521', null],
    ['ed25519', null],
    ['ed448', null],
    ['rsa-2048', null],
    ['rsa-1024', 'has an RSA key of 1024 bits; at least 2048 are required'],
    ['secp224r1', 'has a key on the unsupported curve secp224r1; use P-256, P-384 or P-521'],
    ['secp256k1', 'has a key on the unsupported curve secp256k1; use P-256, P-384 or P-521'],
  ] as const)('of the key %s', (key, expected) => {
    expect(certificateOf(client({ key })).weakKey).toBe(expected);
  });

  it('of a curve with a generator of its own, on which anybody could sign', () => {
    const { der } = client({ key: 'P-256-explicit' });
    expect(readOf(der).certificate.weakKey).toBe(null);
    const generator = der.indexOf('046b17d1f2e12c42', 0, 'hex');
    const point = der.indexOf('034200', generator, 'hex') + 3;
    const forged = Buffer.from(der);
    der.copy(forged, generator, point, point + 65);
    expect(readOf(forged).certificate.weakKey).toBe(
      'has a key on the unsupported curve UNDEF; use P-256, P-384 or P-521',
    );
  });

  it.each([
    ['sha256', null],
    ['sha384', null],
    ['sha1', 'is signed with SHA-1'],
  ] as const)('of the digest %s', (digest, expected) => {
    expect(certificateOf(client({ digest })).weakSignature).toBe(expected);
  });

  it.each([
    ['md5', 'is signed with MD5'],
    ['sha1', 'is signed with SHA-1'],
    ['sha256', null],
  ] as const)('of RSA with %s', (digest, expected) => {
    const by = pki.authority('rsa', { key: 'rsa-2048' });
    expect(certificateOf(client({ by, digest })).weakSignature).toBe(expected);
  });

  it('of RSASSA-PSS by its digest', () => {
    const by = pki.authority('rsa', { key: 'rsa-2048' });
    const pss = 'is signed with RSASSA-PSS and an unsupported digest; use SHA-256, SHA-384 or SHA-512';
    expect(certificateOf(client({ by, pss: true })).weakSignature).toBe(null);
    expect(certificateOf(client({ by, pss: true, digest: 'sha1' })).weakSignature).toBe(pss);
  });
});

describe('signatures', () => {
  it('are by the key of the issuer, whatever names say', () => {
    const impostor = readOf(pki.authority('root').der);
    for (const key of ['P-256', 'P-521', 'rsa-2048', 'ed25519', 'ed448'] as const) {
      const issuer = pki.authority('root', { key });
      const signed = readOf(client({ by: issuer }).der);
      expect(signed.isSignedBy(readOf(issuer.der)), key).toBe(true);
      expect(signed.isSignedBy(impostor), key).toBe(false);
      expect(signed.isSignedBy(signed), key).toBe(false);
    }
  });

  it('do not survive a bit that has changed anywhere in what is signed', () => {
    const { der } = client();
    const issuer = readOf(root.der);
    expect(readOf(der).isSignedBy(issuer)).toBe(true);
    let readable = 0;
    for (let index = 0; index < der.length; index += 1) {
      const changed = Uint8Array.from(der);
      changed[index] = (changed[index] as number) ^ 1;
      const read = reader.read(changed);
      if (!read.ok) continue;
      readable += 1;
      expect(read.value.isSignedBy(issuer), String(index)).toBe(false);
    }
    expect(readable).toBeGreaterThan(100);
  });

  it('are not checked with a key whose exponent makes that take long', () => {
    const key = pki.openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_pubexp:4294967311');
    const slow = pki.authority('slow', { keyOf: { ...root, key } });
    const signed = client({ by: slow });
    expect(pki.openssl('verify', '-CAfile', slow.certificateFile, signed.certificateFile)).toMatch(/OK/);
    expect(readOf(signed.der).isSignedBy(readOf(slow.der))).toBe(false);
    expect(certificateOf(slow).weakKey).toBe('has an RSA key with an even, too small or too large exponent');
  });

  it('are not checked with the key of something else', () => {
    const signed = readOf(client().der);
    const { certificate } = readOf(root.der);
    expect(signed.isSignedBy({ certificate, isSignedBy: () => true, hasSigned: () => true })).toBe(false);
  });
});

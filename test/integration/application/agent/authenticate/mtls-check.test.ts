import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authoritiesOf,
  certificateRules,
  checkCertificates,
  checkHeader,
  inShort,
  mtlsCheck,
} from '../../../../support/agent/mtls-checks.js';
import {
  base64Der,
  byteSequence,
  formEncodedPem,
  pemOf,
  urlEncodedPem,
  xfccOf,
} from '../../../../support/shared/certificate-headers.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

let pki: OpensslCertificates;
let root: OpensslCertificate;
let issuing: OpensslCertificate;
let alice: OpensslCertificate;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root');
  issuing = pki.authority('issuing', { by: root });
  alice = pki.client('alice', {
    by: issuing,
    subject: '/C=DE/O=Example, Inc./OU=Sales/CN=alice',
    names: ['DNS:alice.clients.example', 'email:Alice@Example.com', 'URI:spiffe://example/alice', 'IP:10.1.2.3'],
  });
});
afterAll(() => pki.remove());

const checkAll = () => mtlsCheck({ authorities: authoritiesOf(root) });

describe('the identity', () => {
  it('is the common name, with the distinguished name', () => {
    const outcome = checkCertificates(checkAll(), alice, issuing);
    expect(outcome).toMatchObject({
      kind: 'authenticated',
      prepared: {
        identity: {
          method: 'mtls',
          userId: 'alice',
          claims: null,
          certificate: { commonName: 'alice', distinguishedName: 'CN=alice,OU=Sales,O=Example\\, Inc.,C=DE' },
        },
      },
    });
  });

  it('is the e-mail address if configured', () => {
    const rules = { ...certificateRules(), extractEmail: true };
    const check = mtlsCheck({ authorities: authoritiesOf(root), rules });
    expect(inShort(checkCertificates(check, alice, issuing))).toBe('user Alice@Example.com');
    const nameless = pki.client('bob', { by: root });
    expect(inShort(checkCertificates(check, nameless))).toBe('certificate_unusable_subject');
  });

  it('is absent without a certificate', () => {
    const outcome = checkAll().check({ authorization: null, apiKey: 'k', certificate: null, sessionCookies: [] });
    expect(inShort(outcome)).toBe('absent');
  });

  it('is absent for an empty header, unless it has a chain', () => {
    expect(inShort(checkHeader(checkAll(), ''))).toBe('absent');
    expect(inShort(checkHeader(checkAll(), '(null)'))).toBe('absent');
    expect(inShort(checkHeader(checkAll(), '', byteSequence(issuing.der)))).toBe('certificate_malformed');
  });

  it.each([
    ['no common name', '/O=Example'],
    ['two common names', '/CN=alice/CN=admin'],
    ['spaces around it', '/CN= alice'],
  ])('is not guessed: %s', (_case, subject) => {
    const leaf = pki.client('x', { by: root, subject });
    expect(inShort(checkCertificates(checkAll(), leaf))).toBe('certificate_unusable_subject');
  });
});

describe('allow lists', () => {
  const verdict = (names: readonly string[], sans: readonly string[]): string =>
    inShort(
      checkCertificates(
        mtlsCheck({ authorities: authoritiesOf(root), rules: certificateRules(names, sans) }),
        alice,
        issuing,
      ),
    );

  it.each([
    'CN=alice,OU=Sales,O=Example\\, Inc.,C=DE',
    'cn = ALICE , ou = sales, O = "Example,  Inc." , c=de',
    '2.5.4.3=alice,2.5.4.11=Sales,2.5.4.10=Example\\2C Inc.,2.5.4.6=DE',
  ])('match the subject semantically: %s', (name) => {
    expect(verdict(['CN=bob', name], [])).toBe('user alice');
  });

  it.each([
    'CN=alice',
    'C=DE,O=Example\\, Inc.,OU=Sales,CN=alice',
    'CN=alice,OU=Sales,O=Example,C=DE',
    'CN=alice+OU=Sales,O=Example\\, Inc.,C=DE',
  ])('do not match the subject: %s', (name) => {
    expect(verdict([name], [])).toBe('certificate_not_allowed');
  });

  it.each([
    'DNS:alice.clients.example',
    '*.clients.example',
    'ALICE.clients.example',
    'email:Alice@example.com',
    'spiffe://example/alice',
    'IP:10.1.2.3',
    '10.1.0.0/16',
  ])('match an alternative name: %s', (san) => {
    expect(verdict([], ['bob.example', san])).toBe('user alice');
  });

  it.each([
    '*.example',
    'alice.clients.example.org',
    'email:alice@Example.com',
    'email:alice.clients.example@x.example',
    'spiffe://example/Alice',
    'spiffe://example/alice/x',
    '10.1.2.4',
  ])('do not match an alternative name: %s', (san) => {
    expect(verdict([], [san])).toBe('certificate_not_allowed');
  });

  it('must match both', () => {
    const subject = 'CN=alice,OU=Sales,O=Example\\, Inc.,C=DE';
    expect(verdict([subject], ['IP:10.1.2.3'])).toBe('user alice');
    expect(verdict([subject], ['IP:10.1.2.4'])).toBe('certificate_not_allowed');
    expect(verdict(['CN=bob'], ['IP:10.1.2.3'])).toBe('certificate_not_allowed');
  });

  it('do not match a name with NUL', () => {
    // DNS:alice.clients.example, a NUL, and .evil
    const dns = Buffer.from('alice.clients.example\0.evil', 'latin1');
    const der = Buffer.concat([Buffer.of(0x30, dns.length + 2, 0x82, dns.length), dns]).toString('hex');
    const subjectAltName = `DER:${der.replaceAll(/..(?!$)/g, '$&:')}`;
    const leaf = pki.client('mallory', { by: root, extensions: { subjectAltName } });
    const check = (san: string) => mtlsCheck({ authorities: authoritiesOf(root), rules: certificateRules([], [san]) });
    expect(inShort(checkCertificates(check('alice.clients.example'), leaf))).toBe('certificate_not_allowed');
    expect(inShort(checkCertificates(check('*.clients.example'), leaf))).toBe('certificate_not_allowed');
  });
});

describe('a header', () => {
  it('is read in every encoding', () => {
    const check = checkAll();
    const ders = [alice.der, issuing.der];
    const hash = createHash('sha256').update(alice.der).digest('hex');
    const headers: readonly (readonly [value: string, chain: string | null])[] = [
      [urlEncodedPem(ders), null],
      [pemOf(ders, ' '), null],
      [pemOf(ders, '\t'), null],
      [pemOf(ders, ''), null],
      [formEncodedPem(ders), null],
      [ders.map(base64Der).join(','), null],
      [ders.map((der) => encodeURIComponent(base64Der(der))).join(','), null],
      [byteSequence(alice.der), byteSequence(issuing.der)],
      [byteSequence(alice.der), `${byteSequence(issuing.der)}, ${byteSequence(root.der)}`],
      [
        xfccOf([
          ['Hash', hash],
          ['Cert', urlEncodedPem([alice.der])],
          ['Chain', urlEncodedPem(ders)],
        ]),
        null,
      ],
    ];
    for (const [value, chain] of headers) expect(inShort(checkHeader(check, value, chain))).toBe('user alice');
  });

  it('is malformed with two joined base64 values', () => {
    const mallory = pki.client('mallory', { by: issuing });
    const check = mtlsCheck({ authorities: authoritiesOf(root, issuing) });
    const own = [mallory, issuing].map(({ der }) => base64Der(der)).join(',');
    expect(inShort(checkHeader(check, own))).toBe('user mallory');
    for (const separator of [',', ', ']) {
      expect(inShort(checkHeader(check, `${base64Der(alice.der)}${separator}${own}`))).toBe('certificate_malformed');
    }
  });

  it('may contain only the certificate if the authorities complete the chain', () => {
    const check = mtlsCheck({ authorities: authoritiesOf(root, issuing) });
    for (const value of [base64Der(alice.der), byteSequence(alice.der), pemOf([alice.der], ' ')]) {
      expect(inShort(checkHeader(check, value))).toBe('user alice');
    }
  });

  it('is malformed with the hash of another certificate', () => {
    const hash = createHash('sha256').update(issuing.der).digest('hex');
    const value = xfccOf([
      ['Hash', hash],
      ['Cert', urlEncodedPem([alice.der])],
    ]);
    const check = mtlsCheck({ authorities: authoritiesOf(root, issuing) });
    expect(inShort(checkHeader(check, value))).toBe('certificate_malformed');
  });

  it('names its first certificate as the client', () => {
    expect(inShort(checkCertificates(checkAll(), issuing, alice))).toBe('certificate_wrong_usage');
  });

  it.each<[string, () => string]>([
    ['words', () => 'alice'],
    ['a distinguished name', () => 'CN=alice,O=Example'],
    ['one that was cut off', () => base64Der(alice.der.subarray(0, -4))],
    ['one with a whole one missing its end', () => urlEncodedPem([alice.der]).slice(0, -20)],
    ['one with octets behind it', () => base64Der(Buffer.concat([alice.der, Buffer.alloc(3)]))],
    ['two in one', () => base64Der(Buffer.concat([alice.der, issuing.der]))],
    ['one whose intermediate was cut off', () => urlEncodedPem([alice.der, issuing.der.subarray(0, -1)])],
    ['a private key', () => encodeURIComponent(alice.key)],
    ['one with a private key behind it', () => encodeURIComponent(alice.certificate + alice.key)],
    ['encoded twice', () => encodeURIComponent(urlEncodedPem([alice.der]))],
    ['nine certificates', () => urlEncodedPem(new Array<Buffer>(9).fill(alice.der))],
    ['a megabyte of one character', () => 'A'.repeat(1024 * 1024)],
    ['a megabyte of certificates', () => pemOf(new Array<Buffer>(1200).fill(alice.der), ' ')],
    ['a megabyte of percent signs', () => '%'.repeat(1024 * 1024)],
  ])('is malformed: %s', (_case, value) => {
    for (const authorities of [authoritiesOf(root, issuing), null]) {
      expect(inShort(checkHeader(mtlsCheck({ authorities }), value()))).toBe('certificate_malformed');
    }
  });

  it('is malformed with a chain of a megabyte, without hashing it', () => {
    let digested = 0;
    const digest = { digest: () => `${++digested}`, equal: () => false, sha256Hex: () => '' };
    const check = mtlsCheck({ authorities: authoritiesOf(root), digest });
    const outcome = checkHeader(check, byteSequence(alice.der), `${byteSequence(issuing.der)},`.repeat(2000));
    expect(inShort(outcome)).toBe('certificate_malformed');
    expect(digested).toBe(0);
  });
});

describe('a forged certificate', () => {
  it('with the same names and another key is refused', () => {
    const forged = pki.client('alice', {
      by: pki.authority('issuing', { by: pki.authority('root') }),
      subject: '/C=DE/O=Example, Inc./OU=Sales/CN=alice',
      names: ['DNS:alice.clients.example'],
    });
    const check = checkAll();
    expect(inShort(checkCertificates(check, forged, issuing, root))).toBe('certificate_untrusted');
    expect(inShort(checkCertificates(check, forged, ...forged.intermediates))).toBe('certificate_untrusted');
  });

  it('with a replaced name is refused', () => {
    const changed = Buffer.from(alice.der);
    changed.write('admin', alice.der.indexOf('alice'), 'latin1');
    const check = checkAll();
    expect(inShort(checkHeader(check, urlEncodedPem([changed, issuing.der])))).toBe('certificate_untrusted');
  });

  it('with an embedded certificate is refused', () => {
    const pem = Buffer.from(`\n${alice.certificate}`);
    const length = [0x82, pem.length >> 8, pem.length & 0xff];
    const hidden = Buffer.concat([Buffer.of(0x04, ...length), pem])
      .toString('hex')
      .replaceAll(/..(?!$)/g, '$&:');
    const forged = pki.client('admin', {
      by: pki.authority('issuing'),
      extensions: { '1.2.3.4.7': `DER:${hidden}` },
    });
    expect(inShort(checkCertificates(checkAll(), forged, issuing))).toBe('certificate_malformed');
  });
});

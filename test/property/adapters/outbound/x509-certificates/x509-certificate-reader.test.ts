import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStrictDer } from '../../../../../src/adapters/outbound/x509-certificates/strict-der.js';
import { X509CertificateReader } from '../../../../../src/adapters/outbound/x509-certificates/x509-certificate-reader.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const reader = new X509CertificateReader();

let pki: OpensslCertificates;
let root: OpensslCertificate;
let leaf: OpensslCertificate;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root');
  const names = ['DNS:a.example', 'email:a@b.example', 'IP:10.0.0.1'];
  leaf = pki.client('client', { by: root, subject: '/O=Exämple/OU=a+CN=b', names });
});
afterAll(() => pki.remove());

/** A value of one octet of tag with what is inside it, in DER. */
const encoded = (tag: number, contents: Uint8Array): Buffer => {
  const { length } = contents;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...header), contents]);
};

const { value } = fc.letrec<{ value: Buffer; leaf: Buffer; tree: Buffer }>((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, tie('leaf'), tie('tree')),
  leaf: fc
    .tuple(fc.constantFrom(0x02, 0x03, 0x04, 0x0c, 0x13, 0x17, 0x1e, 0x80, 0x82), fc.uint8Array({ maxLength: 300 }))
    .map(([tag, contents]) => encoded(tag, contents)),
  tree: fc
    .tuple(fc.constantFrom(0x30, 0x31, 0xa0, 0xa3), fc.array(tie('value'), { maxLength: 4 }))
    .map(([tag, items]) => encoded(tag, Buffer.concat(items))),
}));

describe('the reader', () => {
  it('never throws, whatever octets it gets', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), value), (octets) => {
        expect(reader.read(octets).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('never throws, whatever text it gets', () => {
    const pieces = fc.constantFrom(
      '-----BEGIN ',
      'CERTIFICATE',
      '-----',
      '-----END ',
      '\n',
      'MIIB',
      'PRIVATE KEY',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 }), (texts) => {
        expect(reader.readPem(texts.join('')).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('believes no certificate in which octets were replaced', () => {
    const issuer = reader.read(root.der);
    fc.assert(
      fc.property(fc.nat(leaf.der.length - 1), fc.uint8Array({ minLength: 1, maxLength: 6 }), (index, octets) => {
        const changed = Buffer.from(leaf.der);
        changed.set(octets.subarray(0, changed.length - index), index);
        fc.pre(!changed.equals(leaf.der));
        const read = reader.read(changed);
        if (!read.ok || !issuer.ok) return;
        expect(read.value.isSignedBy(issuer.value)).toBe(false);
        expect(read.value.certificate.fingerprint).toBe(createHash('sha256').update(changed).digest('hex'));
      }),
      { numRuns: 500 },
    );
  });
});

describe('strict DER', () => {
  it('is every tree of values with the shortest lengths', () => {
    fc.assert(
      fc.property(value, (der) => {
        expect(isStrictDer(der)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is none that was cut off, or goes on, or has a longer length than it needs', () => {
    fc.assert(
      fc.property(value, fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat(), (der, more, cut) => {
        expect(isStrictDer(der.subarray(0, cut % der.length))).toBe(false);
        expect(isStrictDer(Buffer.concat([der, more]))).toBe(false);
        const first = der[1] as number;
        const longer = first < 0x80 ? [0x81, first] : [first + 1, 0];
        expect(isStrictDer(Buffer.concat([Buffer.of(der[0] as number, ...longer), der.subarray(2)]))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

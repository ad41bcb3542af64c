import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { X509CertificateReader } from '../../../../../src/adapters/outbound/x509-certificates/x509-certificate-reader.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const reader = new X509CertificateReader();

const errorOf = (octets: Uint8Array): string | null => {
  const read = reader.read(octets);
  return read.ok ? null : read.error;
};

const notOneValue = 'is not exactly one DER value';

let pki: OpensslCertificates;
let root: OpensslCertificate;
let leaf: OpensslCertificate;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root');
  leaf = pki.client('client', { by: root, names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

/** One value in DER around some octets. */
const wrapped = (tag: number, contents: Uint8Array): Buffer => {
  const length = contents.length;
  const header = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), contents]);
};

describe('octets that are no certificate', () => {
  it('are refused: any beginning of one', () => {
    for (let length = 0; length < leaf.der.length; length += 1) {
      expect(errorOf(leaf.der.subarray(0, length)), String(length)).toBe(notOneValue);
    }
  });

  it('are refused: one with anything behind it', () => {
    for (const trail of [Buffer.of(0), Buffer.of(0x0a), Buffer.of(0x05, 0x00), leaf.der, Buffer.from('-----')]) {
      expect(errorOf(Buffer.concat([leaf.der, trail]))).toBe(notOneValue);
    }
  });

  it('are refused: the PEM of one', () => {
    expect(errorOf(Buffer.from(leaf.certificate))).toBe(notOneValue);
  });

  it('are refused: one with a longer length than needed, or an indefinite one', () => {
    const contents = leaf.der.subarray(4);
    const length = leaf.der.subarray(2, 4);
    expect(errorOf(Buffer.concat([Buffer.of(0x30, 0x83, 0), length, contents]))).toBe(notOneValue);
    expect(errorOf(Buffer.concat([Buffer.of(0x30, 0x80), contents, Buffer.of(0, 0)]))).toBe(notOneValue);
  });

  it('are refused: other values', () => {
    expect(errorOf(wrapped(0x30, Buffer.alloc(0)))).toBe('is not a readable certificate');
    expect(errorOf(wrapped(0x04, leaf.der))).toBe('is not a readable certificate');
    expect(errorOf(wrapped(0x30, leaf.der))).toBe('is not a readable certificate');
    expect(errorOf(wrapped(0x31, leaf.der.subarray(4)))).toBe('is not a readable certificate');
  });

  it('are refused: values within values, however deep', () => {
    let nested: Buffer = Buffer.alloc(0);
    while (nested.length < 16_000) nested = wrapped(0x30, nested);
    expect(errorOf(nested)).toBe(notOneValue);
  });

  it('are refused: more than a certificate ever has', () => {
    expect(errorOf(wrapped(0x30, Buffer.alloc(65_000, 0x05)))).not.toBe(null);
    expect(errorOf(Buffer.alloc(65_537))).toBe('is larger than 65536 octets');
  });
});

describe('a certificate', () => {
  it('is never the one whose PEM is inside it', () => {
    const pem = Buffer.from(`\n${leaf.certificate}`);
    const hidden = wrapped(0x04, pem)
      .toString('hex')
      .replaceAll(/..(?!$)/g, '$&:');
    const forged = pki.client('admin', { extensions: { '1.2.3.4.7': `DER:${hidden}` } });
    // Node finds the other one: its signature is good, and would vouch for these names.
    expect(new X509Certificate(forged.der).raw.equals(leaf.der)).toBe(true);
    expect(errorOf(forged.der)).toBe('is ambiguous: two parsers disagree');
  });

  it('is refused where an extension occurs twice', () => {
    const { der } = pki.client('client', { extensions: { '1.2.3.4': 'DER:05:00', '1.2.3.5': 'DER:05:00' } });
    expect(errorOf(der)).toBe(null);
    const twice = Buffer.from(der);
    twice[der.indexOf('06032a0305', 0, 'hex') + 4] = 4;
    expect(errorOf(twice)).toBe('is not a readable certificate');
  });
});

describe('a PEM text', () => {
  const countOf = (text: string): number | string => {
    const read = reader.readPem(text);
    return read.ok ? read.value.length : read.error;
  };

  it('gives every certificate in it, whatever stands between them', () => {
    const crlf = leaf.certificate.replaceAll('\n', '\r\n');
    expect(countOf(root.certificate)).toBe(1);
    expect(countOf(`# Our root\n${root.certificate}\nsubject=CN = client\n${crlf}end`)).toBe(2);
    const read = reader.readPem(root.certificate + leaf.certificate);
    expect(read.ok && read.value.map(({ certificate }) => certificate.subject[0]?.[0]?.value)).toEqual([
      'root',
      'client',
    ]);
  });

  it('has to have one at least', () => {
    for (const text of ['', 'x', 'CERTIFICATE', '----- BEGIN']) {
      expect(countOf(text)).toBe('holds no PEM certificate');
    }
  });

  it('must not have a private key', () => {
    expect(countOf(root.certificate + root.key)).toBe('holds a private key; remove it from this file');
    const other = root.key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY');
    expect(countOf(other)).toBe('holds a private key; remove it from this file');
  });

  it('must not have anything else either', () => {
    const request = root.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST');
    expect(countOf(root.certificate + request)).toBe('holds a PEM block other than "CERTIFICATE"');
    expect(countOf(`${root.certificate}-----BEGIN `)).toBe('holds a PEM block other than "CERTIFICATE"');
  });

  it('names the one that is damaged', () => {
    const damaged = 'holds a damaged certificate: number 2';
    expect(countOf(root.certificate + leaf.certificate.slice(0, -30))).toBe(damaged);
    expect(countOf(root.certificate + leaf.certificate.replace('MII', '!!!'))).toBe(damaged);
    expect(countOf(`${root.certificate}-----BEGIN CERTIFICATE----------END CERTIFICATE-----`)).toBe(damaged);
    const cut = Buffer.from(leaf.der.subarray(0, -3)).toString('base64');
    expect(countOf(`${root.certificate}-----BEGIN CERTIFICATE-----\n${cut}\n-----END CERTIFICATE-----\n`)).toBe(
      'holds an unusable certificate: number 2 is not exactly one DER value',
    );
  });

  it('is bounded', () => {
    expect(countOf(' '.repeat(4 * 1024 * 1024 + 1))).toBe('has more than 4194304 characters');
    expect(countOf(root.certificate.repeat(1001))).toBe('holds more than 1000 certificates');
    const marks = '-----BEGIN CERTIFICATE-----'.repeat(100_000);
    expect(countOf(marks)).toBe('holds a damaged certificate: number 1');
  });
});

import { createHook } from 'node:async_hooks';
import { createPublicKey, generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { NodeSamlKeys } from '../../../../../src/adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { ecSamlKey, rsaSamlKey, type SamlKey, spKey, strangerKey } from '../../../../support/agent/saml-keys.js';
import { signatureUris } from '../../../../support/agent/saml-signatures.js';
import { certificatePem, selfSignedCertificate } from '../../../../support/agent/self-signed-certificate.js';

const keys = new NodeSamlKeys();

const read = ({ privatePem, certificatePem: pem }: SamlKey) => {
  const key = keys.readServiceProviderKey(privatePem, pem);
  if (!key.ok) throw new Error(key.error);
  return key.value;
};

describe('a key of the service provider', () => {
  it('signs with RSA, and can decrypt', async () => {
    const key = read(spKey());
    const signature = Buffer.from(await key.sign('ä'), 'base64');
    expect(key.signatureAlgorithm).toBe(signatureUris.rsaSha256);
    expect(verify('sha256', Buffer.from('ä'), spKey().publicKey, signature)).toBe(true);
    expect(key.certificate).toBe(spKey().certificate);
    expect(createPublicKey(key.decryptionKey?.reveal() ?? '').equals(spKey().publicKey)).toBe(true);
  });

  it('signs with ECDSA as r and s, and cannot decrypt', async () => {
    for (const [curve, octets] of [
      ['P-256', 64],
      ['P-384', 96],
      ['P-521', 132],
    ] as const) {
      const own = ecSamlKey('sp', curve);
      const key = read(own);
      const signature = Buffer.from(await key.sign('a'), 'base64');
      expect(key.signatureAlgorithm).toBe(signatureUris.ecdsaSha256);
      expect(signature).toHaveLength(octets);
      const verifying = { key: own.publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', Buffer.from('a'), verifying, signature)).toBe(true);
      expect(key.decryptionKey).toBeNull();
    }
  });

  it('signs on the thread pool', async () => {
    const key = read(spKey());
    const jobs: string[] = [];
    // Node has an asynchronous resource of this type for signatures of the pool, and none for others.
    const hook = createHook({ init: (_, type) => void jobs.push(type) }).enable();
    const signature = key.sign('a');
    hook.disable();
    expect(jobs).toContain('SIGNREQUEST');
    await signature;
  });

  it('hides its secret in printed output', () => {
    expect(JSON.stringify(read(spKey()))).not.toContain('PRIVATE KEY');
  });

  const good = spKey();
  const ed = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const locked = good.privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString();
  const weak = rsaSamlKey('weak', 1024);
  const refused: Readonly<Record<string, readonly [key: string, certificate: string, error: RegExp]>> = {
    'no PEM': ['x', good.certificatePem, /^has no unencrypted PEM private key/],
    'a certificate': [good.certificatePem, good.certificatePem, /^has no unencrypted PEM private key/],
    'under a password': [locked, good.certificatePem, /^has no unencrypted PEM private key/],
    'too weak': [weak.privatePem, weak.certificatePem, /^has an RSA key of 1024 bits/],
    'of another type': [ed, good.certificatePem, /^has a key of the unsupported type ed25519/],
    'of another curve': [ecSamlKey('c', 'secp256k1').privatePem, good.certificatePem, /curve/],
    'without a certificate': [good.privatePem, '', /^its certificate file has no PEM certificate/],
    'with a certificate of another key': [
      good.privatePem,
      strangerKey().certificatePem,
      /^does not match the certificate/,
    ],
    'with two certificates': [good.privatePem, good.certificatePem + strangerKey().certificatePem, /several/],
  };
  for (const [name, [key, certificate, error]] of Object.entries(refused)) {
    it(`is refused if it is ${name}`, () => {
      const result = keys.readServiceProviderKey(key, certificate);
      expect(result.ok ? '' : result.error).toMatch(error);
    });
  }
});

describe('certificates', () => {
  const [rsa, ec] = [spKey(), ecSamlKey()];

  it('are read from PEM, several of them, with text around', () => {
    const pem = `rolled over\n${rsa.certificatePem}\r\n${ec.certificatePem.replaceAll('\n', '\r\n')}`;
    const result = keys.readCertificates(pem);
    expect(result.ok && result.value.map(({ der }) => der)).toEqual([rsa.certificate, ec.certificate]);
    const notAfterMs = Date.parse(new X509Certificate(rsa.certificatePem).validTo);
    expect(result.ok && result.value[0]?.notAfterMs).toBe(notAfterMs);
  });

  it('are read from metadata with line breaks', () => {
    const folded = `\n${rsa.certificate.replaceAll(/.{64}/g, '$&\n  ')}\t`;
    expect(keys.readCertificate(folded)).toMatchObject({ ok: true, value: { der: rsa.certificate } });
  });

  it('have a subject and an end for metrics, unless they are unreadable', () => {
    const { subject, validTo } = new X509Certificate(rsa.certificatePem);
    const dates = { subject: subject.replaceAll('\n', ', '), expiryMs: Date.parse(validTo) };
    expect(keys.certificateDates(rsa.certificate)).toEqual(dates);
    for (const der of ['', 'AAAA', '!', rsa.certificate.slice(0, 400)]) expect(keys.certificateDates(der)).toBeNull();
  });

  it('are refused if missing, damaged or weak', () => {
    for (const [pem, error] of [
      ['', /^has no PEM certificate/],
      [rsa.privatePem, /other than "CERTIFICATE"/],
      [rsa.certificatePem + rsa.privatePem, /other than "CERTIFICATE"/],
      [rsa.certificatePem.replace('-----END', '*-----END'), /damaged certificate: number 1/],
      [rsa.certificatePem.slice(0, -40), /damaged certificate: number 1/],
      [certificatePem(Buffer.from('no certificate')), /number 1 is not a certificate/],
      [rsa.certificatePem + rsaSamlKey('w', 1024).certificatePem, /number 2 has an RSA key of 1024 bits/],
      [rsa.certificatePem.repeat(65), /more than 64/],
      ['x'.repeat(1024 * 1024 + 1), /characters/],
    ] as const) {
      const result = keys.readCertificates(pem);
      expect(result.ok ? '' : result.error).toMatch(error);
    }
  });

  it('are not read from PEM in DER, or with trailing octets', () => {
    expect(keys.readCertificate(Buffer.from(rsa.certificatePem).toString('base64')).ok).toBe(false);
    const der = Buffer.from(rsa.certificate, 'base64');
    expect(keys.readCertificate(Buffer.concat([der, Buffer.of(0)]).toString('base64')).ok).toBe(false);
    expect(keys.readCertificate('').ok).toBe(false);
    expect(keys.readCertificate('*').ok).toBe(false);
    const ed = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(keys.readCertificate(selfSignedCertificate(ed, 'a').toString('base64')).ok).toBe(true);
  });
});

it('deflates for HTTP-Redirect', () => {
  const deflated = keys.deflate('<a>ü</a>');
  expect(inflateRawSync(Buffer.from(deflated, 'base64')).toString('utf8')).toBe('<a>ü</a>');
});

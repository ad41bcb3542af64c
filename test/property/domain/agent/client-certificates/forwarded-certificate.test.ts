import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeForwardedCertificate,
  type ForwardedCertificate,
} from '../../../../../src/domain/agent/client-certificates/forwarded-certificate.js';
import {
  base64Der,
  byteSequence,
  formEncodedPem,
  pemOf,
  urlEncodedPem,
  xfccOf,
} from '../../../../support/shared/certificate-headers.js';

const der = fc.uint8Array({ minLength: 1, maxLength: 200 });
const ders = fc.array(der, { minLength: 1, maxLength: 8 });

const decoded = (value: string, chain: string | null = null): ForwardedCertificate | null => {
  const result = decodeForwardedCertificate({ value, chain });
  return result.ok ? result.value : null;
};

const expected = (
  [leaf, ...others]: readonly Uint8Array[],
  statedFingerprint: string | null = null,
  isChain = false,
) => ({
  leaf: Uint8Array.from(leaf ?? []),
  others: others.map((other) => Uint8Array.from(other)),
  statedFingerprint,
  isChain,
});

const pieces = [
  '-----BEGIN CERTIFICATE-----',
  '-----END CERTIFICATE-----',
  '-----BEGIN%20CERTIFICATE-----',
  '-----BEGIN+CERTIFICATE-----',
  '-----END+CERTIFICATE-----',
  '+',
  'Cert=',
  'Chain=',
  'Hash=',
  'Subject="',
  'MIIB',
  'AAAA',
  'AQ==',
  '%0A',
  '%',
  '%2D',
  '"',
  '\\',
  ';',
  ',',
  ':',
  '=',
  ' ',
  '\t',
  '\0',
  'é',
  '\ud800',
];

describe('decodeForwardedCertificate', () => {
  it('decodes a certificate in every encoding', () => {
    fc.assert(
      fc.property(ders, fc.constantFrom('\n', '\r\n', ' ', '\t', ''), (certificates, lineEnd) => {
        const [leaf = new Uint8Array(), ...others] = certificates;
        const chain = others.length === 0 ? null : others.map(byteSequence).join(', ');
        const all = expected(certificates);
        expect(decoded(urlEncodedPem(certificates))).toEqual(all);
        expect(decoded(encodeURIComponent(pemOf(certificates, lineEnd)))).toEqual(all);
        expect(decoded(pemOf(certificates, lineEnd))).toEqual(all);
        expect(decoded(byteSequence(leaf), chain)).toEqual(all);
        expect(decoded(base64Der(leaf))).toEqual(expected([leaf]));
        expect(decoded(formEncodedPem(certificates))).toEqual(all);
        const list = expected(certificates, null, certificates.length > 1);
        const bare = certificates.map(base64Der);
        expect(decoded(bare.join(','))).toEqual(list);
        expect(decoded(bare.map(encodeURIComponent).join(','))).toEqual(list);
        expect(decoded(encodeURIComponent(bare.join(',')))).toEqual(list);
      }),
      { numRuns: 150 },
    );
  });

  it('decodes XFCC for any client name', () => {
    // As Envoy does, a backslash or a quote of the subject comes with a backslash before it, from RFC 2253.
    const called = fc.string({ unit: fc.constantFrom('a', '"', ';', ',', '=', ' ', 'Cert=', 'é'), maxLength: 12 });
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((octets) => Buffer.from(octets).toString('hex'));
    fc.assert(
      fc.property(ders, called, hash, fc.boolean(), (certificates, subject, stated, hasChain) => {
        const [leaf = new Uint8Array()] = certificates;
        const value = xfccOf([
          ['By', 'spiffe://example.com/gateway'],
          ['Hash', stated],
          ['Cert', urlEncodedPem([leaf])],
          ...(hasChain ? [['Chain', urlEncodedPem(certificates)] as const] : []),
          ['Subject', subject],
        ]);
        expect(decoded(value)).toEqual(expected(hasChain ? certificates : [leaf], stated));
      }),
      { numRuns: 200 },
    );
  });

  it('needs the hash of the other certificate to accept a certificate by alternative name', () => {
    const text = fc.string({ unit: fc.constantFrom(...pieces, 'URI=', 'DNS=', 'By='), maxLength: 8 });
    fc.assert(
      fc.property(text, der, der, (chosen, own, other) => {
        const injected = `${chosen};Cert="${urlEncodedPem([other])}"`;
        expect(decoded(`By=x;URI=${injected}`)).toBeNull();
        expect(decoded(`By=x;Hash=${'0'.repeat(64)};Cert=${urlEncodedPem([own])};URI=${injected}`)).toBeNull();
        const hashed = decoded(`By=x;Hash=${'0'.repeat(64)};URI=${injected}`);
        if (hashed !== null) expect(hashed.statedFingerprint).toBe('0'.repeat(64));
      }),
      { numRuns: 500 },
    );
  });

  it('treats a plus sign only as a space, and refuses one that base64 may have lost', () => {
    let lost = 0;
    fc.assert(
      fc.property(ders, (certificates) => {
        const value = formEncodedPem(certificates);
        const unescaped = value.replaceAll('%2B', '+');
        if (unescaped === value) return;
        lost += 1;
        expect(decoded(unescaped)).toBeNull();
      }),
      { numRuns: 300 },
    );
    expect(lost).toBeGreaterThan(100);
  });

  it('never throws for any header value', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...pieces), maxLength: 16 }),
    );
    fc.assert(
      fc.property(text, fc.option(text), (value, chain) => {
        const result = decodeForwardedCertificate({ value, chain });
        if (result.ok) expect(result.value.leaf.length).toBeGreaterThan(0);
        else expect(result.error).toBe('certificate_malformed');
      }),
      { numRuns: 4000 },
    );
  });

  it('never decodes another certificate after one character changes to one outside base64', () => {
    fc.assert(
      fc.property(der, fc.nat(), fc.constantFrom('%', ':', ';', ',', '"', '\\', '\0', 'é', ''), (leaf, at, other) => {
        for (const value of [urlEncodedPem([leaf]), formEncodedPem([leaf]), pemOf([leaf], ' '), byteSequence(leaf)]) {
          const place = at % value.length;
          const bent = decoded(value.slice(0, place) + other + value.slice(place + 1));
          // What went was white space, or was already what it was changed to.
          if (bent !== null) expect(bent).toEqual(expected([leaf]));
        }
      }),
      { numRuns: 500 },
    );
  });
});

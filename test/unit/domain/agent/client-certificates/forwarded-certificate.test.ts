import { describe, expect, it } from 'vitest';
import {
  decodeForwardedCertificate,
  type ForwardedCertificate,
  isLinked,
  maximumForwardedCertificates,
  maximumForwardedLength,
  showsCertificate,
} from '../../../../../src/domain/agent/client-certificates/forwarded-certificate.js';
import type { Certificate } from '../../../../../src/domain/shared/certificate.js';
import {
  base64Der,
  byteSequence,
  formEncodedPem,
  pemOf,
  urlEncodedPem,
  xfccOf,
} from '../../../../support/shared/certificate-headers.js';
import { madeAuthority, madeCertificate, named } from '../../../../support/shared/made-certificate.js';

const leaf = Uint8Array.from({ length: 100 }, (_, index) => (index * 37) % 256);
const second = Uint8Array.of(0x30, 0x82, 1, 0xfb, 0xff);
const third = Uint8Array.of(0x30, 0x00);
const hash = 'ab'.repeat(32);

const decoded = (value: string, chain: string | null = null): ForwardedCertificate | null => {
  const result = decodeForwardedCertificate({ value, chain });
  if (!result.ok) expect(result.error).toBe('certificate_malformed');
  return result.ok ? result.value : null;
};

const alone: ForwardedCertificate = { leaf, others: [], statedFingerprint: null, isChain: false };
const all: ForwardedCertificate = { leaf, others: [second, third], statedFingerprint: null, isChain: false };

describe('decodeForwardedCertificate', () => {
  it.each([
    ['URL-encoded PEM', urlEncodedPem([leaf])],
    ['URL-encoded PEM with carriage returns', encodeURIComponent(pemOf([leaf], '\r\n'))],
    [
      'URL-encoded PEM with every character encoded',
      pemOf([leaf]).replace(/[\s\S]/g, (one) => `%${Buffer.from(one).toString('hex')}`),
    ],
    [
      'URL-encoded PEM with base64 as it is',
      urlEncodedPem([leaf]).replaceAll('%2B', '+').replaceAll('%2F', '/').replaceAll('%3D', '='),
    ],
    ['PEM with spaces for line ends', pemOf([leaf], ' ')],
    ['PEM with tabs for line ends', pemOf([leaf], '\t')],
    ['PEM with line ends and tabs', pemOf([leaf], '\n\t')],
    ['PEM without line ends', pemOf([leaf], '')],
    ['URL-encoded PEM with pluses for spaces', formEncodedPem([leaf])],
    ['base64 DER', base64Der(leaf)],
    ['URL-encoded base64 DER', encodeURIComponent(base64Der(leaf))],
    ['base64 DER among white space', ` \t${base64Der(leaf)} `],
    ['a byte sequence', byteSequence(leaf)],
    ['XFCC with the certificate', xfccOf([['Cert', urlEncodedPem([leaf])]])],
    ['XFCC in quotes', `Cert="${urlEncodedPem([leaf])}"`],
    ['XFCC with the chain', xfccOf([['Chain', urlEncodedPem([leaf])]])],
    ['XFCC in other letters', `by=me;CERT=${urlEncodedPem([leaf])}`],
  ])('reads %s', (_, value) => {
    expect(decoded(value)).toEqual(alone);
  });

  it.each([
    ['URL-encoded PEM', urlEncodedPem([leaf, second, third])],
    ['URL-encoded PEM with pluses for spaces', formEncodedPem([leaf, second, third])],
    ['PEM on one line', pemOf([leaf, second, third], ' ')],
    ['PEM without line ends', pemOf([leaf, second, third], '')],
    ['XFCC with the chain', xfccOf([['Chain', urlEncodedPem([leaf, second, third])]])],
    [
      'XFCC with both',
      xfccOf([
        ['Chain', urlEncodedPem([leaf, second, third])],
        ['Cert', urlEncodedPem([leaf])],
      ]),
    ],
  ])('reads several certificates in %s', (_, value) => {
    expect(decoded(value)).toEqual(all);
  });

  it.each([
    ['base64 DER', [leaf, second, third].map(base64Der).join(',')],
    ['URL-encoded base64 DER', [leaf, second, third].map((one) => encodeURIComponent(base64Der(one))).join(',')],
    ['base64 DER that is URL-encoded as a whole', encodeURIComponent([leaf, second, third].map(base64Der).join(','))],
  ])('reads several certificates in %s, which must be a chain', (_, value) => {
    expect(decoded(value)).toEqual({ ...all, isChain: true });
  });

  it('reads Client-Cert with Client-Cert-Chain, and the chain beside no other header', () => {
    const chain = `${byteSequence(second)},\t ${byteSequence(third)}`;
    expect(decoded(byteSequence(leaf), chain)).toEqual(all);
    expect(decoded(byteSequence(leaf), '')).toEqual(alone);
    for (const value of [base64Der(leaf), urlEncodedPem([leaf]), pemOf([leaf], ' ')]) {
      expect(decoded(value, chain)).toBeNull();
      expect(decoded(value, '')).toBeNull();
    }
    for (const bad of [':', '::', 'x', `${chain},`, `,${chain}`, `${byteSequence(second)};a=1`, base64Der(second)]) {
      expect(decoded(byteSequence(leaf), bad)).toBeNull();
    }
  });

  it('reads XFCC as Envoy writes it, and returns the hash', () => {
    const value = `By=spiffe://example.com/gateway;Hash=${hash.toUpperCase()};Cert="${urlEncodedPem([leaf])}";Subject="O=\\"Quoted\\"\\, Inc,CN=a=b;c";URI=spiffe://example.com/a;DNS=a.example;DNS=b.example`;
    expect(decoded(value)).toEqual({ ...alone, statedFingerprint: hash });
  });

  const cert = `Cert="${urlEncodedPem([leaf])}"`;
  const otherCert = `Cert="${urlEncodedPem([second])}"`;

  it.each([
    ['a hash alone', `By=me;Hash=${hash}`],
    ['several elements', `${cert},${otherCert}`],
    ['several elements, the second empty', `${cert},`],
    ['two certificates', `${cert};${otherCert}`],
    ['one certificate twice', `${cert};${cert.replace('Cert', 'cert')}`],
    ['two hashes', `Hash=${hash};Hash=${hash};${cert}`],
    ['a hash that is none', `Hash=abc;${cert}`],
    ['certificates where one belongs', `Cert="${urlEncodedPem([leaf, second])}"`],
    ['a chain of somebody else', `${cert};Chain="${urlEncodedPem([second, leaf])}"`],
    ['a broken chain', `${cert};Chain="x"`],
    ['an empty certificate', 'Cert='],
    ['a certificate that is not encoded', `Cert="${pemOf([leaf], ' ')}"`],
    ['an unclosed quote', cert.slice(0, -1)],
    ['something after a quote', `${cert}x`],
    ['a quote within a value', `URI=a"b;${cert}`],
    ['a semicolon at the end', `${cert};`],
    ['no key', `${cert};x`],
    ['spaces', `By=me; ${cert}`],
    ['a certificate in an alternative name that is not quoted', `Subject="CN=a";URI=spiffe://a;${cert}`],
    ['a hash and a certificate in such a name', `By=me;URI=spiffe://a;Hash=${hash};${cert}`],
    ['a second certificate in such a name', `Hash=${hash};${cert};URI=spiffe://a;${otherCert}`],
    ['a subject that one reader ends and another does not', `Hash=${hash};Subject="CN=a\\\\";By=";${cert}`],
    ['a subject whose end readers disagree about', `Hash=${hash};Subject="CN=a\\\\";${cert};DNS="b"`],
  ])('refuses XFCC with %s', (_, value) => {
    expect(decoded(value)).toBeNull();
  });

  it('never takes a certificate from a quoted subject', () => {
    const subject = `CN=x";${cert};By="`.replaceAll('"', '\\"');
    expect(decoded(`Hash=${hash};Subject="${subject}"`)).toBeNull();
    expect(decoded(`Hash=${hash};${otherCert};Subject="${subject}"`)).toEqual({
      leaf: second,
      others: [],
      statedFingerprint: hash,
      isChain: false,
    });
  });

  const body = base64Der(leaf);

  it.each([
    ['nothing', ''],
    ['white space', ' \t '],
    ['plain text', 'certificate'],
    ['base64 without its padding', body.replace(/=+$/, '')],
    ['base64 with bits left over', `${base64Der(Uint8Array.of(1)).slice(0, 1)}R==`],
    [
      'base64 for URLs',
      base64Der(Uint8Array.of(0xfb, 0xff, 0xff))
        .replaceAll('+', '-')
        .replaceAll('/', '_'),
    ],
    ['base64 with a space in it', `${body.slice(0, 8)} ${body.slice(8)}`],
    ['two of base64 in two field lines that somebody joined', `${body}, ${body}`],
    ['base64 with a comma behind it', `${body},`],
    ['base64 with a comma before it', `,${body}`],
    ['base64 and something else', `${body},${urlEncodedPem([second])}`],
    ['a byte sequence without octets', '::'],
    ['half a byte sequence', `:${body}`],
    ['a byte sequence with a parameter', `:${body}:;a`],
    ['PEM of a key', pemOf([leaf], ' ').replaceAll('CERTIFICATE', 'PRIVATE KEY')],
    ['PEM of another sort', pemOf([leaf], ' ').replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE')],
    ['PEM without an end', pemOf([leaf], ' ').slice(0, -10)],
    ['PEM without contents', '-----BEGIN CERTIFICATE----- -----END CERTIFICATE-----'],
    ['PEM with a header', pemOf([leaf], ' ').replace('CERTIFICATE----- ', 'CERTIFICATE----- A: b ')],
    ['PEM with something after it', `${pemOf([leaf], ' ')} x`],
    ['PEM with something before it', `x ${pemOf([leaf], ' ')}`],
    ['PEM with padding that is missing', pemOf([second], ' ').replace('=', '')],
    ['PEM within PEM', pemOf([leaf], ' ').replace('-----END', '-----BEGIN CERTIFICATE----- -----END')],
    ['half an escape', urlEncodedPem([leaf]).replace('%0A', '%0')],
    ['an escape that is none', urlEncodedPem([leaf]).replace('%0A', '%0x')],
    ['an escape with a wide digit', urlEncodedPem([leaf]).replace('%0A', '%0\uff21')],
    ['octets that are not ASCII', urlEncodedPem([leaf]).replace('%0A', '%C2%A0')],
    ['an encoding of the encoding', encodeURIComponent(urlEncodedPem([leaf]))],
    ['a plus for a space', urlEncodedPem([leaf]).replace('%20', '+')],
    ['a plus of base64 that may be a space', formEncodedPem([second]).replace('%2B', '+')],
    ['pluses for line ends', formEncodedPem([leaf]).replaceAll('%0A', '+')],
    ['NUL', urlEncodedPem([leaf]).replace('%0A', '%00')],
    ['a space in URL-encoded PEM', urlEncodedPem([leaf]).replace('%0A', ' ')],
  ])('refuses %s', (_, value) => {
    expect(decoded(value)).toBeNull();
  });

  it('accepts exactly the maximum number of certificates', () => {
    const most = new Array<Uint8Array>(maximumForwardedCertificates).fill(second);
    const chain = (count: number): string => new Array<string>(count).fill(byteSequence(second)).join(',');
    expect(decoded(urlEncodedPem(most))?.others).toHaveLength(maximumForwardedCertificates - 1);
    expect(decoded(urlEncodedPem([...most, second]))).toBeNull();
    expect(decoded(byteSequence(second), chain(maximumForwardedCertificates - 1))?.others).toHaveLength(7);
    expect(decoded(byteSequence(second), chain(maximumForwardedCertificates))).toBeNull();
    expect(decoded(most.map(base64Der).join(','))?.others).toHaveLength(maximumForwardedCertificates - 1);
    expect(decoded([...most, second].map(base64Der).join(','))).toBeNull();
  });

  it('accepts exactly the maximum length', () => {
    const der = new Uint8Array((maximumForwardedLength / 4) * 3);
    expect(decoded(base64Der(der))?.leaf).toHaveLength(der.length);
    expect(decoded(` ${base64Der(der)}`)).toBeNull();
    const half = new Uint8Array(6144);
    const [value, chain] = [byteSequence(half), byteSequence(half)];
    expect(value.length + chain.length).toBe(maximumForwardedLength + 4);
    expect(decoded(value, chain)).toBeNull();
    expect(decoded(value, byteSequence(half.subarray(3)))?.others).toHaveLength(1);
  });
});

describe('showsCertificate', () => {
  it.each(['', ' ', '\t ', '(null)', ' (null) '])('is false for %j: the proxy got no certificate', (value) => {
    expect(showsCertificate({ value, chain: null })).toBe(false);
  });

  it('is true for anything else, even if damaged', () => {
    for (const value of ['null', '(null', '(NULL)', '-', base64Der(leaf)]) {
      expect(showsCertificate({ value, chain: null })).toBe(true);
    }
    expect(showsCertificate({ value: '', chain: byteSequence(leaf) })).toBe(true);
    expect(showsCertificate({ value: '(null)', chain: '' })).toBe(true);
  });
});

describe('isLinked', () => {
  const client = madeCertificate();
  const issuing = madeAuthority('authority', { issuer: named('root') });
  const root = madeAuthority('root');

  it.each<[string, readonly Certificate[], boolean]>([
    ['one certificate', [client], true],
    ['a chain', [client, issuing, root], true],
    ['a chain by other spellings of a name', [madeCertificate({ issuer: named(' AUTHORITY ') }), issuing], true],
    ['a chain with a gap', [client, root], false],
    ['a chain upside down', [root, issuing, client], false],
    ['somebody else before a chain', [madeCertificate(), client, issuing], false],
    ['two clients that one authority issued', [client, madeCertificate({ fingerprint: 'other' })], false],
    ['an issuer that is no authority', [client, { ...issuing, isAuthority: false }], false],
  ])('checks %s', (_, certificates, expected) => {
    expect(isLinked(certificates)).toBe(expected);
  });
});

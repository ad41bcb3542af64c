import type { Certificate } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { CertificateCredential } from '../identity/request-credentials.js';
import { nameKey } from './distinguished-name.js';
import { decodeDer, readPemCertificates } from './pem-certificates.js';

/** The encoded fields of an X-Forwarded-Client-Cert element. */
interface XfccElement {
  /** SHA-256 of the certificate, in lower-case hexadecimal; null if absent. */
  readonly hash: string | null;
  /** The certificate in URL-encoded PEM. */
  readonly cert: string | null;
  /** The chain from the certificate on, in URL-encoded PEM. */
  readonly chain: string | null;
}

const believedKeys = ['hash', 'cert', 'chain'] as const;
/** Fields that the client may have chosen. */
const describingKeys: readonly string[] = ['subject', 'uri', 'dns'];

type BelievedKey = (typeof believedKeys)[number];

const isBelieved = (key: string): key is BelievedKey => (believedKeys as readonly string[]).includes(key);

const isKnown = (key: string): boolean => key === 'by' || isBelieved(key) || describingKeys.includes(key);

/** The first key of a text, in lower case; null if it does not begin with a key and `=`. */
const keyAt = (text: string, start: number): string | null => {
  let index = start;
  while (/[A-Za-z]/.test(text[index] ?? '')) index += 1;
  return index > start && text[index] === '=' ? text.slice(start, index).toLowerCase() : null;
};

/** Whether a value has this format: it begins with a key that Envoy writes. */
const isXfcc = (text: string): boolean => {
  const key = keyAt(text, 0);
  return key !== null && isKnown(key);
};

interface Part {
  readonly value: string;
  /** Index of the following character. */
  readonly end: number;
}

const backslashesAt = (text: string, start: number): number => {
  let index = start;
  while (text[index] === '\\') index += 1;
  return index - start;
};

/**
 * A quoted value. A backslash escapes a quote, according to Envoy's documentation. Null for two backslashes before a
 * quote: readers disagree whether they escape a backslash, as in subjects that Envoy copies, or the quote.
 */
const quotedAt = (text: string, start: number): Part | null => {
  let value = '';
  let index = start + 1;
  while (index < text.length) {
    const character = text[index] as string;
    if (character === '"') return { value, end: index + 1 };
    if (character !== '\\') {
      value += character;
      index += 1;
      continue;
    }
    const run = backslashesAt(text, index);
    index += run;
    if (text[index] !== '"') {
      value += '\\'.repeat(run);
      continue;
    }
    if (run % 2 === 0) return null;
    value += `${'\\'.repeat(run - 1)}"`;
    index += 1;
  }
  return null;
};

const plainAt = (text: string, start: number): Part | null => {
  let end = start;
  while (end < text.length && !';,"'.includes(text[end] as string)) end += 1;
  return text[end] === '"' ? null : { value: text.slice(start, end), end };
};

const isSha256 = (hash: string): boolean => /^[0-9a-f]{64}$/.test(hash);

/**
 * Parses X-Forwarded-Client-Cert as Envoy writes it: `Key=value` pairs separated by `;`. Null for several elements
 * (separated by `,`: choosing a proxy's peer would be a guess), for a repeated hash, certificate or chain, and for
 * malformed values.
 * Envoy does not quote alternative names, so a client may put `;Cert=...` into one. Fields after such a name count only
 * if a hash came before, which the caller must compare.
 */
const readXfcc = (text: string): XfccElement | null => {
  const told = new Map<BelievedKey, string>();
  let isDescribed = false;
  let index = 0;
  for (;;) {
    const key = keyAt(text, index);
    if (key === null) return null;
    const start = index + key.length + 1;
    const part = text[start] === '"' ? quotedAt(text, start) : plainAt(text, start);
    if (part === null) return null;
    if (isBelieved(key)) {
      if (told.has(key) || (isDescribed && !told.has('hash'))) return null;
      told.set(key, part.value);
    } else if (describingKeys.includes(key)) isDescribed = true;
    if (part.end === text.length) break;
    if (text[part.end] !== ';') return null;
    index = part.end + 1;
  }
  const hash = told.get('hash')?.toLowerCase() ?? null;
  if (hash !== null && !isSha256(hash)) return null;
  return { hash, cert: told.get('cert') ?? null, chain: told.get('chain') ?? null };
};

const hexValue = (text: string, index: number): number => {
  const digit = '0123456789abcdef'.indexOf((text[index] ?? '?').toLowerCase());
  return text.charCodeAt(index) < 0x80 ? digit : -1;
};

/**
 * Decodes percent-encoded ASCII (RFC 3986, section 2.1). Null for malformed percent signs, non-ASCII results, and
 * characters that must be encoded in a URL: spaces, controls, non-ASCII. A plus stays a plus, because some senders do
 * not encode those of base64.
 */
export const percentDecodedAscii = (text: string): string | null => {
  let decoded = '';
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return null;
    if (code !== 0x25) {
      decoded += text[index] as string;
      continue;
    }
    const high = hexValue(text, index + 1);
    const low = hexValue(text, index + 2);
    if (high < 0 || high > 7 || low < 0) return null;
    decoded += String.fromCharCode(high * 16 + low);
    index += 2;
  }
  return decoded;
};

/** Maximum characters to decode, including the chain of RFC 9440. */
export const maximumForwardedLength = 16_384;

/** Maximum certificates in them. */
export const maximumForwardedCertificates = 8;

/** The DER of a header, not yet parsed. */
export interface ForwardedCertificate {
  readonly leaf: Uint8Array;
  /** In header order; usually the intermediates. */
  readonly others: readonly Uint8Array[];
  /** The SHA-256 of the leaf as stated in the header (only XFCC), in lower-case hexadecimal; it must match. */
  readonly statedFingerprint: string | null;
  /** Whether the certificates must form a chain: joined field lines of several sources look the same. */
  readonly isChain: boolean;
}

const forwarded = (ders: readonly Uint8Array[], statedFingerprint: string | null): ForwardedCertificate | null => {
  const [leaf, ...others] = ders;
  return leaf === undefined ? null : { leaf, others, statedFingerprint, isChain: false };
};

/** Whether each certificate names the next as its issuer, and the next is an authority. */
export const isLinked = (certificates: readonly Certificate[]): boolean =>
  certificates.every((certificate, index) => {
    const issuer = certificates[index + 1];
    return issuer === undefined || (issuer.isAuthority && nameKey(certificate.issuer) === nameKey(issuer.subject));
  });

const decodePem = (text: string): ForwardedCertificate | null =>
  forwarded(readPemCertificates(text, maximumForwardedCertificates) ?? [], null);

const encodedPem = (text: string): readonly Uint8Array[] | null => {
  const pem = percentDecodedAscii(text);
  return pem === null ? null : readPemCertificates(pem, maximumForwardedCertificates);
};

const sameOctets = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((octet, index) => octet === right[index]);

const decodeXfcc = (text: string): ForwardedCertificate | null => {
  const element = readXfcc(text);
  if (element === null) return null;
  const { hash } = element;
  const chain = element.chain === null ? null : encodedPem(element.chain);
  if (element.chain !== null && chain === null) return null;
  if (element.cert === null) return forwarded(chain ?? [], hash);
  const certs = encodedPem(element.cert) ?? [];
  const [leaf] = certs;
  if (leaf === undefined || certs.length > 1) return null;
  if (chain === null) return forwarded(certs, hash);
  // The chain must begin with the certificate.
  return sameOctets(leaf, chain[0] as Uint8Array) ? forwarded(chain, hash) : null;
};

/** A byte sequence of a structured field (RFC 8941, section 3.3.5), without parameters. */
const byteSequence = (text: string): Uint8Array | null =>
  text.length > 2 && text.startsWith(':') && text.endsWith(':') ? decodeDer(text.slice(1, -1)) : null;

const trimmed = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && ' \t'.includes(text[start] as string)) start += 1;
  while (end > start && ' \t'.includes(text[end - 1] as string)) end -= 1;
  return text.slice(start, end);
};

const decodeClientCert = (value: string, chain: string | null): ForwardedCertificate | null => {
  const members = chain === null || trimmed(chain) === '' ? [] : chain.split(',');
  if (members.length >= maximumForwardedCertificates) return null;
  const ders: Uint8Array[] = [];
  for (const member of [value, ...members]) {
    const der = byteSequence(trimmed(member));
    if (der === null) return null;
    ders.push(der);
  }
  return forwarded(ders, null);
};

/**
 * Base64 certificates separated by commas, optionally percent-encoded (Traefik). Base64 contains neither. The first one
 * is the client's.
 */
const decodeBareList = (text: string): ForwardedCertificate | null => {
  const members = percentDecodedAscii(text)?.split(',') ?? [];
  if (members.length > maximumForwardedCertificates) return null;
  const ders: Uint8Array[] = [];
  for (const member of members) {
    const der = decodeDer(member);
    if (der === null) return null;
    ders.push(der);
  }
  const list = forwarded(ders, null);
  return list && { ...list, isChain: ders.length > 1 };
};

const formBegin = '-----BEGIN+CERTIFICATE-----';
const formEnd = '-----END+CERTIFICATE-----';

const decodeEncodedPem = (text: string): ForwardedCertificate | null => forwarded(encodedPem(text) ?? [], null);

/**
 * Form-encoded PEM, with a plus for a space. Refused if a plus occurs outside the armour, or a space has another
 * encoding: another component has encoded it, and a plus may be from base64.
 */
const decodeFormPem = (text: string): ForwardedCertificate | null => {
  const isMixed = text.includes('%20');
  const encoded = text
    .replaceAll(formBegin, formBegin.replace('+', '%20'))
    .replaceAll(formEnd, formEnd.replace('+', '%20'));
  return isMixed || encoded.includes('+') ? null : decodeEncodedPem(encoded);
};

const decode = (value: string, chain: string | null): ForwardedCertificate | null => {
  if (value.startsWith(':')) return decodeClientCert(value, chain);
  // A chain header beside this format is of unknown origin.
  if (chain !== null) return null;
  if (value.startsWith('-----BEGIN ')) return decodePem(value);
  if (value.startsWith('-----BEGIN%') || value.slice(0, 3).toLowerCase() === '%2d') return decodeEncodedPem(value);
  if (value.startsWith(formBegin)) return decodeFormPem(value);
  return isXfcc(value) ? decodeXfcc(value) : decodeBareList(value);
};

/** Apache's text for a variable without a value. */
const apacheNone = '(null)';

/** Whether the header has a certificate: some proxies send the field without one. */
export const showsCertificate = ({ value, chain }: CertificateCredential): boolean => {
  if (chain !== null) return true;
  const shown = trimmed(value);
  return shown !== '' && shown !== apacheNone;
};

/**
 * Decodes a client certificate from a header, recognising its encoding. Supported: URL-encoded PEM, PEM on one line,
 * base64 DER (one or several separated by commas, leaf first), a byte sequence with or without Client-Cert-Chain (RFC
 * 9440), and one element of Envoy's X-Forwarded-Client-Cert with certificate or chain. Linear in the bounded length,
 * and strict except for the line ends of PEM.
 */
export const decodeForwardedCertificate = (
  credential: CertificateCredential,
): Result<ForwardedCertificate, 'certificate_malformed'> => {
  const { value, chain } = credential;
  if (value.length + (chain?.length ?? 0) > maximumForwardedLength) return err('certificate_malformed');
  const certificate = decode(trimmed(value), chain);
  return certificate === null ? err('certificate_malformed') : ok(certificate);
};

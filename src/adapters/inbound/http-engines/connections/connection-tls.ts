import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';

/** Longest certificate chain that goes into a header, in characters. */
const maxCertificateText = 16_384;

const maxChainLength = 10;

/** Characters of a valid host name; any other SNI value is ignored. */
const serverNamePattern = /^[a-z0-9._-]{1,255}$/;

/**
 * Result of a completed TLS handshake. The error is the code that makes the connection unusable.
 */
export const connectionTls = (socket: TLSSocket, mayHaveCertificate: boolean): Result<ConnectionTls, string> => {
  const certificate = mayHaveCertificate ? clientCertificate(socket) : ok(null);
  if (!certificate.ok) return certificate;
  const { servername } = socket as { readonly servername?: string | false | null };
  const serverName = typeof servername === 'string' ? servername.toLowerCase() : '';
  return ok({
    version: socket.getProtocol() ?? '',
    cipher: socket.getCipher().standardName,
    serverName: serverNamePattern.test(serverName) ? serverName : null,
    clientCertificate: certificate.value,
  });
};

/**
 * Null if the client sent no certificate. A certificate must be verified, whether requested or
 * required.
 */
const clientCertificate = (socket: TLSSocket): Result<string | null, string> => {
  const chain = chainOf(socket.getPeerCertificate(true));
  const [leaf] = chain;
  if (leaf === undefined) return ok(null);
  if (!socket.authorized) return err(String(socket.authorizationError));
  const whole = chain.map(encodedPem).join('');
  if (whole.length <= maxCertificateText) return ok(whole);
  const alone = encodedPem(leaf);
  return alone.length <= maxCertificateText ? ok(alone) : err('CERTIFICATE_TOO_LARGE');
};

/** The certificate and its intermediates, without the root, which the verifier has. */
const chainOf = (peer: DetailedPeerCertificate): readonly Buffer[] => {
  const chain: Buffer[] = [];
  // Node represents a missing certificate as an empty object.
  let next: Partial<DetailedPeerCertificate> | undefined = peer;
  while (next?.raw && chain.length < maxChainLength) {
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
    const isSelfSigned: boolean = issuer === next || issuer?.raw.equals(next.raw) === true;
    if (chain.length === 0 || !isSelfSigned) chain.push(next.raw);
    next = isSelfSigned ? undefined : issuer;
  }
  return chain;
};

const lineLength = 64;

/** PEM (RFC 7468) with all reserved characters percent-encoded, as nginx writes this header. */
const encodedPem = (der: Buffer): string => {
  const text = der.toString('base64');
  const lines: string[] = [];
  for (let start = 0; start < text.length; start += lineLength) lines.push(text.slice(start, start + lineLength));
  return encodeURIComponent(`-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`);
};

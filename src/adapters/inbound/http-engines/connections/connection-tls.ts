import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';

/** Characters of a certificate with its intermediates that go into a header. */
const maxCertificateText = 16_384;

const maxChainLength = 10;

/** What a host name is made of; anything else that a client names is nobody's name. */
const serverNamePattern = /^[a-z0-9._-]{1,255}$/;

/** What was agreed on in a handshake that is over. The error is the code of what makes the connection unusable. */
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

/** Null where the client showed none. One that was shown has to have been verified, asked for or required. */
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

/** The certificate and the intermediates that lead to the root, without the root, which whoever checks them has. */
const chainOf = (peer: DetailedPeerCertificate): readonly Buffer[] => {
  const chain: Buffer[] = [];
  // An empty object stands for no certificate.
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

/** RFC 7468, with every reserved character percent-encoded: what nginx and others put into such a header. */
const encodedPem = (der: Buffer): string => {
  const text = der.toString('base64');
  const lines: string[] = [];
  for (let start = 0; start < text.length; start += lineLength) lines.push(text.slice(start, start + lineLength));
  return encodeURIComponent(`-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`);
};

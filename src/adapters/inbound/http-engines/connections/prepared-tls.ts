import { constants, createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { TlsCertificate, TlsContext, TlsMaterial } from '../../../../application/ports/gateway/http-engine.js';
import { indexOfServerName, serverNameIndex } from '../../../../domain/gateway/tls/server-name-index.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { SessionTickets } from './session-tickets.js';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** The certificates of a PEM text, each with its armour (RFC 7468); other text is skipped. */
const pemCertificateBlocks = (text: string): readonly string[] => {
  const blocks: string[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(begin, position);
    const stop = start < 0 ? -1 : text.indexOf(end, start);
    if (stop < 0) return blocks;
    position = stop + end.length;
    blocks.push(text.slice(start, position));
  }
};

/** All certificates of a PEM text; an error if there is none. */
const readCertificates = (pem: string): Result<readonly X509Certificate[], string> => {
  const blocks = pemCertificateBlocks(pem);
  if (blocks.length === 0) return err('holds no certificate in PEM');
  const certificates: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      certificates.push(new X509Certificate(block));
    } catch {
      return err(`holds a certificate that cannot be read, the ${ordinal(index)}`);
    }
  }
  return ok(certificates);
};

/** Ordinal of an index: `1st`, `2nd` and so on. */
const ordinal = (index: number): string => {
  const number = index + 1;
  const tens = number % 100;
  if (tens >= 11 && tens <= 13) return `${number}th`;
  return `${number}${['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'}`;
};

const dayMs = 86_400_000;

/** Days before expiry at which a warning starts. */
const soonDays = 14;

/** Warnings about certificate dates. `what` names the certificates, as in `the certificate`. */
const dateWarnings = (what: string, certificates: readonly X509Certificate[], nowMs: number): readonly string[] =>
  certificates.flatMap((certificate) => {
    const { validFrom, validTo, subject } = certificate;
    const named = `${what} "${subject.replaceAll('\n', ', ')}"`;
    const leftMs = Date.parse(validTo) - nowMs;
    if (leftMs < 0) return [`${named} has expired on ${validTo}`];
    if (Date.parse(validFrom) > nowMs) return [`${named} is not valid before ${validFrom}`];
    if (leftMs < soonDays * dayMs) return [`${named} expires soon, on ${validTo}`];
    return [];
  });

/** Quoted values may contain separators, and are no DNS names. */
const quoted = /"(?:[^"\\]|\\.)*"/g;

/** The DNS names of subjectAltName; the common name does not count (RFC 6125, section 6.4.4). */
const dnsNames = ({ subjectAltName }: X509Certificate): readonly string[] =>
  (subjectAltName ?? '')
    .replace(quoted, '')
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:') && entry.length > 4)
    .map((entry) => entry.slice(4));

/**
 * Checks that a certificate, its intermediates and its private key match. Returns the leaf first.
 */
const checkServerCertificate = ({
  chain,
  privateKey,
}: TlsCertificate): Result<readonly [X509Certificate, ...X509Certificate[]], string> => {
  const read = readCertificates(chain);
  if (!read.ok) return err(`the certificate file ${read.error}`);
  const [leaf, ...others] = read.value as readonly [X509Certificate, ...X509Certificate[]];
  const key = readKey(privateKey.reveal());
  if (!key.ok) return key;
  if (!leaf.checkPrivateKey(key.value)) {
    const belongs = others.some((certificate) => certificate.checkPrivateKey(key.value));
    return err(
      belongs
        ? 'the certificate of the private key has to be the first in its file'
        : 'the private key does not belong to the certificate',
    );
  }
  const chained = [leaf, ...others] as const;
  const broken = others.findIndex((issuer, index) => !hasIssued(issuer, chained[index] as X509Certificate));
  return broken < 0
    ? ok(chained)
    : err(`the chain is out of order: its ${ordinal(broken + 1)} certificate has not issued the one before it`);
};

const hasIssued = (issuer: X509Certificate, child: X509Certificate): boolean => {
  try {
    return child.checkIssued(issuer) && child.verify(issuer.publicKey);
  } catch {
    // A key that OpenSSL cannot use cannot have signed this certificate.
    return false;
  }
};

const readKey = (pem: string): Result<KeyObject, string> => {
  // PKCS #8, then the older OpenSSL format.
  if (pem.includes('BEGIN ENCRYPTED PRIVATE KEY') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    return err('the private key is encrypted; it has to be stored without a pass phrase');
  }
  try {
    return ok(createPrivateKey({ key: pem, format: 'pem' }));
  } catch {
    // OpenSSL's message may quote key material.
    return err('the key file holds no private key in PEM that can be read');
  }
};

/** Verified TLS settings for a Node TLS server. */
export class PreparedTls implements TlsContext {
  readonly isTlsContext = true;

  constructor(
    readonly options: TlsOptions,
    /**
     * Context for clients without SNI; `options` alone cannot express how authorities are trusted.
     */
    readonly defaultContext: SecureContext,
    /**
     * Fingerprint of the client CAs, equal for equal trust; null if no client certificate is
     * requested.
     */
    readonly clientTrust: string | null,
    /** Clients without a certificate are refused. */
    readonly needsClientCertificate: boolean,
    readonly warnings: readonly string[],
  ) {}
}

/** Suites with forward secrecy and authenticated encryption; every TLS 1.3 suite has both. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Lifetime of a session, in seconds: a session resumes for as long as its ticket key is accepted. */
const sessionSeconds = 3_600;

/**
 * Checks the TLS material of a listener and builds its contexts. A handshake builds none.
 *
 * @param tickets keys of the session tickets
 */
export const prepareTls = (
  material: TlsMaterial,
  nowMs: number,
  tickets: SessionTickets = new SessionTickets(),
): Result<PreparedTls, string> => {
  const { certificates, clientAuth } = material;
  const authorities = readAuthorities(material);
  if (!authorities.ok) return authorities;
  const warnings = [...dateWarnings('the client authority', authorities.value, nowMs)];

  const shared = sharedOptions(material);
  const contexts: SecureContext[] = [];
  const leaves: X509Certificate[] = [];
  const names: (readonly string[])[] = [];
  for (const [index, certificate] of certificates.entries()) {
    const where = certificates.length === 1 ? '' : `the ${ordinal(index)} certificate: `;
    const checked = checkServerCertificate(certificate);
    if (!checked.ok) return err(where + checked.error);
    const context = secureContext({ ...shared, cert: certificate.chain, key: certificate.privateKey.reveal() });
    if (!context.ok) return err(where + context.error);
    tickets.applyTo(context.value);
    contexts.push(context.value);
    const [leaf] = checked.value;
    leaves.push(leaf);
    const served = dnsNames(leaf);
    names.push(served);
    warnings.push(...dateWarnings('the certificate', checked.value, nowMs));
    if (index > 0 && served.length === 0) {
      warnings.push(`${where}it has no DNS name in its subjectAltName, so no client ever gets to see it`);
    }
  }
  const [first] = certificates;
  const [defaultContext] = contexts;
  if (!first || !defaultContext) return err('there is no certificate');
  const trust = clientTrust(material, authorities.value);
  // One for all certificates: OpenSSL looks at the session before Node selects the certificate.
  const sessionIdContext = sessionIdContextOf(material, leaves, trust);
  for (const { context } of contexts) (context as NativeSessionContext).setSessionIdContext(sessionIdContext);
  const index = serverNameIndex(names);
  const options: TlsOptions = {
    ...shared,
    sessionIdContext,
    cert: first.chain,
    key: first.privateKey.reveal(),
    ALPNProtocols: material.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    requestCert: clientAuth !== 'none',
    // The handshake alert tells a client without a required certificate.
    rejectUnauthorized: clientAuth === 'require',
    SNICallback: (name, done) => done(null, contexts[indexOfServerName(index, name)]),
  };
  return ok(new PreparedTls(options, defaultContext, trust, clientAuth === 'require', warnings));
};

/** Internal context of Node; `createSecureContext` sets the same property from its options. */
interface NativeSessionContext {
  setSessionIdContext(id: string): void;
}

/** Longest session id context of OpenSSL (SSL_MAX_SID_CTX_LENGTH), in characters. */
const sessionIdContextLength = 32;

/**
 * A session resumes only with the session id context that it began with. It differs when the certificates, the rule
 * for client certificates or the authorities differ, so that no session passes from one rule to another.
 */
const sessionIdContextOf = (
  { clientAuth, minVersion }: TlsMaterial,
  leaves: readonly X509Certificate[],
  trust: string | null,
): string => {
  const rules = [clientAuth, minVersion, trust, ...leaves.map(({ fingerprint256 }) => fingerprint256)];
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, sessionIdContextLength);
};

const readAuthorities = ({
  clientAuth,
  clientAuthorities,
}: TlsMaterial): Result<readonly X509Certificate[], string> => {
  if (clientAuth === 'none') return ok([]);
  if (clientAuthorities === null) return err('there are no authorities that client certificates could be checked by');
  const read = readCertificates(clientAuthorities);
  return read.ok ? read : err(`the file of client authorities ${read.error}`);
};

/** The order of authorities and the text around them do not matter. */
const clientTrust = (
  { clientAuth, minVersion }: TlsMaterial,
  authorities: readonly X509Certificate[],
): string | null => {
  if (clientAuth === 'none') return null;
  const trusted = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
  return [clientAuth, minVersion, ...[...trusted].sort()].join(' ');
};

const sharedOptions = ({ clientAuth, clientAuthorities, minVersion }: TlsMaterial): SecureContextOptions => ({
  // Without a list, Node would use its public authorities.
  ca: clientAuth === 'none' || clientAuthorities === null ? [] : clientAuthorities,
  // Every authority of the file is a trust anchor, self-signed or not.
  allowPartialTrustChain: true,
  minVersion: `TLSv${minVersion}`,
  maxVersion: 'TLSv1.3',
  ciphers,
  honorCipherOrder: true,
  sessionTimeout: sessionSeconds,
  // A resumed session presents no certificate; it would outlive a change of authorities.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | (clientAuth === 'none' ? 0 : constants.SSL_OP_NO_TICKET),
});

const secureContext = (options: SecureContextOptions): Result<SecureContext, string> => {
  try {
    return ok(createSecureContext(options));
  } catch (error) {
    // Use the reason only, as in `ee key too small`; the message contains OpenSSL source locations.
    const reason = error instanceof Error && 'reason' in error ? String(error.reason) : 'no reason is given';
    return err(`the TLS library refuses it: ${reason}`);
  }
};

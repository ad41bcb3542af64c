import { constants, createHash, type X509Certificate } from 'node:crypto';
import type { SecureContext, SecureContextOptions, TlsOptions } from 'node:tls';
import type { TlsContext, TlsMaterial } from '../../../../application/ports/gateway/http-engine.js';
import { indexOfServerName, serverNameIndex } from '../../../../domain/gateway/tls/server-name-index.js';
import type { CertificateDates } from '../../../../domain/shared/certificate-dates.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import {
  certificateDates,
  checkCertificate,
  dateWarnings,
  ordinal,
  readCertificates,
  secureContext,
} from '../../../tls-sockets/certificate-files.js';
import { SessionTickets } from './session-tickets.js';

/** Quoted values may contain separators, and are no DNS names. */
const quoted = /"(?:[^"\\]|\\.)*"/g;

/** The DNS names of subjectAltName; the common name does not count (RFC 6125, section 6.4.4). */
const dnsNames = ({ subjectAltName }: X509Certificate): readonly string[] =>
  (subjectAltName ?? '')
    .replace(quoted, '')
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:') && entry.length > 4)
    .map((entry) => entry.slice(4));

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
    readonly certificates: readonly CertificateDates[],
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
  const dates = [...certificateDates(authorities.value)];

  const shared = sharedOptions(material);
  const contexts: SecureContext[] = [];
  const leaves: X509Certificate[] = [];
  const names: (readonly string[])[] = [];
  for (const [index, certificate] of certificates.entries()) {
    const where = certificates.length === 1 ? '' : `the ${ordinal(index)} certificate: `;
    const checked = checkCertificate(certificate);
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
    dates.push(...certificateDates(checked.value));
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
  return ok(new PreparedTls(options, defaultContext, trust, clientAuth === 'require', warnings, dates));
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

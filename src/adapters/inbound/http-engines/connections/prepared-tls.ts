import { constants, type X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { TlsContext, TlsMaterial } from '../../../../application/ports/gateway/http-engine.js';
import { indexOfServerName, serverNameIndex } from '../../../../domain/gateway/tls/server-name-index.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { dateWarnings, dnsNames, ordinal, readCertificates } from './read-certificates.js';
import { checkServerCertificate } from './server-certificate.js';

/** What a TLS server of Node's is made of, found to fit together. */
export class PreparedTls implements TlsContext {
  readonly isTlsContext = true;

  constructor(
    readonly options: TlsOptions,
    /** For clients that name no server: what `options` says of it alone leaves out how authorities are trusted. */
    readonly defaultContext: SecureContext,
    /** Two that have the same trust client certificates alike; null: none is asked for. */
    readonly clientTrust: string | null,
    /** No connection is served without a client certificate. */
    readonly needsClientCertificate: boolean,
    readonly warnings: readonly string[],
  ) {}
}

/** Those with forward secrecy and authenticated encryption; every suite of TLS 1.3 has both. */
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

/** Checks what the TLS of a listener is made of, and makes it ready. */
export const prepareTls = (material: TlsMaterial, nowMs: number): Result<PreparedTls, string> => {
  const { certificates, clientAuth } = material;
  const authorities = readAuthorities(material);
  if (!authorities.ok) return authorities;
  const warnings = [...dateWarnings('the client authority', authorities.value, nowMs)];

  const shared = sharedOptions(material);
  const contexts: SecureContext[] = [];
  const names: (readonly string[])[] = [];
  for (const [index, certificate] of certificates.entries()) {
    const where = certificates.length === 1 ? '' : `the ${ordinal(index)} certificate: `;
    const checked = checkServerCertificate(certificate);
    if (!checked.ok) return err(where + checked.error);
    const context = secureContext({ ...shared, cert: certificate.chain, key: certificate.privateKey.reveal() });
    if (!context.ok) return err(where + context.error);
    contexts.push(context.value);
    const served = dnsNames(checked.value[0]);
    names.push(served);
    warnings.push(...dateWarnings('the certificate', checked.value, nowMs));
    if (index > 0 && served.length === 0) {
      warnings.push(`${where}it has no DNS name in its subjectAltName, so no client ever gets to see it`);
    }
  }
  const [first] = certificates;
  const [defaultContext] = contexts;
  if (!first || !defaultContext) return err('there is no certificate');
  const index = serverNameIndex(names);
  const options: TlsOptions = {
    ...shared,
    cert: first.chain,
    key: first.privateKey.reveal(),
    ALPNProtocols: material.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    requestCert: clientAuth !== 'none',
    // A client that has to show a certificate and has none is told so in the handshake.
    rejectUnauthorized: clientAuth === 'require',
    SNICallback: (name, done) => done(null, contexts[indexOfServerName(index, name)]),
  };
  const trust = clientTrust(material, authorities.value);
  return ok(new PreparedTls(options, defaultContext, trust, clientAuth === 'require', warnings));
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

/** The order of the authorities and what is written around them make no difference. */
const clientTrust = (
  { clientAuth, minVersion }: TlsMaterial,
  authorities: readonly X509Certificate[],
): string | null => {
  if (clientAuth === 'none') return null;
  const trusted = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
  return [clientAuth, minVersion, ...[...trusted].sort()].join(' ');
};

const sharedOptions = ({ clientAuth, clientAuthorities, minVersion }: TlsMaterial): SecureContextOptions => ({
  // Without any, Node would take its own list of public authorities.
  ca: clientAuth === 'none' || clientAuthorities === null ? [] : clientAuthorities,
  // Every authority of the file is trusted, whether it signed itself or not.
  allowPartialTrustChain: true,
  minVersion: `TLSv${minVersion}`,
  maxVersion: 'TLSv1.3',
  ciphers,
  honorCipherOrder: true,
  // OpenSSL resumes no session that belongs to nothing, where clients are asked for certificates.
  sessionIdContext: 'portcullis',
  // A session that is resumed shows no certificate: it would outlive the authorities that it was checked by.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | (clientAuth === 'none' ? 0 : constants.SSL_OP_NO_TICKET),
});

const secureContext = (options: SecureContextOptions): Result<SecureContext, string> => {
  try {
    return ok(createSecureContext(options));
  } catch (error) {
    // The reason alone, as in `ee key too small`: the message has places in the library's own source.
    const reason = error instanceof Error && 'reason' in error ? String(error.reason) : 'no reason is given';
    return err(`the TLS library refuses it: ${reason}`);
  }
};

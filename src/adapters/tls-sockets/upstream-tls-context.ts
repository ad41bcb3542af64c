import { constants } from 'node:crypto';
import { DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import type {
  UpstreamTlsContext,
  UpstreamTlsMaterial,
  UpstreamTlsPreparer,
} from '../../application/ports/gateway/upstream-tls.js';
import type { CertificateDates } from '../../domain/shared/certificate-dates.js';
import { err, ok } from '../../domain/shared/result.js';
import {
  certificateDates,
  checkCertificate,
  dateWarnings,
  readCertificates,
  secureContext,
} from './certificate-files.js';

/**
 * Longest time between verifications of a certificate, in milliseconds: a resumed session does not
 * verify it again.
 */
export const sessionMs = 3_600_000;
/** Most sessions of one context. */
const maxSessions = 1_024;

export interface StoredSession {
  readonly session: Buffer;
  /** In milliseconds since the Unix epoch. */
  readonly usableUntilMs: number;
}

/** TLS sessions of verified connections, the last one of each target. */
class TlsSessions {
  readonly #stored = new Map<string, StoredSession>();

  /** @param usableUntilMs in milliseconds since the Unix epoch */
  keep(target: string, session: Buffer, usableUntilMs: number): void {
    this.#stored.delete(target);
    this.#stored.set(target, { session, usableUntilMs });
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= maxSessions) return;
      this.#stored.delete(oldest);
    }
  }

  find(target: string): StoredSession | undefined {
    const stored = this.#stored.get(target);
    if (stored === undefined || stored.usableUntilMs > Date.now()) return stored;
    this.#stored.delete(target);
    return undefined;
  }

  forget(target: string): void {
    this.#stored.delete(target);
  }
}

/** TLS settings for connections to one upstream. Contexts share no sessions. */
export class PreparedUpstreamTls implements UpstreamTlsContext {
  readonly isUpstreamTlsContext = true;
  readonly sessions = new TlsSessions();

  constructor(
    readonly secureContext: SecureContext,
    readonly verifies: boolean,
    readonly warnings: readonly string[],
    readonly certificates: readonly CertificateDates[],
  ) {}
}

/** Security level 2 refuses keys below 112 bits, such as RSA with 1024, and signatures with SHA-1. */
const verifiedCiphers = `${DEFAULT_CIPHERS}:@SECLEVEL=2`;

/** Checks TLS material for upstreams and builds its context. */
export const upstreamTlsPreparer =
  (nowMs: () => number): UpstreamTlsPreparer =>
  (material: UpstreamTlsMaterial) => {
    const { authorities, certificate, minVersion, verifies } = material;
    const warnings: string[] = [];
    const certificates: CertificateDates[] = [];
    if (authorities !== null) {
      const read = readCertificates(authorities);
      if (!read.ok) return err(`the file ${read.error}`);
      warnings.push(...dateWarnings('the authority', read.value, nowMs()));
      certificates.push(...certificateDates(read.value));
    }
    if (certificate !== null) {
      const checked = checkCertificate(certificate);
      if (!checked.ok) return checked;
      warnings.push(...dateWarnings('the client certificate', checked.value, nowMs()));
      certificates.push(...certificateDates(checked.value));
    }
    const context = secureContext({
      // Every authority of the file is a trust anchor, self-signed or not.
      ...(authorities === null ? {} : { ca: authorities, allowPartialTrustChain: true }),
      ...(certificate === null ? {} : { cert: certificate.chain, key: certificate.privateKey.reveal() }),
      minVersion: `TLSv${minVersion}`,
      maxVersion: 'TLSv1.3',
      ciphers: verifies ? verifiedCiphers : DEFAULT_CIPHERS,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    });
    return context.ok ? ok(new PreparedUpstreamTls(context.value, verifies, warnings, certificates)) : context;
  };

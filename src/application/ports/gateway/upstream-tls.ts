import type { CertificateDates } from '../../../domain/shared/certificate-dates.js';
import type { Result } from '../../../domain/shared/result.js';
import type { TlsCertificate } from './http-engine.js';

/** The files of an upstream's TLS configuration: texts, not parsed. */
export interface UpstreamTlsMaterial {
  /** PEM; null: the authorities built into Node.js. */
  readonly authorities: string | null;
  /** The client certificate of the gateway; null: none. */
  readonly certificate: TlsCertificate | null;
  readonly minVersion: '1.2' | '1.3';
  /** False: any certificate is accepted. */
  readonly verifies: boolean;
}

/** TLS settings that were prepared for connections to one upstream, with their TLS sessions. */
export interface UpstreamTlsContext {
  readonly isUpstreamTlsContext: true;
  /** Warnings: a certificate has expired, or expires soon. */
  readonly warnings: readonly string[];
  /** The client certificate, its intermediates, and the authorities of the `tls` block. */
  readonly certificates: readonly CertificateDates[];
}

/** Checks TLS material and prepares it. The error is for operators, without key material. */
export type UpstreamTlsPreparer = (material: UpstreamTlsMaterial) => Result<UpstreamTlsContext, string>;

/** TLS of the connections to one target. */
export interface TargetTls {
  /** The context for new connections. It is replaced when its files change. */
  readonly context: UpstreamTlsContext;
  /** The host name or IP address that the certificate must contain. */
  readonly serverName: string;
}

import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';
import { err, ok, type Result } from '../../../../../domain/shared/result.js';
import type { MetadataSource } from '../../../../ports/agent/metadata-source.js';
import type { SamlDocumentVerifier } from '../../../../ports/agent/saml-document-verifier.js';
import type { SamlKeys, SigningCertificate } from '../../../../ports/agent/saml-keys.js';
import type { Cancellation } from '../../../../ports/shared/cancellation.js';
import type { Clock } from '../../../../ports/shared/clock.js';

export interface LoadMetadataParts {
  readonly source: MetadataSource;
  readonly verifier: Pick<SamlDocumentVerifier, 'verifyMetadata'>;
  readonly keys: Pick<SamlKeys, 'readCertificate'>;
  readonly clock: Clock;
}

/** What is asked for, and how it is checked. */
export interface MetadataPlace {
  readonly url: string;
  /** Null: the only one that the metadata has. */
  readonly entityId: string | null;
  /** One of them has to have signed it, each DER in base64; empty: it need not be signed. */
  readonly certificates: readonly string[];
}

export interface LoadedMetadata {
  /** At least one certificate, all of which can be used. */
  readonly provider: IdentityProvider;
  readonly validUntilMs: number | null;
  readonly cacheDurationMs: number | null;
  /** Why certificates are left out, a clause each. */
  readonly leftOut: readonly string[];
  /** Certificates whose time is over: it is their keys that count, and those are used. */
  readonly outdated: number;
}

/** Fetches metadata and reads the identity provider out of it. The error is one clause for the log. Never rejects. */
export const loadMetadata = async (
  { url, entityId, certificates }: MetadataPlace,
  { source, verifier, keys, clock }: LoadMetadataParts,
  cancellation: Cancellation,
): Promise<Result<LoadedMetadata, string>> => {
  const fetched = await source.fetch(url, cancellation);
  if (!fetched.ok) return err(`${fetched.error.code}: ${fetched.error.detail}`);
  const nowMs = clock.wallMs();
  const described = await verifier.verifyMetadata(fetched.value, { certificates, entityId, nowMs }, cancellation);
  if (!described.ok) {
    const { error } = described;
    return err(typeof error === 'string' ? `refused: ${error}` : `unusable: the metadata ${error.unusable}`);
  }
  const usable: SigningCertificate[] = [];
  const leftOut: string[] = [];
  for (const der of described.value.provider.signingCertificates) {
    const certificate = keys.readCertificate(der);
    if (certificate.ok) usable.push(certificate.value);
    else leftOut.push(certificate.error);
  }
  if (usable.length === 0) return err(`unusable: no certificate of the metadata can be used: the first ${leftOut[0]}`);
  const { provider, validUntilMs, cacheDurationMs } = described.value;
  return ok({
    provider: { ...provider, signingCertificates: usable.map(({ der }) => der) },
    validUntilMs,
    cacheDurationMs,
    leftOut,
    outdated: usable.filter(({ notAfterMs }) => notAfterMs < nowMs).length,
  });
};

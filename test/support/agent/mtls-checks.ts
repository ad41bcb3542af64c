import { HmacSecretDigest } from '../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { X509CertificateReader } from '../../../src/adapters/outbound/x509-certificates/x509-certificate-reader.js';
import type { CheckOutcome } from '../../../src/application/agent/authenticate/authentication-check.js';
import { MtlsCheck, type MtlsCheckOptions } from '../../../src/application/agent/authenticate/mtls-check.js';
import { preparedIdentity } from '../../../src/application/agent/authenticate/prepared-identity.js';
import type { ReadCertificate } from '../../../src/application/ports/shared/certificate-reader.js';
import { type AllowedSan, parseAllowedSan } from '../../../src/domain/agent/client-certificates/allowed-san.js';
import {
  type CertificateRules,
  prepareCertificateRules,
} from '../../../src/domain/agent/client-certificates/certificate-rules.js';
import { parseDistinguishedName } from '../../../src/domain/agent/client-certificates/distinguished-name.js';
import { urlEncodedPem } from '../shared/certificate-headers.js';
import { ManualClock } from '../shared/manual-clock.js';
import type { OpensslCertificate } from '../shared/openssl-certificates.js';

const reader = new X509CertificateReader();

const successful = <Value>(result: { ok: true; value: Value } | { ok: false; error: string }): Value => {
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

/** The authorities of a PEM text. */
export const authoritiesOf = (...trusted: readonly OpensslCertificate[]): readonly ReadCertificate[] =>
  successful(reader.readPem(trusted.map(({ certificate }) => certificate).join('')));

export const certificateRules = (
  allowedNames: readonly string[] = [],
  allowedSans: readonly string[] = [],
): CertificateRules =>
  prepareCertificateRules({
    allowedNames: allowedNames.map((text) => successful(parseDistinguishedName(text))),
    allowedSans: allowedSans.map((text): AllowedSan => successful(parseAllowedSan(text))),
    userIdFrom: [],
    extractCn: true,
    extractEmail: false,
  });

/**
 * A check with its real adapters; by default for anybody's certificate, with the time of this machine standing still.
 */
export const mtlsCheck = (parts: Partial<MtlsCheckOptions>): MtlsCheck =>
  new MtlsCheck({
    rules: certificateRules(),
    authorities: null,
    reader,
    revocations: null,
    prepare: (identity) => preparedIdentity(identity, []),
    digest: new HmacSecretDigest(),
    clock: new ManualClock(Date.now()),
    memorySize: 100,
    ...parts,
  });

/** What a check says to a header. */
export const checkHeader = (check: MtlsCheck, value: string, chain: string | null = null): CheckOutcome =>
  check.check({ authorization: null, apiKey: null, certificate: { value, chain }, sessionCookies: [] });

/** What a check says to certificates in URL-encoded PEM, the client's own first. */
export const checkCertificates = (check: MtlsCheck, ...shown: readonly OpensslCertificate[]): CheckOutcome =>
  checkHeader(check, urlEncodedPem(shown.map(({ der }) => der)));

/** The user id where it authenticates, the reason where it fails. */
export const inShort = (outcome: CheckOutcome): string => {
  if (outcome.kind === 'authenticated') return `user ${outcome.prepared.identity.userId}`;
  return 'reason' in outcome ? outcome.reason : outcome.kind;
};

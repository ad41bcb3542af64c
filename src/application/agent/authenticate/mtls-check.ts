import { findChain } from '../../../domain/agent/client-certificates/certificate-chain.js';
import type { CertificateRejection } from '../../../domain/agent/client-certificates/certificate-rejection.js';
import {
  type CertificateRules,
  judgeCertificate,
} from '../../../domain/agent/client-certificates/certificate-rules.js';
import {
  decodeForwardedCertificate,
  type ForwardedCertificate,
  isLinked,
  maximumForwardedLength,
  showsCertificate,
} from '../../../domain/agent/client-certificates/forwarded-certificate.js';
import { checkLeaf } from '../../../domain/agent/client-certificates/leaf-rules.js';
import {
  nextBeginningMs,
  type PreparedAnchors,
  prepareAnchors,
} from '../../../domain/agent/client-certificates/prepared-anchors.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CertificateCredential, RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { Certificate } from '../../../domain/shared/certificate.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CertificateReader, ReadCertificate } from '../../ports/shared/certificate-reader.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import { CertificateMemory, type ValidityWindow } from './certificate-memory.js';
import type { PreparedIdentity } from './prepared-identity.js';

export interface MtlsCheckParts {
  readonly rules: CertificateRules;
  /** Trusted as they are. Null: whoever set the header has found the chain, and the certificate itself is checked. */
  readonly authorities: readonly ReadCertificate[] | null;
  readonly reader: CertificateReader;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  readonly digest: SecretDigest;
  readonly clock: Clock;
  /** Certificates that are remembered as accepted, at the most; 0: none. */
  readonly memorySize: number;
}

interface ShownCertificates {
  readonly leaf: ReadCertificate;
  readonly others: readonly ReadCertificate[];
}

type Chain = readonly ReadCertificate[];

/** Characters of all remembered names together, for each certificate that may be: few have names that long. */
const charactersPerCertificate = 1_024;
/** The same for a few certificates alone, whose names may be as long as a header lets them be. */
const leastCharacters = 262_144;

const windowOf = (chain: Chain): ValidityWindow => ({
  fromMs: Math.max(...chain.map(({ certificate }) => certificate.notBeforeMs)),
  toMs: Math.min(...chain.map(({ certificate }) => certificate.notAfterMs)),
});

/** Client certificates, as a header carries them from whoever has terminated TLS. */
export class MtlsCheck implements AuthenticationCheck {
  readonly method = 'mtls';
  readonly #parts: MtlsCheckParts;
  readonly #anchors: PreparedAnchors<ReadCertificate> | null;
  readonly #memory: CertificateMemory;

  constructor(parts: MtlsCheckParts) {
    this.#parts = parts;
    this.#anchors = parts.authorities && prepareAnchors(parts.authorities);
    this.#memory = new CertificateMemory(parts.clock, {
      maximumEntries: parts.memorySize,
      maximumSize: Math.max(leastCharacters, parts.memorySize * charactersPerCertificate),
    });
  }

  check({ certificate }: RequestCredentials): CheckOutcome {
    if (certificate === null || !showsCertificate(certificate)) return absent;
    const { value, chain } = certificate;
    // Before anything is made of it: no one makes this process digest a megabyte.
    if (value.length + (chain?.length ?? 0) > maximumForwardedLength) return failedCheck('certificate_malformed');
    // With the length of the first, so that no two pairs make one text.
    const key = this.#parts.digest.digest(chain === null ? `- ${value}` : `${value.length} ${value}${chain}`);
    return this.#memory.recall(key) ?? this.#judge(certificate, key);
  }

  #judge(credential: CertificateCredential, key: string): CheckOutcome {
    const nowMs = this.#parts.clock.wallMs();
    const shown = this.#read(credential);
    if (!shown.ok) return this.#refuse(key, shown.error);
    const chain = this.#findChain(shown.value, nowMs);
    if (!chain.ok) {
      const isEarly = chain.error === 'certificate_not_yet_valid';
      return this.#refuse(key, chain.error, isEarly ? this.#nextBeginningMs(shown.value, nowMs) : Infinity);
    }
    const leaf = (chain.value[0] as ReadCertificate).certificate;
    return this.#identify(leaf, windowOf(chain.value), key);
  }

  #identify(leaf: Certificate, window: ValidityWindow, key: string): CheckOutcome {
    const judged = judgeCertificate(leaf, this.#parts.rules);
    if (!judged.ok) return this.#refuse(key, judged.error);
    const { userId, identity } = judged.value;
    const prepared = this.#parts.prepare({ method: 'mtls', userId, claims: null, certificate: identity });
    const outcome: CheckOutcome = { kind: 'authenticated', prepared };
    const size = userId.length + identity.distinguishedName.length;
    this.#memory.accept(key, { outcome, window, size });
    return outcome;
  }

  #read(credential: CertificateCredential): Result<ShownCertificates, 'certificate_malformed'> {
    const decoded = decodeForwardedCertificate(credential);
    return decoded.ok ? this.#readAll(decoded.value) : decoded;
  }

  #readAll(forwarded: ForwardedCertificate): Result<ShownCertificates, 'certificate_malformed'> {
    const { reader } = this.#parts;
    const leaf = reader.read(forwarded.leaf);
    if (!leaf.ok) return err('certificate_malformed');
    const { statedFingerprint } = forwarded;
    if (statedFingerprint !== null && statedFingerprint !== leaf.value.certificate.fingerprint) {
      return err('certificate_malformed');
    }
    const others: ReadCertificate[] = [];
    for (const der of forwarded.others) {
      const other = reader.read(der);
      // A header that is damaged anywhere is damaged.
      if (!other.ok) return err('certificate_malformed');
      others.push(other.value);
    }
    const certificates = [leaf.value, ...others].map(({ certificate }) => certificate);
    return forwarded.isChain && !isLinked(certificates)
      ? err('certificate_malformed')
      : ok({ leaf: leaf.value, others });
  }

  #findChain({ leaf, others }: ShownCertificates, nowMs: number): Result<Chain, CertificateRejection> {
    if (this.#anchors !== null) {
      return findChain(leaf, others, this.#anchors, nowMs, (child, issuer) => child.isSignedBy(issuer));
    }
    const rejection = checkLeaf(leaf.certificate, nowMs);
    return rejection === null ? ok([leaf]) : err(rejection);
  }

  /** When what is not yet valid may be accepted: the certificate, one above it or an authority begins to be valid. */
  #nextBeginningMs({ leaf, others }: ShownCertificates, nowMs: number): number {
    const certificates = [leaf, ...others].map(({ certificate }) => certificate);
    return nextBeginningMs(certificates, this.#anchors?.beginnings ?? [], nowMs);
  }

  #refuse(key: string, reason: CertificateRejection, untilMs = Infinity): CheckOutcome {
    const outcome = failedCheck(reason);
    this.#memory.refuse(key, outcome, untilMs);
    return outcome;
  }
}

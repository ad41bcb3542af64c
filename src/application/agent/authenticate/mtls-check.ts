import { findChain } from '../../../domain/agent/client-certificates/certificate-chain.js';
import type { CertificateRejection } from '../../../domain/agent/client-certificates/certificate-defects.js';
import {
  type CertificateRules,
  checkLeaf,
  validateCertificate,
} from '../../../domain/agent/client-certificates/certificate-rules.js';
import {
  decodeForwardedCertificate,
  type ForwardedCertificate,
  isLinked,
  maximumForwardedLength,
  showsCertificate,
} from '../../../domain/agent/client-certificates/forwarded-certificate.js';
import {
  nextBeginningMs,
  type PreparedAnchors,
  prepareAnchors,
} from '../../../domain/agent/client-certificates/prepared-anchors.js';
import { checkRevocation, type Revocations } from '../../../domain/agent/client-certificates/revocations.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CertificateCredential, RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { Certificate } from '../../../domain/shared/certificate.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CertificateReader, ReadCertificate } from '../../ports/shared/certificate-reader.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import type { RevocationFiles } from '../revocation/revocation-files.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** A time interval, inclusive, in milliseconds since the Unix epoch. */
interface ValidityWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How long a refusal is cached: retries are cheap, and a corrected certificate is accepted soon. */
const rememberedRefusalMs = 5_000;
const maximumRefusals = 1_000;

interface CertificateMemoryLimits {
  /** Maximum accepted certificates; 0: no cache. */
  readonly maximumEntries: number;
  /** Maximum characters of all accepted certificates together. */
  readonly maximumSize: number;
}

/** An accepted certificate. */
interface AcceptedCertificate {
  readonly outcome: CheckOutcome;
  readonly window: ValidityWindow;
  /** Characters of its names. */
  readonly size: number;
}

interface Refused {
  readonly outcome: CheckOutcome;
  /** By the monotonic clock. */
  readonly endMs: number;
  /** By the wall clock. */
  readonly untilMs: number;
}

/**
 * Caches results for client certificates, because checking one costs much more than the rest of a request. An accepted
 * certificate stays while its whole chain is in its validity period, until LRU eviction. Refusals are cached briefly
 * and separately, so that they cannot evict accepted certificates.
 */
export class CertificateMemory {
  readonly #clock: Clock;
  readonly #limits: CertificateMemoryLimits;
  /** Least recently used first. */
  readonly #accepted = new Map<string, AcceptedCertificate>();
  #size = 0;
  /** In order of arrival, which is the order of expiry. */
  readonly #refused = new Map<string, Refused>();

  constructor(clock: Clock, limits: CertificateMemoryLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** A cached result that is still valid; null if the certificate must be checked. */
  recall(key: string): CheckOutcome | null {
    const accepted = this.#accepted.get(key);
    if (accepted === undefined) return this.#recallRefusal(key);
    this.#forget(key);
    const nowMs = this.#clock.wallMs();
    // Evicted, not refused: another chain may be valid, and the reason is unknown here.
    if (nowMs < accepted.window.fromMs || nowMs > accepted.window.toMs) return null;
    this.#keep(key, accepted);
    return accepted.outcome;
  }

  accept(key: string, accepted: AcceptedCertificate): void {
    const { maximumEntries, maximumSize } = this.#limits;
    if (maximumEntries === 0 || accepted.size > maximumSize) return;
    this.#forget(key);
    this.#keep(key, accepted);
    for (const oldest of this.#accepted.keys()) {
      if (this.#accepted.size <= maximumEntries && this.#size <= maximumSize) return;
      this.#forget(oldest);
    }
  }

  /** `untilMs`: when the refusal may become wrong, in milliseconds since the Unix epoch; infinity: never. */
  refuse(key: string, outcome: CheckOutcome, untilMs: number): void {
    if (this.#limits.maximumEntries === 0) return;
    const nowMs = this.#clock.monotonicMs();
    this.#refused.delete(key);
    this.#refused.set(key, { outcome, endMs: nowMs + rememberedRefusalMs, untilMs });
    for (const [oldest, { endMs }] of this.#refused) {
      if (nowMs < endMs && this.#refused.size <= maximumRefusals) return;
      this.#refused.delete(oldest);
    }
  }

  #recallRefusal(key: string): CheckOutcome | null {
    const refused = this.#refused.get(key);
    if (refused === undefined || this.#clock.monotonicMs() >= refused.endMs) return null;
    return this.#clock.wallMs() >= refused.untilMs ? null : refused.outcome;
  }

  #keep(key: string, accepted: AcceptedCertificate): void {
    this.#accepted.set(key, accepted);
    this.#size += accepted.size;
  }

  #forget(key: string): void {
    const accepted = this.#accepted.get(key);
    if (accepted === undefined) return;
    this.#accepted.delete(key);
    this.#size -= accepted.size;
  }
}

export interface MtlsCheckOptions {
  readonly rules: CertificateRules;
  /**
   * Trust anchors. Null: the component that set the header checked the chain, and only the certificate itself is
   * checked.
   */
  readonly authorities: readonly ReadCertificate[] | null;
  readonly reader: CertificateReader;
  /** Null: no certificate is revoked. */
  readonly revocations: Pick<RevocationFiles, 'current'> | null;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  readonly digest: SecretDigest;
  readonly clock: Clock;
  /** Maximum cached accepted certificates; 0: no cache. */
  readonly memorySize: number;
}

interface ShownCertificates {
  readonly leaf: ReadCertificate;
  readonly others: readonly ReadCertificate[];
}

type Chain = readonly ReadCertificate[];

/** Cache budget in characters per certificate; few have longer names. */
const charactersPerCertificate = 1_024;
/** Minimum budget: a header limits how long names can be. */
const leastCharacters = 262_144;

const windowOf = (chain: readonly Certificate[], lists: ValidityWindow): ValidityWindow => ({
  fromMs: Math.max(lists.fromMs, ...chain.map(({ notBeforeMs }) => notBeforeMs)),
  toMs: Math.min(lists.toMs, ...chain.map(({ notAfterMs }) => notAfterMs)),
});

/** Without revocation lists. */
const always = ok({ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY });

const memoryOf = ({ clock, memorySize }: MtlsCheckOptions): CertificateMemory =>
  new CertificateMemory(clock, {
    maximumEntries: memorySize,
    maximumSize: Math.max(leastCharacters, memorySize * charactersPerCertificate),
  });

/** Client certificates in a header, from the component that terminated TLS. */
export class MtlsCheck implements AuthenticationCheck {
  readonly method = 'mtls';
  readonly #parts: MtlsCheckOptions;
  readonly #anchors: PreparedAnchors<ReadCertificate> | null;
  #memory: CertificateMemory;
  /** The revocation lists by which the cached certificates were checked. */
  #revocations: Revocations | null = null;

  constructor(parts: MtlsCheckOptions) {
    this.#parts = parts;
    this.#anchors = parts.authorities && prepareAnchors(parts.authorities);
    this.#memory = memoryOf(parts);
  }

  check({ certificate }: RequestCredentials): CheckOutcome {
    if (certificate === null || !showsCertificate(certificate)) return absent;
    if (this.#parts.revocations !== null) this.#noteRevocations(this.#parts.revocations.current());
    const { value, chain } = certificate;
    // Checked first, so that no request makes this process digest a megabyte.
    if (value.length + (chain?.length ?? 0) > maximumForwardedLength) return failedCheck('certificate_malformed');
    // Includes the length of the first part, so that distinct pairs have distinct texts.
    const key = this.#parts.digest.digest(chain === null ? `- ${value}` : `${value.length} ${value}${chain}`);
    return this.#memory.recall(key) ?? this.#validate(certificate, key);
  }

  #validate(credential: CertificateCredential, key: string): CheckOutcome {
    const nowMs = this.#parts.clock.wallMs();
    const shown = this.#read(credential);
    if (!shown.ok) return this.#refuse(key, shown.error);
    const chain = this.#findChain(shown.value, nowMs);
    if (!chain.ok) {
      const isEarly = chain.error === 'certificate_not_yet_valid';
      return this.#refuse(key, chain.error, isEarly ? this.#nextBeginningMs(shown.value, nowMs) : Infinity);
    }
    const certificates = chain.value.map(({ certificate }) => certificate);
    const current = this.#revocations === null ? always : checkRevocation(certificates, this.#revocations, nowMs);
    if (!current.ok) return this.#refuse(key, current.error);
    return this.#identify(certificates[0] as Certificate, windowOf(certificates, current.value), key);
  }

  /** New lists may name certificates that are cached. */
  #noteRevocations(revocations: Revocations): void {
    if (revocations === this.#revocations) return;
    this.#revocations = revocations;
    this.#memory = memoryOf(this.#parts);
  }

  #identify(leaf: Certificate, window: ValidityWindow, key: string): CheckOutcome {
    const validated = validateCertificate(leaf, this.#parts.rules);
    if (!validated.ok) return this.#refuse(key, validated.error);
    const { userId, identity } = validated.value;
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
      // One malformed certificate makes the whole header malformed.
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

  /** When a premature certificate may become valid: the earliest start among the chain and the authorities. */
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

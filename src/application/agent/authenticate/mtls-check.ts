import { findChain } from '../../../domain/agent/client-certificates/certificate-chain.js';
import type { CertificateRejection } from '../../../domain/agent/client-certificates/certificate-defects.js';
import {
  type CertificateRules,
  checkLeaf,
  judgeCertificate,
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
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CertificateCredential, RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { Certificate } from '../../../domain/shared/certificate.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CertificateReader, ReadCertificate } from '../../ports/shared/certificate-reader.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** The first and the last moment at which something holds, in milliseconds since the Unix epoch. */
interface ValidityWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How long a refusal is remembered: a client that goes on trying costs little, and nobody is refused for long. */
const rememberedRefusalMs = 5_000;
const maximumRefusals = 1_000;

interface CertificateMemoryLimits {
  /** Accepted ones; 0: nothing is remembered. */
  readonly maximumEntries: number;
  /** Characters of all that is remembered of accepted ones together. */
  readonly maximumSize: number;
}

/** A certificate that was accepted. */
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
  /** By the clock on the wall. */
  readonly untilMs: number;
}

/**
 * Remembers what client certificates came to, because to judge one costs many times what the rest of a request costs.
 * One that was accepted is remembered as long as it and all above it are in their time, or until others push it out,
 * the least recently used first. Refusals are remembered briefly and elsewhere: no number of them pushes out what was
 * accepted.
 */
export class CertificateMemory {
  readonly #clock: Clock;
  readonly #limits: CertificateMemoryLimits;
  /** In the order of use, the latest last. */
  readonly #accepted = new Map<string, AcceptedCertificate>();
  #size = 0;
  /** In the order of arrival, which is that of the ends. */
  readonly #refused = new Map<string, Refused>();

  constructor(clock: Clock, limits: CertificateMemoryLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** What still holds of what was remembered; null where the certificate has to be judged. */
  recall(key: string): CheckOutcome | null {
    const accepted = this.#accepted.get(key);
    if (accepted === undefined) return this.#recallRefusal(key);
    this.#forget(key);
    const nowMs = this.#clock.wallMs();
    // Forgotten rather than refused: another chain may hold, and the reason is not known here.
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

  /**
   * `untilMs`: the moment from which the refusal may be wrong, in milliseconds since the Unix epoch; infinity: none.
   */
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

export interface MtlsCheckParts {
  readonly rules: CertificateRules;
  /** Trusted as they are. Null: whoever set the header has found the chain, and the certificate itself is checked. */
  readonly authorities: readonly ReadCertificate[] | null;
  readonly reader: CertificateReader;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  readonly digest: SecretDigest;
  readonly clock: Clock;
  /** Certificates that are remembered as accepted, at most; 0: none. */
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

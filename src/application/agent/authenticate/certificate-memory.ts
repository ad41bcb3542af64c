import type { Clock } from '../../ports/shared/clock.js';
import type { CheckOutcome } from './authentication-check.js';

/** The first and the last moment at which something holds, in milliseconds since the Unix epoch. */
export interface ValidityWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How long a refusal is remembered: a client that goes on trying costs little, and nobody is refused for long. */
export const rememberedRefusalMs = 5_000;
const maximumRefusals = 1_000;

export interface CertificateMemoryLimits {
  /** Accepted ones; 0: nothing is remembered. */
  readonly maximumEntries: number;
  /** Characters of all that is remembered of accepted ones together. */
  readonly maximumSize: number;
}

/** A certificate that was accepted. */
export interface AcceptedCertificate {
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
 * One that was accepted is remembered as long as it and all above it are in their time, or until others push it out, the
 * least recently used first. Refusals are remembered briefly and elsewhere: no number of them pushes out what was
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

  /** `untilMs`: the moment from which the refusal may be wrong, in milliseconds since the Unix epoch; infinity: none. */
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

import type { MetricsReport } from '../metrics-report.js';
import { agentMetricsLimits } from './metric-limits.js';
import { isSmallReport } from './small-report.js';

/** Bounds and default of the reporting interval, in milliseconds. */
const shortestMs = 1_000;
const longestMs = 300_000;
const usualMs = 10_000;
/** A gauge expires after this many intervals without a report. */
const freshIntervals = 3;

/** The announced reporting interval within its bounds, in milliseconds. */
export const boundedInterval = (ms: number): number =>
  ms > 0 ? Math.min(longestMs, Math.max(shortestMs, ms)) : usualMs;

/** Where an agent runs. An `embedded` one is in the gateway: its reports arrive in order, and it announces its end. */
export type AgentHosting = 'embedded' | 'external';

/** A current or former agent id, with the time of its last report. */
export class ReportingAgent {
  readonly hosting: AgentHosting;
  #timestampMs = Number.NEGATIVE_INFINITY;
  #seenMs: number;
  #readMs = Number.NEGATIVE_INFINITY;
  #intervalMs = usualMs;
  #hasEnded = false;
  #held: MetricsReport | null = null;

  constructor(nowMs: number, hosting: AgentHosting) {
    this.#seenMs = nowMs;
    this.hosting = hosting;
  }

  /**
   * Whether to read a report now. An older report that was overtaken on another connection is ignored while the last
   * one is fresh; afterwards the clock of the agent may have gone back. A report too soon after the last one is held
   * back, unless it is large, in case it is the last.
   */
  begin(report: MetricsReport, nowMs: number): boolean {
    const isEmbedded = this.hosting === 'embedded';
    if (!isEmbedded && report.timestampMs < this.#timestampMs && this.isFresh(nowMs)) return false;
    this.#timestampMs = report.timestampMs;
    this.#intervalMs = boundedInterval(report.intervalMs);
    this.#seenMs = nowMs;
    this.#hasEnded = false;
    if (!isEmbedded && nowMs - this.#readMs < agentMetricsLimits.readEveryMs) {
      if (isSmallReport(report)) this.#held = report;
      return false;
    }
    this.#readMs = nowMs;
    this.#held = null;
    return true;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Removes and returns the held report; null: none. */
  takeHeld(): MetricsReport | null {
    const held = this.#held;
    this.#held = null;
    return held;
  }

  /** Whether its last report is still valid. */
  isFresh(nowMs: number): boolean {
    return nowMs - this.#seenMs <= freshIntervals * this.#intervalMs;
  }

  /** Whether no further report is expected. */
  isGone(nowMs: number): boolean {
    return this.#hasEnded || (this.hosting === 'external' && !this.isFresh(nowMs));
  }

  /** Whether to evict this agent id before another: ended ones first, then those silent for longer. */
  isEvictedBefore(other: ReportingAgent): boolean {
    return this.#hasEnded === other.#hasEnded ? this.#seenMs < other.#seenMs : this.#hasEnded;
  }
}

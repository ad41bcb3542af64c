import type { MetricsReport } from '../metrics-report.js';
import { agentMetricsLimits } from './metric-limits.js';
import { isModest } from './modest-report.js';

/** Intervals, in milliseconds: what an agent says is believed between these bounds. */
const shortestMs = 1_000;
const longestMs = 300_000;
const usualMs = 10_000;
/** Intervals without a report, after which a gauge says nothing any more. */
const freshIntervals = 3;

/** How often an agent reports, in milliseconds, by what it says. */
export const believedInterval = (ms: number): number =>
  ms > 0 ? Math.min(longestMs, Math.max(shortestMs, ms)) : usualMs;

/**
 * Whether an agent is in the gateway's own process: what such a one reports is in order, and it is gone when it says
 * so.
 */
export type AgentPlace = 'here' | 'elsewhere';

/** An agent that is running or was, known by its id: when it reported last. */
export class ReportingAgent {
  readonly place: AgentPlace;
  #timestampMs = Number.NEGATIVE_INFINITY;
  #seenMs: number;
  #readMs = Number.NEGATIVE_INFINITY;
  #intervalMs = usualMs;
  #hasEnded = false;
  #held: MetricsReport | null = null;

  constructor(nowMs: number, place: AgentPlace) {
    this.#seenMs = nowMs;
    this.place = place;
  }

  /**
   * Whether the report is to be read now. It is not where it was made before the last one, and has been overtaken on
   * another connection; an agent whose clock was set back is listened to again once its last report is no longer fresh.
   * Nor is it where the last one was read just before: it is held back, unless it is large, in case it is the last.
   */
  begin(report: MetricsReport, nowMs: number): boolean {
    const isHere = this.place === 'here';
    if (!isHere && report.timestampMs < this.#timestampMs && this.isFresh(nowMs)) return false;
    this.#timestampMs = report.timestampMs;
    this.#intervalMs = believedInterval(report.intervalMs);
    this.#seenMs = nowMs;
    this.#hasEnded = false;
    if (!isHere && nowMs - this.#readMs < agentMetricsLimits.readEveryMs) {
      if (isModest(report)) this.#held = report;
      return false;
    }
    this.#readMs = nowMs;
    this.#held = null;
    return true;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** The report that was held back, if any, to be read now. */
  takeHeld(): MetricsReport | null {
    const held = this.#held;
    this.#held = null;
    return held;
  }

  /** Whether it is as its last report says. */
  isFresh(nowMs: number): boolean {
    return nowMs - this.#seenMs <= freshIntervals * this.#intervalMs;
  }

  /** Whether no more is expected of it. */
  isGone(nowMs: number): boolean {
    return this.#hasEnded || (this.place === 'elsewhere' && !this.isFresh(nowMs));
  }

  /** Whether this one is forgotten rather than the other: one that has ended first, then one that is silent longer. */
  goesBefore(other: ReportingAgent): boolean {
    return this.#hasEnded === other.#hasEnded ? this.#seenMs < other.#seenMs : this.#hasEnded;
  }
}

import type { MetricsReport } from '../metrics-report.js';

/** Intervals, in milliseconds: what an agent says is believed between these bounds. */
const shortestMs = 1_000;
const longestMs = 300_000;
const usualMs = 10_000;
/** Intervals without a report, after which a gauge says nothing any more. */
const freshIntervals = 3;

const believedInterval = (ms: number): number => (ms > 0 ? Math.min(longestMs, Math.max(shortestMs, ms)) : usualMs);

/** An agent that is running or was, known by its id: when it reported last. */
export class ReportingAgent {
  #timestampMs = Number.NEGATIVE_INFINITY;
  #seenMs: number;
  #intervalMs = usualMs;
  #hasEnded = false;

  constructor(nowMs: number) {
    this.#seenMs = nowMs;
  }

  /**
   * False where the report was made before the last one, and has been overtaken on another connection. An agent whose clock
   * was set back is listened to again once its last report is no longer fresh.
   */
  begin({ timestampMs, intervalMs }: MetricsReport, nowMs: number): boolean {
    if (timestampMs < this.#timestampMs && this.isFresh(nowMs)) return false;
    this.#timestampMs = timestampMs;
    this.#intervalMs = believedInterval(intervalMs);
    this.#seenMs = nowMs;
    this.#hasEnded = false;
    return true;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Whether it is as its last report says. */
  isFresh(nowMs: number): boolean {
    return nowMs - this.#seenMs <= freshIntervals * this.#intervalMs;
  }

  /** Whether this one is forgotten rather than the other: one that has ended first, then one that is silent longer. */
  goesBefore(other: ReportingAgent): boolean {
    return this.#hasEnded === other.#hasEnded ? this.#seenMs < other.#seenMs : this.#hasEnded;
  }
}

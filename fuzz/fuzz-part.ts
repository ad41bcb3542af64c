import type { Finding } from './findings.js';

/** One way to try inputs. */
export interface FuzzPart {
  readonly name: string;
  /** Why it cannot run here; null: it can. */
  readonly missing: string | null;
  /** Cases until everything that is remembered once, and compiled code, is there. */
  readonly settledCases: number;
  start(): Promise<RunningPart>;
}

export interface RunningPart {
  /** Cases that may be under way at once. */
  readonly width: number;
  /** Tries one case. The same seed and index try the same input. */
  tryCase(seed: number, index: number): Finding | null | Promise<Finding | null>;
  /** How often what happened, by kind. */
  readonly counts: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Counts by kind. */
export class Tally extends Map<string, number> {
  count(kind: string): void {
    this.set(kind, (this.get(kind) ?? 0) + 1);
  }
}

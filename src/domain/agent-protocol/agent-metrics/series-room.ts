import type { DropReason } from './dropped-series.js';
import type { FamilyNames } from './family-names.js';
import { flatText } from './flat-text.js';
import type { MetricType } from './metric-family.js';
import { agentMetricsLimits } from './metric-limits.js';
import { isMetricName } from './reported-text.js';

/** The quota of families and series of one configured agent. */
export class SeriesRoom {
  readonly #names: FamilyNames;
  readonly #families = new Set<string>();
  #lines = 0;

  constructor(names: FamilyNames) {
    this.#names = names;
  }

  /** Reserves room for a series of `lines` lines. Null: reserved. */
  take(name: string, type: MetricType, isFirst: boolean, lines: number): DropReason | null {
    if (isFirst && !isMetricName(name)) return 'its name is not well-formed';
    if (this.#lines + lines > agentMetricsLimits.lines) return 'there are too many series';
    if (isFirst) {
      if (this.#families.size >= agentMetricsLimits.families) return 'there are too many families';
      const kept = flatText(name);
      if (this.#families.has(kept) || !this.#names.claim(kept, type)) return 'its name is taken';
      this.#families.add(kept);
    }
    this.#lines += lines;
    return null;
  }

  /** Releases the room of a series, and of its family after the last series. */
  giveBack(name: string, isLast: boolean, lines: number): void {
    this.#lines -= lines;
    if (isLast && this.#families.delete(name)) this.#names.release(name);
  }

  /** Releases all names. The quota must not be used afterwards. */
  close(): void {
    for (const name of this.#families) this.#names.release(name);
    this.#families.clear();
  }
}

import type { DropReason } from './dropped-series.js';
import type { FamilyNames } from './family-names.js';
import { flatText } from './flat-text.js';
import type { MetricType } from './metric-family.js';
import { agentMetricsLimits } from './metric-limits.js';
import { isMetricName } from './reported-text.js';

/** How much room one configured agent has for families and series, and what is left of it. */
export class SeriesRoom {
  readonly #names: FamilyNames;
  readonly #families = new Set<string>();
  #lines = 0;

  constructor(names: FamilyNames) {
    this.#names = names;
  }

  /** Makes room for a series of so many lines, the first of its family or one more: null where there is some. */
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

  /** Gives back the room of a series, and of its family where it was the last. */
  giveBack(name: string, isLast: boolean, lines: number): void {
    this.#lines -= lines;
    if (isLast && this.#families.delete(name)) this.#names.release(name);
  }

  /** Gives back every name. Nothing is taken after that. */
  close(): void {
    for (const name of this.#families) this.#names.release(name);
    this.#families.clear();
  }
}

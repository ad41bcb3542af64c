import type { ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';

/** Counts what differs in its labels: one series for each kind of it that has happened. Kinds are a closed set, so the series are bounded. */
export class LabelledCounter<Kind extends string> {
  readonly #name: string;
  readonly #help: string;
  readonly #labelsOf: (kind: Kind) => Readonly<Record<string, string>>;
  readonly #values = new Map<Kind, number>();

  constructor(name: string, help: string, labelsOf: (kind: Kind) => Readonly<Record<string, string>>) {
    this.#name = name;
    this.#help = help;
    this.#labelsOf = labelsOf;
  }

  add(kind: Kind): void {
    this.#values.set(kind, (this.#values.get(kind) ?? 0) + 1);
  }

  /** The series in the order in which they began. */
  values(): readonly ReportedValue[] {
    return Array.from(this.#values, ([kind, value]) => ({
      name: this.#name,
      help: this.#help,
      labels: this.#labelsOf(kind),
      value,
    }));
  }
}

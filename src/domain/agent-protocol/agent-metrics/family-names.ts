import { agentMetricPrefix, type MetricType } from './metric-family.js';
import { ownAgentFamilies } from './own-agent-families.js';

/** All sample names of a family in the exposition. */
export const sampleNames = (name: string, type: MetricType | 'summary'): readonly string[] => {
  if (type === 'histogram') return [name, `${name}_bucket`, `${name}_sum`, `${name}_count`];
  return type === 'summary' ? [name, `${name}_sum`, `${name}_count`] : [name];
};

/** Sample names of the auth agent. */
const ownSamples: ReadonlySet<string> = new Set(
  [...ownAgentFamilies].flatMap(([name, type]) => sampleNames(agentMetricPrefix + name, type)),
);

/** Whether a family of this name and type conflicts with one of the auth agent. */
const isInTheWay = (name: string, type: MetricType, samples: readonly string[]): boolean => {
  const own = ownAgentFamilies.get(name);
  if (own !== undefined) return own !== type;
  return samples.some((sample) => ownSamples.has(sample));
};

/** The names in use. A family has one type for all agents, and shares no sample name with another family. */
export class FamilyNames {
  readonly #reserved: ReadonlySet<string>;
  readonly #taken = new Set<string>();
  readonly #families = new Map<string, { readonly type: MetricType; users: number }>();

  /** @param reserved sample names of the gateway's own metrics, as exposed */
  constructor(reserved: ReadonlySet<string>) {
    this.#reserved = reserved;
  }

  /** False: the name is unavailable for that type. Every success must be released. */
  claim(name: string, type: MetricType): boolean {
    const family = this.#families.get(name);
    if (family !== undefined) {
      if (family.type !== type) return false;
      family.users += 1;
      return true;
    }
    const samples = sampleNames(agentMetricPrefix + name, type);
    if (isInTheWay(name, type, samples)) return false;
    if (samples.some((sample) => this.#reserved.has(sample) || this.#taken.has(sample))) return false;
    for (const sample of samples) this.#taken.add(sample);
    this.#families.set(name, { type, users: 1 });
    return true;
  }

  release(name: string): void {
    const family = this.#families.get(name);
    if (family === undefined) return;
    family.users -= 1;
    if (family.users > 0) return;
    this.#families.delete(name);
    for (const sample of sampleNames(agentMetricPrefix + name, family.type)) this.#taken.delete(sample);
  }
}

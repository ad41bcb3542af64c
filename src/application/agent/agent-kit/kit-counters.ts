import type { AgentDecision, AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { ReportedHistogram, ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';
import { LabelledCounter } from '../agent-service/agent-service-counters.js';

/** Upper bounds in seconds. */
const bounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

/** The metrics of every agent of the kit. */
export class KitCounters {
  readonly #events = new LabelledCounter<AgentEvent['kind']>('events_total', 'Events that were decided', (event) => ({
    event,
  }));
  readonly #decisions = new LabelledCounter<AgentDecision['kind']>(
    'decisions_total',
    'Answers by decision',
    (decision) => ({ decision }),
  );
  readonly #errors = new LabelledCounter<AgentEvent['kind']>(
    'event_errors_total',
    'Events whose method failed; the answer was 500',
    (event) => ({ event }),
  );
  readonly #buckets = new Float64Array(bounds.length + 1);
  #count = 0;
  #seconds = 0;
  #blocked = 0;

  get processed(): number {
    return this.#count;
  }

  get rejected(): number {
    return this.#blocked;
  }

  decided(event: AgentEvent['kind'], decision: AgentDecision['kind'], seconds: number): void {
    this.#events.add(event);
    this.#decisions.add(decision);
    if (decision !== 'allow') this.#blocked += 1;
    this.#count += 1;
    this.#seconds += seconds;
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    const index = bucket < 0 ? bounds.length : bucket;
    this.#buckets[index] = (this.#buckets[index] as number) + 1;
  }

  failed(event: AgentEvent['kind']): void {
    this.#errors.add(event);
  }

  counters(): readonly ReportedValue[] {
    return [...this.#events.values(), ...this.#decisions.values(), ...this.#errors.values()];
  }

  duration(): ReportedHistogram {
    let count = 0;
    const buckets = Array.from(this.#buckets, (value, index) => {
      count += value;
      return { le: bounds[index] ?? Number.POSITIVE_INFINITY, count };
    });
    const help = 'Duration of a decision, in seconds';
    return { name: 'event_duration_seconds', help, labels: {}, sum: this.#seconds, count, buckets };
  }
}

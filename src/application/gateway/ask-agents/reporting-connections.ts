import { agentMetricsLimits } from '../../../domain/agent-protocol/agent-metrics/metric-limits.js';
import { boundedInterval } from '../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/**
 * Chooses the connection whose metric reports count for an agent id, because an agent sends the same on each. The
 * choice holds while the connection is open and reports. So reports stay in order, even while an agent drains and its
 * successor already reports under the same id.
 */
export class ReportingConnections {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #speakers = new Map<string, { readonly connection: PooledAgentConnection; readonly untilMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Whether a report on this connection counts. A report with too long an id counts, so that it is refused later. */
  speaks(
    connection: PooledAgentConnection,
    { agentId, intervalMs }: Pick<MetricsReport, 'agentId' | 'intervalMs'>,
  ): boolean {
    if (agentId.length > agentMetricsLimits.agentIdLength) return true;
    const nowMs = this.#clock.monotonicMs();
    const speaker = this.#speakers.get(agentId);
    if (speaker !== undefined && speaker.connection !== connection && nowMs < speaker.untilMs) return false;
    // The map is in the order of the last reports.
    this.#speakers.delete(agentId);
    const [eldest] = this.#speakers.keys();
    if (eldest !== undefined && this.#speakers.size >= agentMetricsLimits.agentIds) this.#speakers.delete(eldest);
    this.#speakers.set(agentId, { connection, untilMs: nowMs + 2 * boundedInterval(intervalMs) });
    return true;
  }

  /** Forgets a connection that has ended, so that another one can report. */
  ended(connection: PooledAgentConnection): void {
    for (const [agentId, speaker] of this.#speakers) {
      if (speaker.connection === connection) this.#speakers.delete(agentId);
    }
  }
}

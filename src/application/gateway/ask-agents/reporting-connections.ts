import { agentMetricsLimits } from '../../../domain/agent-protocol/agent-metrics/metric-limits.js';
import { believedInterval } from '../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/**
 * Which connection speaks for an agent id: an agent reports the same by each of them. One does as long as it stands
 * and reports, so that what comes is in order, also while an agent that keeps its id drains and its successor reports
 * already.
 */
export class ReportingConnections {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #speakers = new Map<string, { readonly connection: PooledAgentConnection; readonly untilMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Whether a report is to be read that came by this connection; one with too long an agent id is, to be refused. */
  speaks(
    connection: PooledAgentConnection,
    { agentId, intervalMs }: Pick<MetricsReport, 'agentId' | 'intervalMs'>,
  ): boolean {
    if (agentId.length > agentMetricsLimits.agentIdLength) return true;
    const nowMs = this.#clock.monotonicMs();
    const speaker = this.#speakers.get(agentId);
    if (speaker !== undefined && speaker.connection !== connection && nowMs < speaker.untilMs) return false;
    // In the order in which they spoke last.
    this.#speakers.delete(agentId);
    const [eldest] = this.#speakers.keys();
    if (eldest !== undefined && this.#speakers.size >= agentMetricsLimits.agentIds) this.#speakers.delete(eldest);
    this.#speakers.set(agentId, { connection, untilMs: nowMs + 2 * believedInterval(intervalMs) });
    return true;
  }

  /** The connection has ended: another one speaks from now on. */
  ended(connection: PooledAgentConnection): void {
    for (const [agentId, speaker] of this.#speakers) {
      if (speaker.connection === connection) this.#speakers.delete(agentId);
    }
  }
}

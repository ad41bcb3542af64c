import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import { type CountedFamily, supervisedCounters } from '../../../../domain/gateway/status/counted-family.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { AgentReports } from '../../ask-agents/reports/agent-reports.js';
import type { UncollectedReport } from '../../ask-agents/reports/uncollected-agent-reports.js';
import type { WorkerCounts } from './gathering-topics.js';

/** The agents that one worker reaches. */
interface WorkerAgents {
  agents: readonly string[];
  /** The agent ids that it reaches. */
  readonly ids: Map<string, UncollectedReport>;
  /** The agents whose end it has reported. It may report again, and their last totals must not count twice. */
  readonly ended: Set<string>;
}

const keyOf = ({ agent, agentId }: UncollectedReport): string => JSON.stringify([agent, agentId]);

/**
 * The reports of agents to all workers. An agent that is connected to several workers reports the same to each, and
 * counts once. Embedded agents of the workers are summed, and their counts stay when a worker ends.
 */
export class GatheredAgentReports {
  readonly #reports: AgentReports;
  readonly #shares = new Map<WorkerChannel, WorkerAgents>();
  #kept = '';

  /** @param reports processes the reports, as in one process */
  constructor(reports: AgentReports) {
    this.#reports = reports;
  }

  take(worker: WorkerChannel, { agents, reports }: Pick<WorkerCounts, 'agents' | 'reports'>): void {
    const share = this.#shares.get(worker) ?? { agents, ids: new Map(), ended: new Set() };
    share.agents = agents;
    this.#shares.set(worker, share);
    this.#keep();
    for (const held of reports) this.#read(share, held);
    const reported = new Set(reports.map(keyOf));
    // A worker forgets the ids of agents that are no longer configured.
    for (const [key, held] of share.ids) if (!reported.has(key)) this.#end(share, held);
    for (const key of share.ended) if (!reported.has(key)) share.ended.delete(key);
  }

  left(worker: WorkerChannel): void {
    const share = this.#shares.get(worker);
    if (share === undefined) return;
    this.#shares.delete(worker);
    for (const held of [...share.ids.values()]) this.#end(share, held);
  }

  families(): readonly AgentMetricFamily[] {
    return this.#reports.families();
  }

  /** Number of dropped series. */
  dropped(): CountedFamily {
    const series = this.#reports
      .dropped()
      .map(({ agent, count }) => ({ labels: { agent }, value: count, counts: [] as readonly number[] }));
    return { name: supervisedCounters.agentSeriesDropped, series };
  }

  #keep(): void {
    const agents = new Set([...this.#shares.values()].flatMap((share) => share.agents));
    const kept = JSON.stringify([...agents].sort());
    if (kept === this.#kept) return;
    this.#kept = kept;
    this.#reports.keep(agents);
  }

  #read(share: WorkerAgents, held: UncollectedReport): void {
    const { agent, hosting, report, hasEnded } = held;
    const key = keyOf(held);
    if (hasEnded && share.ended.has(key)) return;
    share.ids.set(key, { ...held, report: null });
    if (report !== null) this.#reports.readerOf(agent, hosting).reported(report);
    if (hasEnded) {
      this.#end(share, held);
      share.ended.add(key);
    } else {
      share.ended.delete(key);
    }
  }

  /** The worker no longer reaches the agent. It has ended if no other worker reaches it. */
  #end(share: WorkerAgents, held: UncollectedReport): void {
    const key = keyOf(held);
    share.ids.delete(key);
    for (const { ids } of this.#shares.values()) if (ids.has(key)) return;
    this.#reports.readerOf(held.agent, held.hosting).ended(held.agentId);
  }
}

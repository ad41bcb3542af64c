import type { MetricsExposition, PoolFigures } from '../../../ports/gateway/gateway-metrics.js';
import type { GatewayState } from '../../../ports/gateway/gateway-state.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { HeldAgentReports } from '../../ask-agents/reports/held-agent-reports.js';
import { askSupervisor, askWorker, supervisorAnswerMs } from './gathering-topics.js';
import { snapshotOf } from './merge-snapshots.js';

/** What a worker tells of. */
export interface GatheredParts {
  readonly state: GatewayState & { pools(): readonly PoolFigures[]; askAgentsToReport(): void };
  readonly metrics: MetricsExposition;
  readonly agentReports: HeldAgentReports;
}

/** Has a worker answer what the supervisor asks it about itself, from when it has a configuration on. */
export const answerGathering = (supervisor: WorkerChannel, { state, metrics, agentReports }: GatheredParts): void => {
  supervisor.answer(askWorker.snapshot, () => snapshotOf(state));
  supervisor.answer(askWorker.counts, () => {
    state.askAgentsToReport();
    return {
      counts: metrics.counts(),
      pools: state.pools(),
      agents: agentReports.agents(),
      reports: agentReports.handOver(),
    };
  });
  supervisor.answer(askWorker.drain, ({ upstream, address, drained }) => state.drainTarget(upstream, address, drained));
};

/**
 * Drains what somebody has drained, before this worker came or while it started. Called once it has a configuration and
 * answers; whatever is drained from then on it is asked itself.
 */
export const adoptDrainedTargets = async (supervisor: WorkerChannel, state: GatewayState): Promise<void> => {
  const answered = await supervisor.ask(askSupervisor.drained, null, supervisorAnswerMs);
  if (!answered.ok) return;
  for (const { upstream, address } of answered.value) state.drainTarget(upstream, address, true);
};

import type { MetricsExposition, PoolFigures } from '../../../ports/gateway/gateway-metrics.js';
import type { GatewayState } from '../../../ports/gateway/gateway-state.js';
import type { WorkerChannel } from '../../../shared/worker-channel/worker-channel.js';
import type { UncollectedAgentReports } from '../../ask-agents/reports/uncollected-agent-reports.js';
import { askSupervisor, askWorker, supervisorAnswerMs } from './gathering-topics.js';
import { snapshotOf } from './merge-snapshots.js';

/** The sources of a worker's answers. */
interface WorkerSources {
  readonly state: GatewayState & { pools(): readonly PoolFigures[]; askAgentsToReport(): void };
  readonly metrics: MetricsExposition;
  readonly agentReports: UncollectedAgentReports;
}

/** Makes a worker answer the supervisor's questions about it. Call it when the worker has a configuration. */
export const answerGathering = (supervisor: WorkerChannel, { state, metrics, agentReports }: WorkerSources): void => {
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
 * Drains the targets that were drained before this worker could be asked. Call it after `answerGathering`; later drains
 * reach the worker as questions.
 */
export const adoptDrainedTargets = async (supervisor: WorkerChannel, state: GatewayState): Promise<void> => {
  const answered = await supervisor.ask(askSupervisor.drained, null, supervisorAnswerMs);
  if (!answered.ok) return;
  for (const { upstream, address } of answered.value) state.drainTarget(upstream, address, true);
};

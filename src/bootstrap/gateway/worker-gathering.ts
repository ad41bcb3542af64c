import type { Container } from 'inversify';
import { HeldAgentReports } from '../../application/gateway/ask-agents/reports/held-agent-reports.js';
import { adoptDrainedTargets, answerGathering } from '../../application/gateway/workers/aggregate/answer-gathering.js';
import { SupervisedGateway } from '../../application/gateway/workers/aggregate/supervised-gateway.js';
import type { StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';

/** What a worker does for the figures of the whole gateway, step by step. */
export interface WorkerGathering {
  /** The worker has a configuration: from now on it answers. */
  inForce(): void;
  /** What was drained while the worker was prepared is drained here too. To be called before it takes a connection. */
  adoptDrained(): Promise<void>;
}

/** Has a worker's endpoints tell of the whole gateway, and the worker tell of itself. */
export const gatherInWorker = (
  container: Container,
  supervisor: WorkerChannel,
  { number, reloads }: StartOrder,
): WorkerGathering => {
  const agentReports = new HeldAgentReports();
  container.rebind(gateway.agentMetrics).toConstantValue(agentReports);
  container.rebind(gateway.workerPlace).toConstantValue({ worker: number, reloads });
  container
    .rebind(gateway.whole)
    .toResolvedValue(
      (state, metrics) => new SupervisedGateway(supervisor, state, metrics),
      [gateway.state, gateway.metrics],
    )
    .inSingletonScope();
  return {
    inForce: () => {
      const [state, metrics] = [container.get(gateway.state), container.get(gateway.metrics)];
      answerGathering(supervisor, { state, metrics, agentReports });
    },
    adoptDrained: () => adoptDrainedTargets(supervisor, container.get(gateway.state)),
  };
};

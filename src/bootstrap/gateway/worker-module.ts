import type { Container } from 'inversify';
import { attachedSocket } from '../../adapters/outbound/node-listening-sockets/node-listening-socket.js';
import { SupervisedSockets } from '../../application/gateway/workers/serve/supervised-sockets.js';
import type { StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { embeddedAgentTokens } from '../shared/embedded-agent-tokens.js';
import { agentFactoryLoader } from '../shared/embedded-agents.js';
import { programBuildCommit, programVersion } from '../shared/version.js';
import { shareStoresInWorker } from '../shared/worker-stores.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';
import { type SharedLimits, shareLimitsInWorker } from './share-limits.js';
import { workerTokens } from './worker-tokens.js';

/** Makes the container of a gateway that of a worker: what one process has of its own comes from the supervisor. */
export const asWorker = (container: Container, supervisor: WorkerChannel, order: StartOrder): SharedLimits => {
  container.bind(workerTokens.supervisor).toConstantValue(supervisor);
  container.bind(workerTokens.order).toConstantValue(order);
  container
    .rebind(gateway.listeningSockets)
    .toResolvedValue((channel) => new SupervisedSockets(channel, attachedSocket), [workerTokens.supervisor])
    .inSingletonScope();
  const share = (): void => shareStoresInWorker(container, supervisor);
  container.rebind(embeddedAgentTokens.loadAgentFactory).toConstantValue(agentFactoryLoader(container, share));
  container.rebind(gateway.identity).toConstantValue({
    name: 'portcullis',
    version: programVersion,
    buildCommit: programBuildCommit,
    nodeVersion: process.version,
    startedAtMs: order.startedAtMs,
  });
  return shareLimitsInWorker(container, supervisor, order.workers);
};

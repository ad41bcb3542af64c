import type { Container } from 'inversify';
import { attachedSocket } from '../adapters/outbound/node-listening-sockets/node-listening-socket.js';
import type { Correspondence } from '../application/correspondence/correspondence.js';
import { SupervisedSockets } from '../application/serve-supervisor/supervised-sockets.js';
import type { StartOrder } from '../application/supervise-workers/worker-topics.js';
import { agentFactoryLoader } from './embedded-agents.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';
import { type SharedLimits, shareLimitsInWorker } from './share-limits.js';
import { programBuildCommit, programVersion } from './version.js';
import { shareStoresInWorker } from './worker-stores.js';
import { workerTokens } from './worker-tokens.js';

/** Makes the container of a gateway that of a worker: what one process has of its own comes from the supervisor. */
export const asWorker = (container: Container, supervisor: Correspondence, order: StartOrder): SharedLimits => {
  container.bind(workerTokens.supervisor).toConstantValue(supervisor);
  container.bind(workerTokens.order).toConstantValue(order);
  container
    .rebind(gateway.listeningSockets)
    .toResolvedValue(
      (correspondence) => new SupervisedSockets(correspondence, attachedSocket),
      [workerTokens.supervisor],
    )
    .inSingletonScope();
  const share = (): void => shareStoresInWorker(container, supervisor);
  container.rebind(gateway.loadAgentFactory).toConstantValue(agentFactoryLoader(container, share));
  container.rebind(gateway.identity).toConstantValue({
    name: 'portcullis',
    version: programVersion,
    buildCommit: programBuildCommit,
    nodeVersion: process.version,
    startedAtMs: order.startedAtMs,
  });
  return shareLimitsInWorker(container, supervisor, order.workers);
};

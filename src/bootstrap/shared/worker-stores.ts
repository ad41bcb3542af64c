import type { Container } from 'inversify';
import { RelayedSessionEndings } from '../../application/agent/share-stores/relayed-session-endings.js';
import { RemoteStoreOpener } from '../../application/agent/share-stores/remote-session-stores.js';
import { RemoteSpentAssertions } from '../../application/agent/share-stores/remote-spent-assertions.js';
import { ShareStores } from '../../application/agent/share-stores/share-stores.js';
import type { Clock } from '../../application/ports/shared/clock.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { Scheduler } from '../../application/ports/shared/scheduler.js';
import type { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { agentTokens } from '../agent/agent-tokens.js';
import { openSessionStores } from '../agent/session-store-openers.js';
import { sharedTokens } from './shared-tokens.js';

/** The stores in the supervisor for the embedded agents of all workers. */
export const sharedStores = (logger: Logger, clock: Clock, scheduler: Scheduler): ShareStores =>
  new ShareStores({ opener: openSessionStores(logger), clock, scheduler });

/** Rebinds the stores of a worker's embedded agents to those in the supervisor. */
export const shareStoresInWorker = (container: Container, supervisor: WorkerChannel): void => {
  container
    .rebind(agentTokens.sessionStoreOpener)
    .toResolvedValue((logger) => new RemoteStoreOpener(supervisor, openSessionStores(logger)), [sharedTokens.logger])
    .inSingletonScope();
  container.rebind(agentTokens.sessionEndings).toConstantValue(new RelayedSessionEndings(supervisor));
  container
    .rebind(agentTokens.spentAssertions)
    .toResolvedValue((clock) => new RemoteSpentAssertions(supervisor, clock), [sharedTokens.clock])
    .inSingletonScope();
};

import type { Container } from 'inversify';
import type { Correspondence } from '../application/correspondence/correspondence.js';
import { RelayedSessionEndings } from '../application/share-stores/relayed-session-endings.js';
import { RemoteSpentAssertions } from '../application/share-stores/remote-spent-assertions.js';
import { RemoteStoreOpener } from '../application/share-stores/remote-store-opener.js';
import { agentTokens } from './agent-tokens.js';
import { openSamlStores } from './saml-store-openers.js';
import { sharedTokens } from './shared-tokens.js';

/** Has the embedded agents of a worker remember with those of all others what must be remembered in one place. */
export const shareStoresInWorker = (container: Container, supervisor: Correspondence): void => {
  container
    .rebind(agentTokens.samlStoreOpener)
    .toResolvedValue((logger) => new RemoteStoreOpener(supervisor, openSamlStores(logger)), [sharedTokens.logger])
    .inSingletonScope();
  container.rebind(agentTokens.sessionEndings).toConstantValue(new RelayedSessionEndings(supervisor));
  container
    .rebind(agentTokens.spentAssertions)
    .toResolvedValue((clock) => new RemoteSpentAssertions(supervisor, clock), [sharedTokens.clock])
    .inSingletonScope();
};

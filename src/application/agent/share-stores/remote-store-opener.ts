import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SamlStoreOpener, SamlStores } from '../../ports/agent/saml-stores.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import { RemoteSamlStores, storeDeadlineMs, supervisorFailure } from './remote-saml-stores.js';
import { closeStores, openStores } from './store-topics.js';

/**
 * Opens stores in a worker: what would be in the memory of one process alone is in the supervisor's, for all workers; what has a place of
 * its own, as a file or a server, each worker opens by itself.
 */
export class RemoteStoreOpener implements SamlStoreOpener {
  readonly #channel: Pick<WorkerChannel, 'ask'>;
  readonly #local: SamlStoreOpener;
  #lastHandle = 0;

  /** @param local for every kind but `memory` */
  constructor(channel: Pick<WorkerChannel, 'ask'>, local: SamlStoreOpener) {
    this.#channel = channel;
    this.#local = local;
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStores, string>> {
    if (options.kind !== 'memory') return this.#local.open(options, namespace);
    this.#lastHandle += 1;
    const handle = this.#lastHandle;
    const answered = await this.#channel.ask(openStores, { handle, namespace }, storeDeadlineMs);
    if (!answered.ok) {
      // It may be opened after all, only too late.
      void this.#channel.ask(closeStores, { handle }, storeDeadlineMs);
      return err(supervisorFailure(answered.error));
    }
    return answered.value.ok ? ok(new RemoteSamlStores(this.#channel, handle)) : answered.value;
  }
}

import type { SamlStoreOpener } from '../../ports/agent/saml-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { AttendedWorker } from '../../shared/worker-channel/attended-worker.js';
import { EndedSessionsRelay } from './ended-sessions-relay.js';
import { SharedSamlStores } from './shared-saml-stores.js';
import { SharedSpentAssertions } from './shared-spent-assertions.js';

export interface ShareStoresParts {
  /** Opens stores in memory. */
  readonly opener: SamlStoreOpener;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

/** In the supervisor: what embedded agents must remember in one place, however many workers they run in. */
export class ShareStores {
  readonly #stores: SharedSamlStores;
  readonly #relay = new EndedSessionsRelay();
  readonly #assertions: SharedSpentAssertions;
  readonly #ends = new Map<AttendedWorker, readonly (() => void)[]>();

  constructor(parts: ShareStoresParts) {
    this.#stores = new SharedSamlStores(parts);
    this.#assertions = new SharedSpentAssertions(parts.clock);
  }

  /** Workers open what their configuration names. */
  adopt(): void {}

  attend(worker: AttendedWorker): void {
    const { channel } = worker;
    this.#assertions.serve(channel);
    this.#ends.set(worker, [this.#stores.serve(channel), this.#relay.serve(channel)]);
  }

  left(worker: AttendedWorker): void {
    for (const end of this.#ends.get(worker) ?? []) end();
    this.#ends.delete(worker);
  }
}

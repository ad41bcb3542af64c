import type { ReloadOutcome } from '../../../ports/gateway/gateway-cluster.js';

/** Carries wishes to load the configuration again from the endpoints to whoever is in charge of it. */
export class ReloadRequests {
  #serve: (() => Promise<ReloadOutcome>) | null = null;

  /** Called once, when there is a gateway that can reload. `reload` never rejects. */
  serveWith(reload: () => Promise<ReloadOutcome>): void {
    this.#serve = reload;
  }

  async request(): Promise<ReloadOutcome> {
    return this.#serve === null ? { kind: 'not_now', reason: 'The gateway starts.' } : this.#serve();
  }
}

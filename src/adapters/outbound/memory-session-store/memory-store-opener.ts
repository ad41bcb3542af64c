import type { SamlStoreOpener, SamlStores } from '../../../application/ports/agent/saml-stores.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { defaultMemoryLimits, type MemoryStoreLimits } from './memory-limits.js';
import { MemoryReplayStore } from './memory-replay-store.js';
import { MemorySessionStore } from './memory-session-store.js';
import { MemorySignOnRequestStore } from './memory-sign-on-request-store.js';
import { OpenState } from './open-state.js';

/** Stores in the memory of this process. Each opening is empty: who wants one for several opens it once. */
export class MemoryStoreOpener implements SamlStoreOpener {
  readonly #limits: MemoryStoreLimits;

  constructor(limits: Partial<MemoryStoreLimits> = {}) {
    this.#limits = { ...defaultMemoryLimits, ...limits };
  }

  async open(options: SessionStoreOptions): Promise<Result<SamlStores, string>> {
    if (options.kind !== 'memory') return err(`a ${options.kind} session store is not in memory`);
    const state = new OpenState();
    return ok({
      sessions: new MemorySessionStore(this.#limits, state),
      replays: new MemoryReplayStore(this.#limits.replays, state),
      requests: new MemorySignOnRequestStore(this.#limits, state),
      isLost: () => false,
      close: async () => state.close(),
    });
  }
}

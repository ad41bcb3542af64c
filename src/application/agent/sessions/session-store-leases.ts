import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStoreOpener, SessionStores } from '../../ports/agent/session-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { announcedStores } from './announced-stores.js';
import { SessionCache } from './session-cache.js';
import type { EndedSessions, SessionEndings } from './session-endings.js';
import { StoreState } from './store-state.js';
import { watchedStores } from './watched-stores.js';

/** A lease of opened stores, held by one configuration. */
export interface SessionStoreLease {
  readonly stores: SessionStores;
  /** The health of `stores`, common to all leases. */
  readonly state: Pick<StoreState, 'failure' | 'fails' | 'onChange'>;
  /** The cached sessions of `stores`, common to all leases. */
  readonly known: SessionCache;
  /** Closes the stores if this is the last lease, and resolves then. Idempotent. */
  release(): Promise<void>;
}

type OpenedStores = Omit<SessionStoreLease, 'release'>;

interface SharedStores {
  leases: number;
  /** Null until open. */
  stores: SessionStores | null;
  readonly opened: Promise<Result<OpenedStores, string>>;
}

export interface SessionStoreLeaseSources {
  readonly opener: SessionStoreOpener;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the other processes of the gateway. */
  readonly endings: SessionEndings;
}

const placeOf = (options: SessionStoreOptions): string => {
  switch (options.kind) {
    case 'sqlite':
      return options.path;
    case 'redis':
      return options.url.reveal();
    case 'memory':
      return '';
  }
};

/**
 * The session stores of a process. Configurations that name the same stores share them; releasing the last lease closes
 * them.
 */
export class SessionStoreLeases {
  readonly #parts: SessionStoreLeaseSources;
  readonly #shared = new Map<string, SharedStores>();
  /** Stores that are closing. Their place can be reopened only afterwards. */
  readonly #closing = new Map<string, Promise<void>>();
  /** The caches of all open stores. */
  readonly #known = new Map<SessionStores, SessionCache>();

  constructor(parts: SessionStoreLeaseSources) {
    this.#parts = parts;
    parts.endings.hear((ended) => this.#forget(ended));
  }

  /**
   * Opens stores or shares open ones. Lost stores are opened again; existing leases keep the lost ones. The error is
   * one clause that says what to do.
   */
  async acquire(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStoreLease, string>> {
    const id = JSON.stringify([options.kind, placeOf(options), namespace]);
    const known = this.#shared.get(id);
    const shared = known === undefined || known.stores?.isLost() === true ? this.#open(id, options, namespace) : known;
    shared.leases += 1;
    const opened = await shared.opened.finally(() => this.#endOpening(id, shared));
    if (!opened.ok) return opened;
    let released: Promise<void> | null = null;
    const release = (): Promise<void> => {
      released ??= this.#release(id, shared, opened.value.stores);
      return released;
    };
    return ok({ ...opened.value, release });
  }

  #open(id: string, options: SessionStoreOptions, namespace: string): SharedStores {
    const free = this.#closing.get(id) ?? Promise.resolve();
    const opened = free.then(() => this.#parts.opener.open(options, namespace));
    const shared: SharedStores = {
      leases: 0,
      stores: null,
      opened: opened.then((outcome) => {
        if (!outcome.ok) return outcome;
        shared.stores = outcome.value;
        return ok(this.#watched(outcome.value));
      }),
    };
    this.#shared.set(id, shared);
    return shared;
  }

  #watched(opened: SessionStores): OpenedStores {
    const { clock, logger, endings } = this.#parts;
    const state = new StoreState(logger);
    const stores = announcedStores(watchedStores(opened, state), endings);
    const known = new SessionCache(stores.sessions, clock);
    this.#known.set(stores, known);
    return { stores, state, known };
  }

  /** Evicts sessions that ended elsewhere. Ids are random, so evicting from every store is safe. */
  #forget({ hashes, subject }: EndedSessions): void {
    for (const known of this.#known.values()) {
      for (const idHash of hashes) known.ended(idHash);
      if (subject !== null) known.endedOfSubject(subject);
    }
  }

  /** Removes stores that failed to open, so that the next `acquire` tries again. */
  #endOpening(id: string, shared: SharedStores): void {
    if (shared.stores === null && this.#shared.get(id) === shared) this.#shared.delete(id);
  }

  async #release(id: string, shared: SharedStores, stores: SessionStores): Promise<void> {
    shared.leases -= 1;
    if (shared.leases > 0) return;
    this.#known.delete(stores);
    if (this.#shared.get(id) !== shared) {
      // The stores were lost and have been replaced.
      await stores.close();
      return;
    }
    this.#shared.delete(id);
    const closed = stores.close();
    const free = closed
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(id) === free) this.#closing.delete(id);
      });
    this.#closing.set(id, free);
    await closed;
  }
}

import type { SessionStoreOptions } from '../../domain/configuration/saml-options.js';
import { ok, type Result } from '../../domain/shared/result.js';
import type { SamlStoreOpener, SamlStores } from '../ports/saml-stores.js';

/** The use of opened stores, by one configuration. */
export interface SamlStoreLease {
  readonly stores: SamlStores;
  /** Resolves once they are closed, if nobody else uses them. Calling it again changes nothing. */
  release(): Promise<void>;
}

interface SharedStores {
  leases: number;
  isOpen: boolean;
  readonly opened: Promise<Result<SamlStores, string>>;
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

/** The stores of single sign-on of a process: configurations that name the same ones share them, and the last one closes them. */
export class SamlStoreLeases {
  readonly #opener: SamlStoreOpener;
  readonly #shared = new Map<string, SharedStores>();
  /** Those that are being closed: their place is free only then. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(opener: SamlStoreOpener) {
    this.#opener = opener;
  }

  /** The error is one clause that says what to do. */
  async acquire(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStoreLease, string>> {
    const id = JSON.stringify([options.kind, placeOf(options), namespace]);
    const shared = this.#shared.get(id) ?? this.#open(id, options, namespace);
    shared.leases += 1;
    const opened = await shared.opened.finally(() => this.#endOpening(id, shared));
    if (!opened.ok) return opened;
    const stores = opened.value;
    let released: Promise<void> | null = null;
    const release = (): Promise<void> => {
      released ??= this.#release(id, shared, stores);
      return released;
    };
    return ok({ stores, release });
  }

  #open(id: string, options: SessionStoreOptions, namespace: string): SharedStores {
    const free = this.#closing.get(id) ?? Promise.resolve();
    const opened = free.then(() => this.#opener.open(options, namespace));
    const shared: SharedStores = {
      leases: 0,
      isOpen: false,
      opened: opened.then((outcome) => {
        shared.isOpen = outcome.ok;
        return outcome;
      }),
    };
    this.#shared.set(id, shared);
    return shared;
  }

  /** What could not be opened is tried anew by whoever comes next. */
  #endOpening(id: string, shared: SharedStores): void {
    if (!shared.isOpen && this.#shared.get(id) === shared) this.#shared.delete(id);
  }

  async #release(id: string, shared: SharedStores, stores: SamlStores): Promise<void> {
    shared.leases -= 1;
    if (shared.leases > 0) return;
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

import type { SessionStoreOpener } from '../../application/ports/agent/session-stores.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { SessionStoreOptions } from '../../domain/agent/configuration/sessions-options.js';

interface StoreOpenMode {
  /** Whether to create a missing file; for stores in files. */
  readonly creates: boolean;
  /** Whether to wait for an unreachable server; for stores on servers. */
  readonly waits: boolean;
}

/**
 * Loads a technology when it is configured, so that others cost nothing. One opener serves all
 * stores of a technology, so that it knows the open ones.
 */
const loadOpener = async (
  kind: SessionStoreOptions['kind'],
  logger: Logger,
  settings: StoreOpenMode,
): Promise<SessionStoreOpener> => {
  switch (kind) {
    case 'sqlite': {
      const { SqliteStoreOpener } = await import('../../adapters/outbound/sqlite-session-store/sqlite-store-opener.js');
      return new SqliteStoreOpener(settings);
    }
    case 'memory': {
      const { MemoryStoreOpener } = await import('../../adapters/outbound/memory-session-store/memory-store-opener.js');
      return new MemoryStoreOpener();
    }
    case 'redis': {
      const { RedisStoreOpener } = await import('../../adapters/outbound/redis-session-store/redis-store-opener.js');
      return new RedisStoreOpener(logger, settings);
    }
  }
};

const lazyOpeners =
  (settings: StoreOpenMode) =>
  (logger: Logger): SessionStoreOpener => {
    const openers = new Map<SessionStoreOptions['kind'], Promise<SessionStoreOpener>>();
    const openerFor = (kind: SessionStoreOptions['kind']): Promise<SessionStoreOpener> => {
      const known = openers.get(kind) ?? loadOpener(kind, logger, settings);
      openers.set(kind, known);
      return known;
    };
    return { open: async (options, namespace) => (await openerFor(options.kind)).open(options, namespace) };
  };

/**
 * Why stores of a technology are unusable on this platform; null if they are usable. Opens none.
 */
export const storeKindFault = async (kind: SessionStoreOptions['kind']): Promise<string | null> => {
  if (kind !== 'sqlite') return null;
  const { loadSqlite } = await import('../../adapters/outbound/sqlite-session-store/sqlite-module.js');
  const loaded = await loadSqlite();
  return loaded.ok ? null : loaded.error;
};

/** Opens stores of the configured technology. */
export const openSessionStores = lazyOpeners({ creates: true, waits: true });

/** Opens existing stores only: creates no file and does not wait for a server. */
export const openExistingSessionStores = lazyOpeners({ creates: false, waits: false });

import type { SamlStoreOpener, SamlStores } from '../../../application/ports/agent/saml-stores.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { RedisConnection, type ServerJudgement } from './redis-connection.js';
import { keyPrefix } from './redis-keys.js';
import { readRedisPlace, redisAddress } from './redis-place.js';
import { RedisReplayStore } from './redis-replay-store.js';
import { RedisSignOnRequestStore } from './redis-request-store.js';
import { RedisSessionStore } from './redis-session-store.js';
import { serverFacts } from './server-facts.js';

/** Requests to the identity provider that are kept at one time: 250 MiB where somebody floods us with the longest of paths. */
const mostRequests = 50_000;

export interface RedisStoreSettings {
  /** Requests that are kept at one time, at the most. */
  readonly requests: number;
  /** Whether stores are opened that cannot be reached yet: they fail until they are. */
  readonly waits: boolean;
}

const defaultSettings: RedisStoreSettings = { requests: mostRequests, waits: true };

/**
 * Opens stores in a Redis server, from 6.2 on; Valkey is one. What is kept lasts as Redis is set up to keep it: with `appendonly yes` and
 * `appendfsync always` it is there after a crash.
 */
export class RedisStoreOpener implements SamlStoreOpener {
  readonly #logger: Logger;
  readonly #settings: RedisStoreSettings;

  /** @param logger is told where the server may drop keys, or cannot be reached yet */
  constructor(logger: Logger, settings: Partial<RedisStoreSettings> = {}) {
    this.#logger = logger;
    this.#settings = { ...defaultSettings, ...settings };
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStores, string>> {
    if (options.kind !== 'redis') return err(`session-store "${options.kind}" is not redis`);
    const place = readRedisPlace(options.url);
    if (!place.ok) return place;
    const address = redisAddress(place.value);
    const connection = new RedisConnection(place.value, this.#judge(address));
    const prefix = keyPrefix(namespace);
    const sessions = new RedisSessionStore(connection, prefix);
    const opened = await connection.open();
    const isAwaited = !opened.ok && opened.error.isPassing && this.#settings.waits;
    if (isAwaited) {
      this.#logger.warn('redis cannot be reached yet', { server: address, reason: opened.error.reason });
      connection.keepTrying();
    } else {
      const fault = opened.ok ? await this.#fault(sessions) : opened.error.reason;
      if (fault !== null) {
        await connection.close();
        return err(`redis at ${address} cannot be used: ${fault}`);
      }
    }
    return ok({
      sessions,
      replays: new RedisReplayStore(connection, prefix),
      requests: new RedisSignOnRequestStore(connection, prefix, this.#settings.requests),
      isLost: () => false,
      close: () => connection.close(),
    });
  }

  /** A server whose user may not run scripts tells of it here first. */
  async #fault(sessions: RedisSessionStore): Promise<string | null> {
    const tried = await sessions.find('');
    return tried.ok ? null : tried.error.reason.replace(/^redis failed: /, '');
  }

  /** What there is to be said for a server that can be used all the same is said once. */
  #judge(address: string): ServerJudgement {
    let warned: string | null = null;
    return (info) => {
      const { fault, warning } = serverFacts(info);
      if (warning !== null && warning !== warned) this.#logger.warn(warning, { server: address });
      warned = warning;
      return fault;
    };
  }
}

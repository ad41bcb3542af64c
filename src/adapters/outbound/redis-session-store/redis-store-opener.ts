import type { SessionStoreOpener, SessionStores } from '../../../application/ports/agent/session-stores.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { maximumKeptForms } from '../../../domain/agent/sign-on/kept-form.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { RedisConnection, type RedisConnectionOptions } from '../../redis/redis-connection.js';
import { readRedisEndpoint, redisAddress } from '../../redis/redis-endpoint.js';
import { answerCode } from '../../redis/redis-failure.js';
import { formsInRedis, RedisHandleStore, requestsInRedis } from './redis-handle-store.js';
import { RedisReplayStore } from './redis-replay-store.js';
import { checkRedisServer } from './redis-server-check.js';
import { RedisSessionStore } from './redis-session-store.js';
import { SessionKeyspace } from './session-keyspace.js';

/**
 * Maximum pending requests to the identity provider: 250 MiB if an attacker sends the longest
 * paths.
 */
const maxRequests = 50_000;

const purpose = {
  urlKey: 'session-store-url',
  content: 'sessions',
  permissions: 'PING, run scripts, and read and write keys portcullis:*',
};

export interface RedisStoreOptions {
  /** Maximum pending requests to the identity provider. */
  readonly requests: number;
  /** Maximum kept forms: 1 000 of the longest take 100 MiB of memory. */
  readonly forms: number;
  /** Whether to accept an unreachable server: its stores then fail until it is reached. */
  readonly waits: boolean;
}

const defaultSettings: RedisStoreOptions = { requests: maxRequests, forms: maximumKeptForms, waits: true };

/**
 * Opens stores in a Redis server, 6.2 or later, or in Valkey. Durability is the server's: with
 * `appendonly yes` and `appendfsync always` the stores survive a crash.
 */
export class RedisStoreOpener implements SessionStoreOpener {
  readonly #logger: Logger;
  readonly #settings: RedisStoreOptions;

  /**
   * @param logger gets a warning about a server that may evict keys, or that cannot be reached yet
   */
  constructor(logger: Logger, settings: Partial<RedisStoreOptions> = {}) {
    this.#logger = logger;
    this.#settings = { ...defaultSettings, ...settings };
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStores, string>> {
    if (options.kind !== 'redis') return err(`session-store "${options.kind}" is not redis`);
    const endpoint = readRedisEndpoint(options.url, purpose.urlKey);
    if (!endpoint.ok) return endpoint;
    const address = redisAddress(endpoint.value);
    const connection = new RedisConnection({
      endpoint: endpoint.value,
      purpose,
      connectMs: 2_000,
      answerMs: 1_000,
      handshake: this.#handshake(address),
    });
    const keyspace = new SessionKeyspace(connection, namespace);
    const sessions = new RedisSessionStore(keyspace);
    const opened = await connection.open();
    if (!opened.ok && opened.error.kind === 'unreachable' && this.#settings.waits) {
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
      replays: new RedisReplayStore(keyspace),
      requests: new RedisHandleStore(keyspace, requestsInRedis, this.#settings.requests),
      forms: new RedisHandleStore(keyspace, formsInRedis, this.#settings.forms),
      isLost: () => false,
      close: () => connection.close(),
    });
  }

  /** Checks at the start that the user may run scripts. */
  async #fault(sessions: RedisSessionStore): Promise<string | null> {
    const tried = await sessions.find('');
    return tried.ok ? null : tried.error.reason.replace(/^redis failed: /, '');
  }

  /** Checks the server on every connection; logs each warning once. */
  #handshake(address: string): RedisConnectionOptions['handshake'] {
    let warned: string | null = null;
    return async (send) => {
      await send(['PING']);
      const info: unknown = await send(['INFO']).catch((error: unknown) => {
        // The user may lack permission for INFO. A broken connection is a failure.
        if (answerCode(error) === null) throw error;
        return null;
      });
      const { fault, warning } = checkRedisServer(typeof info === 'string' ? info : null);
      if (warning !== null && warning !== warned) this.#logger.warn(warning, { server: address });
      warned = warning;
      return fault;
    };
  }
}

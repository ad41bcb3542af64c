import type { Logger } from '../../../application/ports/logger.js';
import type { SamlStoreOpener, SamlStores } from '../../../application/ports/saml-stores.js';
import type { SessionStoreOptions } from '../../../domain/configuration/saml-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { RedisConnection } from './redis-connection.js';
import { keyPrefix } from './redis-keys.js';
import { readRedisPlace, redisAddress } from './redis-place.js';
import { RedisReplayStore } from './redis-replay-store.js';
import { RedisSignOnRequestStore } from './redis-request-store.js';
import { RedisSessionStore } from './redis-session-store.js';
import { serverFacts } from './server-facts.js';

/** Requests to the identity provider that are kept at one time: 250 MiB where somebody floods us with the longest of paths. */
const mostRequests = 50_000;

/**
 * Opens stores in a Redis server, from 6.2 on; Valkey is one. What is kept lasts as Redis is set up to keep it: with `appendonly yes` and
 * `appendfsync always` it is there after a crash.
 */
export class RedisStoreOpener implements SamlStoreOpener {
  readonly #logger: Logger;
  readonly #mostRequests: number;

  /** @param logger is told where the server may drop keys */
  constructor(logger: Logger, limits: { readonly requests: number } = { requests: mostRequests }) {
    this.#logger = logger;
    this.#mostRequests = limits.requests;
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStores, string>> {
    if (options.kind !== 'redis') return err(`session-store "${options.kind}" is not redis`);
    const place = readRedisPlace(options.url);
    if (!place.ok) return place;
    const server = `redis at ${redisAddress(place.value)}`;
    const opened = await RedisConnection.open(place.value);
    if (!opened.ok) return err(`${server} cannot be used: ${opened.error}`);
    const connection = opened.value;
    const info = await connection.send(['INFO']);
    const { fault, warning } = serverFacts(info.ok && typeof info.value === 'string' ? info.value : null);
    if (fault !== null) {
      await connection.close();
      return err(`${server} cannot be used: ${fault}`);
    }
    const prefix = keyPrefix(namespace);
    const sessions = new RedisSessionStore(connection, prefix);
    // A server that wants a password, or whose user may not run scripts, tells of it here first.
    const tried = await sessions.find('');
    if (!tried.ok) {
      await connection.close();
      return err(`${server} cannot be used: ${tried.error.reason.replace(/^redis failed: /, '')}`);
    }
    if (warning !== null) this.#logger.warn(warning, { server: redisAddress(place.value) });
    return ok({
      sessions,
      replays: new RedisReplayStore(connection, prefix),
      requests: new RedisSignOnRequestStore(connection, prefix, this.#mostRequests),
      close: () => connection.close(),
    });
  }
}

import { err, ok, type Result } from '../../domain/shared/result.js';
import { Secret } from '../../domain/shared/secret.js';

/** Address and credentials of a Redis server. */
export interface RedisEndpoint {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Null: the default user. */
  readonly user: string | null;
  readonly password: Secret | null;
  /** Database number. */
  readonly database: number;
}

const defaultPort = 6_379;
const databasePath = /^\/?$|^\/\d{1,5}$/;

const decoded = (part: string): string | null => {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
};

const parsed = (text: string): URL | null => {
  try {
    return new URL(text);
  } catch {
    return null;
  }
};

/**
 * Reads `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS. The error quotes
 * no part of the URL, which may contain a password.
 *
 * @param urlKey configuration key of the URL, for the error
 */
export const readRedisEndpoint = (secret: Secret, urlKey: string): Result<RedisEndpoint, string> => {
  const form = err(`${urlKey} must be redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS`);
  const url = parsed(secret.reveal());
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:')) return form;
  const { hostname, port, pathname, search, hash } = url;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (hostname === '' || port === '0' || search !== '' || hash !== '' || !databasePath.test(pathname)) return form;
  if (user === null || password === null) return form;
  if (password === '' && user !== '')
    return err(`${urlKey} has a user without a password: use redis://USER:PASSWORD@HOST`);
  return ok({
    // A URL has an IPv6 address in brackets.
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? defaultPort : Number(port),
    tls: url.protocol === 'rediss:',
    user: user === '' ? null : user,
    password: password === '' ? null : new Secret(password),
    database: Number(pathname.slice(1)),
  });
};

/** The address for messages: `localhost:6379`, `[::1]:6379`. */
export const redisAddress = ({ host, port }: RedisEndpoint): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

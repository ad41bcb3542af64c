import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';

/** Where a Redis server is, and who we are to it. */
export interface RedisPlace {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Null: the default user. */
  readonly user: string | null;
  readonly password: Secret | null;
  /** Number of the database. */
  readonly database: number;
}

const defaultPort = 6_379;
const databasePath = /^\/?$|^\/\d{1,5}$/;

const form = 'session-store-url has to be redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS';

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

/** Reads `session-store-url`. The error repeats nothing of it: it may hold a password, in whatever part. */
export const readRedisPlace = (secret: Secret): Result<RedisPlace, string> => {
  const url = parsed(secret.reveal());
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:')) return err(form);
  const { hostname, port, pathname, search, hash, username, password } = url;
  const [user, word] = [decoded(username), decoded(password)];
  if (hostname === '' || port === '0' || search !== '' || hash !== '' || !databasePath.test(pathname)) return err(form);
  if (user === null || word === null) return err(form);
  if (word === '' && user !== '')
    return err('session-store-url has a user and no password: redis://USER:PASSWORD@HOST');
  return ok({
    // In a URL an IPv6 address is in brackets.
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? defaultPort : Number(port),
    tls: url.protocol === 'rediss:',
    user: user === '' ? null : user,
    password: word === '' ? null : new Secret(word),
    database: Number(pathname.slice(1)),
  });
};

/** As messages show it: `localhost:6379`, `[::1]:6379`. */
export const redisAddress = ({ host, port }: RedisPlace): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

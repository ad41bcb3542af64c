import type { Secret } from '../../../domain/shared/secret.js';

/** Where a Redis server is, and who we are to it. */
export interface RedisPlace {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Undefined: the default user. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Number of the database. */
  readonly database: number;
}

/** Reads `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS; null where it is none. */
export const readRedisPlace = (secret: Secret): RedisPlace | null => {
  try {
    const { protocol, hostname, port, pathname, username, password } = new URL(secret.reveal());
    if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '') return null;
    return {
      // In a URL an IPv6 address is in brackets.
      host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: port === '' ? 6_379 : Number(port),
      tls: protocol === 'rediss:',
      user: username === '' ? undefined : decodeURIComponent(username),
      password: password === '' ? undefined : decodeURIComponent(password),
      database: Number(pathname.slice(1)) || 0,
    };
  } catch {
    // The error repeats the URL, which may hold a password.
    return null;
  }
};

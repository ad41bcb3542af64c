import net from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { SocketAddress } from '../../domain/configuration/network-addresses.js';

/**
 * Node's internal handle of a bound socket, for `server.listen` and `child.send`. Not polled
 * before.
 */
export interface ServerHandle {
  /** Negative after `close`. */
  readonly fd: number;
  /** Returns 0, or the negated errno. */
  getsockname(out: { address?: string; port?: number }): number;
  /** Idempotent. */
  close(): void;
}

type CreateServerHandle = (
  host: string | null,
  port: number | null,
  family: number | null,
  fd?: number,
  flags?: number,
) => ServerHandle | number;

/**
 * Binds without listening, or adopts a descriptor. A port and a family of -1 mean a unix socket at
 * the path `host`. Node's cluster module uses this function; it has no public name. Only this file
 * uses it.
 */
const createServerHandle: CreateServerHandle = (...parameters) => {
  const { _createServerHandle: create } = net as { readonly _createServerHandle?: CreateServerHandle };
  if (create === undefined) {
    throw new Error(
      `Node ${process.version} cannot bind sockets before they listen (net._createServerHandle is missing)`,
    );
  }
  return create(...parameters);
};

/** An error in the format of `node:net`. */
export const bindError = (errno: number, { host, port }: SocketAddress): Error => {
  const code = getSystemErrorName(errno);
  const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return Object.assign(new Error(`bind ${code} ${at}`), { code, errno, syscall: 'bind', address: host, port });
};

/** The address of a handle, or the errno. */
export const boundAddress = (handle: ServerHandle): SocketAddress | number => {
  const out: { address?: string; port?: number } = {};
  const errno = handle.getsockname(out);
  return errno === 0 ? { host: out.address ?? '', port: out.port ?? 0 } : errno;
};

/** Binds an address. `host` is an IP address. Throws the system's error. */
export const bindHandle = (address: SocketAddress): ServerHandle => {
  const { host, port } = address;
  const handle = createServerHandle(host, port, host.includes(':') ? 6 : 4, -1, 0);
  if (typeof handle === 'number') throw bindError(handle, address);
  // libuv reports EADDRINUSE only here.
  const bound = boundAddress(handle);
  if (typeof bound !== 'number') return handle;
  handle.close();
  throw bindError(bound, address);
};

/** The TCP socket of a descriptor; null if there is none. */
export const adoptHandle = (fd: number): ServerHandle | null => {
  const handle = createServerHandle(null, null, null, fd, 0);
  if (typeof handle === 'number') return null;
  const bound = boundAddress(handle);
  if (typeof bound !== 'number' && bound.host !== '') return handle;
  handle.close();
  return null;
};

/**
 * Binds a unix socket, which creates its file; `close` removes the file. Throws the system's error.
 */
export const bindPathHandle = (path: string): ServerHandle => {
  const handle = createServerHandle(path, -1, -1);
  if (typeof handle !== 'number') return handle;
  const code = getSystemErrorName(handle);
  throw Object.assign(new Error(`bind ${code} ${path}`), { code, errno: handle, syscall: 'bind', address: path });
};

import net from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';

/** A bound socket as Node's own modules hold it: `server.listen` and `child.send` take it. It is not polled before. */
export interface ServerHandle {
  /** Negative once it is closed. */
  readonly fd: number;
  /** Gives 0, or the negated number of the system's error. */
  getsockname(out: { address?: string; port?: number }): number;
  /** Does nothing where it is closed already. */
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
 * Binds without listening, or takes a descriptor: what Node's cluster module does, and what has no public name. This
 * file alone knows of it.
 */
const createServerHandle: CreateServerHandle = (...parameters) => {
  const { _createServerHandle: create } = net as { readonly _createServerHandle?: CreateServerHandle };
  if (create === undefined) {
    throw new Error(`Node ${process.version} cannot bind sockets ahead (net._createServerHandle is missing)`);
  }
  return create(...parameters);
};

/** As `node:net` words what the system says of a socket. */
export const bindError = (errno: number, { host, port }: SocketAddress): Error => {
  const code = getSystemErrorName(errno);
  const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return Object.assign(new Error(`bind ${code} ${at}`), { code, errno, syscall: 'bind', address: host, port });
};

/** Where a handle is bound; the number of the system's error where it is not. */
export const boundAddress = (handle: ServerHandle): SocketAddress | number => {
  const out: { address?: string; port?: number } = {};
  const errno = handle.getsockname(out);
  return errno === 0 ? { host: out.address ?? '', port: out.port ?? 0 } : errno;
};

/** Binds an address. Throws what the system says. `host` is an IP address. */
export const bindHandle = (address: SocketAddress): ServerHandle => {
  const { host, port } = address;
  const handle = createServerHandle(host, port, host.includes(':') ? 6 : 4, -1, 0);
  if (typeof handle === 'number') throw bindError(handle, address);
  // That somebody listens there already is told late.
  const bound = boundAddress(handle);
  if (typeof bound !== 'number') return handle;
  handle.close();
  throw bindError(bound, address);
};

/** The socket behind a descriptor of this process; null where there is none, or none for TCP. */
export const adoptHandle = (fd: number): ServerHandle | null => {
  const handle = createServerHandle(null, null, null, fd, 0);
  if (typeof handle === 'number') return null;
  const bound = boundAddress(handle);
  if (typeof bound !== 'number' && bound.host !== '') return handle;
  handle.close();
  return null;
};

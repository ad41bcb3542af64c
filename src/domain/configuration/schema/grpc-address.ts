import { err, ok } from '../../shared/result.js';
import { utf8Length } from '../../shared/utf8.js';
import type { GrpcAddress } from '../network-addresses.js';
import { isLoopback, socketAddress, socketAddressText } from './network-kinds.js';
import { checkedText, type ScalarFault, type ScalarKind, text } from './scalar-kind.js';

/**
 * Path of a PEM file. A key that was put where its path belongs has line breaks: its text is not shown, here or by
 * whoever opens it.
 */
export const pemFilePath = checkedText('path', (value) =>
  /[\x00-\x1f\x7f]|-----BEGIN/.test(value)
    ? {
        message: 'must be the path of a file, not what the file holds',
        suggestion: 'write the path itself, without (file)',
      }
    : null,
);

/** Whoever pastes the key itself must not find it in a message, so no line with this key is shown whole. */
export const keyFilePath: ScalarKind<string> = { ...pemFilePath, secret: true };

const prefix = 'unix:';

/** What fits into the address of a socket, without the octet that ends it (unix(7)). */
const longestPath = 107;

/** `unix:/path`, and the form `unix:///path` that gRPC has beside it. */
const socketPath = (value: string): string => value.slice(prefix.length).replace(/^\/\/(?=\/)/, '');

const pathFault = (path: string): ScalarFault | null => {
  if (!path.startsWith('/') || path.endsWith('/') || path.startsWith('//')) {
    return { message: 'must name a socket by its whole path', suggestion: 'write "unix:/run/agent.sock"' };
  }
  if (/[\x00-\x1f\x7f]/.test(path)) return { message: 'must have no control characters' };
  return utf8Length(path) > longestPath ? { message: `must have a path of ${longestPath} bytes at most` } : null;
};

/**
 * `host:port`, or `unix:` and a path. Port 0, a free port of the system's choice, makes sense for what is listened on
 * alone.
 */
export const grpcAddress = (minimumPort: 0 | 1): ScalarKind<GrpcAddress> => {
  const tcp = socketAddress(minimumPort);
  return {
    label: 'host:port, or unix:/path',
    fallback: { kind: 'tcp', host: '', port: 0 },
    secret: false,
    read: (scalar) => {
      const read = text.read(scalar);
      if (!read.ok) return read;
      if (read.value.startsWith(prefix)) {
        const path = socketPath(read.value);
        const fault = pathFault(path);
        return fault === null ? ok({ kind: 'unix', path }) : err(fault);
      }
      const scheme = /^(https?|grpcs?):\/\/([^/?#@]+)\/?$/i.exec(read.value);
      if (scheme !== null && !scalar.hidden) {
        const isTls = /s$/i.test(scheme[1] ?? '');
        const more = isTls ? ', and a block tls beside it' : '';
        return err({ message: 'must be host:port, or unix:/path', suggestion: `write "${scheme[2]}"${more}` });
      }
      const address = tcp.read(scalar);
      if (address.ok) return ok({ kind: 'tcp', ...address.value });
      return read.value.startsWith('/') && !scalar.hidden
        ? err({ message: 'must be host:port, or unix:/path', suggestion: `write "unix:${read.value.slice(0, 80)}"` })
        : address;
    },
  };
};

/** As it is written. */
export const grpcAddressText = (address: GrpcAddress): string =>
  address.kind === 'unix' ? `${prefix}${address.path}` : socketAddressText(address);

/** Whether only this machine can reach it. */
export const isLocalGrpcAddress = (address: GrpcAddress): boolean =>
  address.kind === 'unix' || isLoopback(address.host);

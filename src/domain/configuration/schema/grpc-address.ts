import { err, ok } from '../../shared/result.js';
import { utf8Length } from '../../shared/utf8.js';
import { type GrpcAddress, isUnixSocket, type StreamAddress } from '../network-addresses.js';
import { isLoopback, socketAddress, socketAddressText } from './network-kinds.js';
import { checkedText, type ScalarFault, type ScalarKind, text } from './scalar-kind.js';

/** Path of a PEM file. A value with line breaks is probably the key itself, so no message shows it. */
export const pemFilePath = checkedText('path', (value) =>
  /[\x00-\x1f\x7f]|-----BEGIN/.test(value)
    ? {
        message: 'must be the path of a file, not its content',
        suggestion: 'write the path as plain text, without (file)',
      }
    : null,
);

/** A pasted private key must not appear in a message, so messages never show the whole line. */
export const keyFilePath: ScalarKind<string> = { ...pemFilePath, secret: true };

const prefix = 'unix:';

/** Longest socket path in bytes, without the terminating NUL (unix(7)). */
const longestPath = 107;

/** The path of `unix:/path` or `unix:///path`; gRPC allows both. */
const socketPathOf = (value: string): string => value.slice(prefix.length).replace(/^\/\/(?=\/)/, '');

/** The path as it was probably meant: with its first slash, and without the `:/` that nginx writes after it. */
const likelyPath = (path: string): string => {
  const meant = `/${path.replace(/:\/$/, '').replace(/^\/+/, '')}`;
  return /^\/[\x21-\x7e]{1,80}$/.test(meant) && !meant.endsWith('/') ? meant : '/run/name.sock';
};

const pathFault = (path: string, isHidden: boolean): ScalarFault | null => {
  if (!path.startsWith('/') || path.endsWith('/') || path.startsWith('//')) {
    const suggestion = isHidden ? null : `write "${prefix}${likelyPath(path)}"`;
    return { message: 'must be an absolute path of a socket', suggestion };
  }
  if (/[\x00-\x1f\x7f]/.test(path)) return { message: 'must not contain control characters' };
  return utf8Length(path) > longestPath ? { message: `must have a path of at most ${longestPath} bytes` } : null;
};

/** `host:port`, or `unix:` and a path. Port 0, a free port, is valid only for a listening address. */
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
        const path = socketPathOf(read.value);
        const fault = pathFault(path, scalar.hidden);
        return fault === null ? ok({ kind: 'unix', path }) : err(fault);
      }
      const scheme = /^(https?|grpcs?):\/\/([^/?#@]+)\/?$/i.exec(read.value);
      if (scheme !== null && !scalar.hidden) {
        const isTls = /s$/i.test(scheme[1] ?? '');
        const more = isTls ? ', and add a block tls' : '';
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

/** `http://unix:/path:`, as `proxy_pass` of nginx has it; a path of the URL may follow. */
const nginxSocket = /^https?:\/\/unix:(\/[^:]+)/i;

/** `host:port`, or `unix:` and a path. Port 0, a free port, is valid only for a listening address. */
const streamAddressFrom = (minimumPort: 0 | 1): ScalarKind<StreamAddress> => ({
  ...socketAddress(minimumPort),
  label: 'host:port, or unix:/path',
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    if (read.value.startsWith(prefix)) {
      const path = socketPathOf(read.value);
      const fault = pathFault(path, scalar.hidden);
      return fault === null ? ok({ path }) : err(fault);
    }
    const path = read.value.startsWith('/') ? read.value : (nginxSocket.exec(read.value)?.[1] ?? null);
    if (path !== null && !scalar.hidden) {
      const suggestion = `write "${prefix}${path.slice(0, 80)}"`;
      return err({ message: 'must be host:port, or unix:/path', suggestion });
    }
    return socketAddress(minimumPort).read(scalar);
  },
});

/** An address to connect to. */
export const streamAddress = streamAddressFrom(1);

/** An address to listen on. */
export const streamListenAddress = streamAddressFrom(0);

/** The form that a configuration uses. */
export const streamAddressText = (address: StreamAddress): string =>
  isUnixSocket(address) ? `${prefix}${address.path}` : socketAddressText(address);

/** The form that a configuration uses. */
export const grpcAddressText = (address: GrpcAddress): string =>
  address.kind === 'unix' ? `${prefix}${address.path}` : socketAddressText(address);

/** Whether only this host can reach the address. */
export const isLocalStreamAddress = (address: StreamAddress): boolean =>
  isUnixSocket(address) || isLoopback(address.host);

/** Whether only this host can reach the address. */
export const isLocalGrpcAddress = (address: GrpcAddress): boolean =>
  address.kind === 'unix' || isLoopback(address.host);

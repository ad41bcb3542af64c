interface SystemError extends Error {
  readonly code: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
  readonly path?: string;
}

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

const addressOf = ({ address, hostname, port }: SystemError): string => {
  const name = address ?? hostname ?? 'the address';
  const host = name.includes(':') ? `[${name}]` : name;
  return port === undefined || port < 0 ? host : `${host}:${port}`;
};

const listenReason = (error: SystemError): string => {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another program uses the port';
    case 'EADDRNOTAVAIL':
      return 'this host does not have the address';
    case 'EACCES':
      return error.port !== undefined && error.port > 0 && error.port < 1024
        ? 'permission denied for a port below 1024; use a port of 1024 or above, or grant CAP_NET_BIND_SERVICE'
        : 'permission denied';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name cannot be resolved';
    default:
      return error.code;
  }
};

const fileReason: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
};

/** Replaces control characters by spaces: file names may contain them. */
const oneLine = (text: string): string =>
  Array.from(text, (character) => (character < ' ' || character === '\u007f' ? ' ' : character))
    .join('')
    .trim();

const textOf = (error: unknown): string => {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error);
  // Node reports a failed lookup of a listening host as getaddrinfo.
  if (error.syscall === 'listen' || error.syscall === 'bind' || error.syscall === 'getaddrinfo') {
    return `cannot listen on ${addressOf(error)}: ${listenReason(error)}`;
  }
  if (error.path !== undefined) return `cannot read ${error.path}: ${fileReason[error.code] ?? error.code}`;
  return error.message;
};

/** Why the program could not start, on one line. */
export const startupErrorText = (error: unknown): string => oneLine(textOf(error));

import { chmod, lstat, stat, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { isSocketPathTooLong } from '../../wire/agent-frames/socket-path.js';

/** The agent cannot listen on its socket. The message is one line for the operator. */
export class AgentSocketError extends Error {
  readonly code: 'in_use' | 'not_a_socket' | 'no_directory' | 'permission' | 'failed';

  constructor(code: AgentSocketError['code'], message: string) {
    super(message);
    this.name = 'AgentSocketError';
    this.code = code;
  }
}

/** Only the agent's user and group may connect. */
const socketMode = 0o660;
/** Only the agent's user may connect until the mode is set. */
const bindingUmask = 0o077;
const probeTimeoutMs = 1_000;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** A server of one socket file. `listen` creates the file before it returns; `close` removes it. */
export interface SocketFileServer {
  listen(): Promise<void>;
  close(): void;
}

const bind = (server: SocketFileServer): Promise<void> => {
  // The file is there when listen() returns, so the mask affects no other code. It only removes
  // rights.
  const umask = process.umask(bindingUmask);
  try {
    return server.listen();
  } finally {
    process.umask(umask);
  }
};

/** Whether a server accepts connections at a path; true if in doubt. */
const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path });
    const finish = (answered: boolean): void => {
      probe.destroy();
      resolve(answered);
    };
    probe.setTimeout(probeTimeoutMs, () => finish(true));
    probe.once('connect', () => finish(true));
    probe.once('error', (error) => finish(codeOf(error) !== 'ECONNREFUSED' && codeOf(error) !== 'ENOENT'));
  });

/** Removes the socket file that a stopped server left behind. */
const removeStaleSocket = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw new AgentSocketError('not_a_socket', `${path} exists and is not a socket`);
  if (await isAnswered(path)) throw new AgentSocketError('in_use', `${path} is already in use by another process`);
  const again = await lstat(path).catch(() => null);
  if (again === null || again.ino !== found.ino || again.dev !== found.dev) return;
  await unlink(path);
};

const checkPath = async (path: string): Promise<void> => {
  if (isSocketPathTooLong(path)) throw new AgentSocketError('failed', `${path} is too long for a socket path`);
  const directory = await stat(dirname(path)).catch(() => null);
  if (directory?.isDirectory()) return;
  throw new AgentSocketError('no_directory', `the directory of ${path} does not exist`);
};

const explain = (error: unknown, path: string): AgentSocketError => {
  if (error instanceof AgentSocketError) return error;
  const code = codeOf(error);
  switch (code) {
    case 'EADDRINUSE':
      return new AgentSocketError('in_use', `${path} is already in use by another process`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new AgentSocketError('permission', `no permission to create ${path}`);
    default:
      return new AgentSocketError('failed', `cannot listen on ${path}: ${code}`);
  }
};

/**
 * Makes a server listen on a socket file with mode 0660. Replaces a socket file without a server;
 * never a socket in use or another kind of file. Rejects with an AgentSocketError. Not for worker
 * threads: they cannot change the umask.
 */
export const listenOnSocketFile = async (server: SocketFileServer, path: string): Promise<void> => {
  let isListening = false;
  try {
    await checkPath(path);
    try {
      await bind(server);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
      await removeStaleSocket(path);
      await bind(server);
    }
    isListening = true;
    await chmod(path, socketMode);
  } catch (error) {
    if (isListening) server.close();
    throw explain(error, path);
  }
};

/** Does the same for a server of Node. */
export const bindSocketPath = (server: Server, path: string): Promise<void> =>
  listenOnSocketFile(
    {
      listen: () =>
        new Promise((resolve, reject) => {
          server.once('error', reject);
          server.listen({ path }, () => {
            server.removeListener('error', reject);
            resolve();
          });
        }),
      close: () => void server.close(),
    },
    path,
  );

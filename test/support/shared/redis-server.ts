import { createClient } from 'redis';
import { Secret } from '../../../src/domain/shared/secret.js';
import { freePort } from './free-port.js';
import { peerPath } from './peers.js';
import { type RunningProcess, startProcess, untilListening } from './processes.js';
import { temporaryFolder } from './temporary-folder.js';

export interface RedisPlan {
  /** Absent: a free one. */
  readonly port?: number;
  /** Of the default user; absent: none is asked for. */
  readonly password?: string;
  /** Further settings, as in redis.conf: `['maxmemory', '100mb']`. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
  /** Whether what was answered survives a kill; else it is in memory alone. */
  readonly isDurable?: boolean;
}

/** A redis-server of a test, on a port of its own of 127.0.0.1. */
export interface RedisServer {
  readonly port: number;
  /** With the password; of the database with that number. */
  url(database?: number): Secret;
  /** Starts it again, on the same port and with what it has kept, after `kill`. */
  start(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** It takes connections from then on, as the system does for it, and answers nothing until `goOn`. */
  hang(): void;
  goOn(): void;
  /** Sends a command on a connection of its own; gives the answer. */
  send(...command: readonly string[]): Promise<unknown>;
  /** Ends it, and removes what it has written. */
  remove(): Promise<void>;
}

/** Starts a server; needs the peer `redis-server`. */
export const startRedis = async (plan: RedisPlan = {}): Promise<RedisServer> => {
  const program = peerPath('redis-server');
  if (program === null) throw new Error('redis-server is not installed: use describeWithPeers');
  const { password, settings = [], isDurable = false } = plan;
  const port = plan.port ?? (await freePort());
  const folder = temporaryFolder();
  const lines = [
    ['port', String(port)],
    ['bind', '127.0.0.1'],
    ['dir', folder.path],
    ['save', '""'],
    ['appendonly', isDurable ? 'yes' : 'no'],
    ['appendfsync', 'always'],
    ...(password === undefined ? [] : [['requirepass', JSON.stringify(password)]]),
    ...settings,
  ];
  const file = folder.write('redis.conf', lines.map((line) => `${line.join(' ')}\n`).join(''));
  let running: RunningProcess | null = null;
  const start = async (): Promise<void> => {
    running = startProcess(program, [file]);
    await untilListening(running, port);
  };
  const remove = async (): Promise<void> => {
    await running?.stop();
    folder.remove();
  };
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  const url = (database = 0): Secret => new Secret(`redis://${credentials}127.0.0.1:${port}/${database}`);
  return {
    port,
    url,
    start,
    async kill() {
      running?.signal('SIGKILL');
      await running?.exited;
    },
    hang: () => running?.signal('SIGSTOP'),
    goOn: () => running?.signal('SIGCONT'),
    async send(...command) {
      const client = await createClient({ RESP: 2, url: url().reveal() }).connect();
      try {
        return await client.sendCommand(command);
      } finally {
        client.destroy();
      }
    },
    remove,
  };
};

import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { ConnectionTimeoutError, createClient } from 'redis';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { RedisEndpoint } from './redis-endpoint.js';
import { answerCode, failureClause, isTransient, type RedisFailure, type RedisPurpose } from './redis-failure.js';

/** A Lua script. Redis runs it as a whole: no other command comes in between. */
export interface RedisScript {
  readonly source: string;
  /** SHA-1 of the source, by which Redis finds the script again. It protects nothing. */
  readonly id: string;
}

export const redisScript = (source: string): RedisScript => ({
  source,
  id: createHash('sha1').update(source).digest('hex'),
});

export interface RedisConnectionOptions {
  readonly endpoint: RedisEndpoint;
  readonly purpose: RedisPurpose;
  /** Milliseconds for a new connection, with its handshake. */
  readonly connectMs: number;
  /** Milliseconds for an answer. A server that takes longer counts as hung. */
  readonly answerMs: number;
  /**
   * Runs on each new connection before any other command. It has to send at least one command: a hung server accepts
   * connections, and only an answer proves that it works. Resolves to a clause about a server that cannot be used,
   * else to null; rejects with the error of `send`.
   */
  readonly handshake: (send: (command: readonly string[]) => Promise<unknown>) => Promise<string | null>;
}

export type RedisAnswer = Result<unknown, RedisFailure>;

/** Commands that wait for their answers at one time. */
const pendingLimit = 10_000;
const firstBackoffMs = 50;
const longestBackoffMs = 2_000;

/** RESP 2 needs no HELLO, so that also servers work that speak an older protocol. */
const newClient = ({ host, port, tls, user, password, database }: RedisEndpoint, connectMs: number) =>
  createClient({
    RESP: 2,
    socket: {
      host,
      port,
      connectTimeout: connectMs,
      // RedisConnection reconnects: it has a deadline for the handshake too.
      reconnectStrategy: false,
      ...(tls ? { tls: true as const, ...(isIP(host) === 0 ? { servername: host } : {}) } : {}),
    },
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password: password.reveal() }),
    database,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandsQueueMaxLength: pendingLimit,
    // RedisConnection has a deadline that counts for sent commands too.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newClient>;

const late = Symbol('late');

/** A deadline is a row of timers, so that a pause of this process uses up one step and not the whole deadline. */
const deadlineSteps = 5;

/** Resolves to `late` when the promise is not settled after the deadline. Its later rejection is no error any more. */
const withDeadline = <Value>(promise: Promise<Value>, deadlineMs: number): Promise<Value | typeof late> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (steps: number): void => {
      timer = setTimeout(() => {
        if (steps > 1) wait(steps - 1);
        // An answer that has arrived meanwhile is read before it counts as late.
        else setImmediate(() => resolve(late));
      }, deadlineMs / deadlineSteps);
    };
    wait(deadlineSteps);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });

const durationText = (ms: number): string => (ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`);

/**
 * A connection to a Redis server. While it is lost, commands fail at once, and it reconnects in the background with
 * growing pauses. A server that answers late loses its connection, so that no commands queue up for one that hangs.
 * No command is sent twice.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  #client: Client | null = null;
  /** Why there is no client. */
  #absence: RedisFailure = { kind: 'unreachable', reason: 'it has not been reached yet' };
  #backoffMs = firstBackoffMs;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;
  readonly #pending = new Set<Promise<RedisAnswer>>();

  /** Connects nothing before `open`. */
  constructor(options: RedisConnectionOptions) {
    this.#options = options;
  }

  /** Makes one attempt. After a failure, call `keepTrying` or `close`. */
  async open(): Promise<Result<void, RedisFailure>> {
    const failure = await this.#connect();
    return failure === null ? ok(undefined) : err(failure);
  }

  /** Goes on in the background until it is connected. */
  keepTrying(): void {
    this.#connectLater();
  }

  /** Sends a command and resolves to the answer, in RESP 2. */
  send(command: readonly string[]): Promise<RedisAnswer> {
    return this.#ask((client) => client.sendCommand(command));
  }

  /** Runs a script. Its source is sent only to a server that does not know it. */
  run({ id, source }: RedisScript, keys: readonly string[], parameters: readonly string[]): Promise<RedisAnswer> {
    const rest = [String(keys.length), ...keys, ...parameters];
    return this.#ask(async (client) => {
      try {
        return await client.sendCommand(['EVALSHA', id, ...rest]);
      } catch (error) {
        if (answerCode(error) !== 'NOSCRIPT') throw error;
        // The server has run nothing.
        return await client.sendCommand(['EVAL', source, ...rest]);
      }
    });
  }

  /** Resolves when every sent command has its answer, or has reached its deadline. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await Promise.allSettled([...this.#pending]);
    this.#client?.destroy();
    this.#client = null;
  }

  async #ask(command: (client: Client) => Promise<unknown>): Promise<RedisAnswer> {
    if (this.#isClosed) return err({ kind: 'closed', reason: 'the connection to it is closed' });
    if (this.#client === null) return err(this.#absence);
    if (this.#pending.size >= pendingLimit) return err({ kind: 'overloaded', reason: 'it has too much to do' });
    const answer = this.#answer(this.#client, command);
    this.#pending.add(answer);
    try {
      return await answer;
    } finally {
      this.#pending.delete(answer);
    }
  }

  async #answer(client: Client, command: (client: Client) => Promise<unknown>): Promise<RedisAnswer> {
    const { answerMs, purpose } = this.#options;
    try {
      const answer = await withDeadline(command(client), answerMs);
      if (answer !== late) return ok(answer);
    } catch (error) {
      return err({ kind: 'failed', reason: failureClause(error, purpose) });
    }
    const reason = `it gave no answer within ${durationText(answerMs)}`;
    this.#lose(client, reason);
    return err({ kind: 'late', reason });
  }

  async #connect(): Promise<RedisFailure | null> {
    const failure = await this.#attempt();
    if (failure !== null) this.#absence = failure;
    return failure;
  }

  async #attempt(): Promise<RedisFailure | null> {
    const { endpoint, purpose, connectMs, handshake } = this.#options;
    const client = newClient(endpoint, connectMs);
    client.on('error', (error: unknown) => this.#lose(client, failureClause(error, purpose)));
    let isConnected = false;
    const connecting = client.connect().then(() => {
      isConnected = true;
      return handshake((command) => client.sendCommand(command));
    });
    try {
      const fault = await withDeadline(connecting, connectMs);
      if (fault === null && client.isReady && !this.#isClosed) {
        this.#client = client;
        this.#backoffMs = firstBackoffMs;
        return null;
      }
      client.destroy();
      if (fault === late) {
        // An attempt that succeeds after all leaves a connection to destroy.
        void connecting.catch(() => {}).then(() => client.destroy());
        return this.#noConnection();
      }
      if (fault !== null) return { kind: 'unusable', reason: fault };
      return this.#isClosed ? null : { kind: 'unreachable', reason: 'connection lost' };
    } catch (error) {
      client.destroy();
      if (error instanceof ConnectionTimeoutError) return this.#noConnection();
      // The client sends AUTH and SELECT while it connects.
      const isRefusal = !isConnected && answerCode(error) === 'ERR';
      return {
        kind: isTransient(error) ? 'unreachable' : 'unusable',
        reason: isRefusal
          ? `it refuses the password or the database of ${purpose.urlKey}`
          : failureClause(error, purpose),
      };
    }
  }

  #noConnection(): RedisFailure {
    const { endpoint, connectMs } = this.#options;
    const question = endpoint.tls ? ' (does it speak TLS there?)' : '';
    return { kind: 'unreachable', reason: `no connection within ${durationText(connectMs)}${question}` };
  }

  #lose(client: Client, reason: string): void {
    // The attempt that made this client handles its failures until it is the client of this connection.
    if (this.#client !== client) return;
    this.#client = null;
    this.#absence = { kind: 'lost', reason };
    client.destroy();
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    const pauseMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, longestBackoffMs);
    this.#retry = setTimeout(async () => {
      if ((await this.#connect()) !== null) this.#connectLater();
    }, pauseMs);
    // A program that has nothing else to do may end.
    this.#retry.unref();
  }
}

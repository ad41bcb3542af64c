import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { ConnectionTimeoutError, createClient } from 'redis';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { RedisEndpoint } from './redis-endpoint.js';
import { answerCode, failureClause, isTransient, type RedisFailure, type RedisPurpose } from './redis-failure.js';

/** A Lua script. Redis runs it atomically. */
export interface RedisScript {
  readonly source: string;
  /** SHA-1 of the source, the script's key in Redis. Not a security measure. */
  readonly id: string;
}

export const redisScript = (source: string): RedisScript => ({
  source,
  id: createHash('sha1').update(source).digest('hex'),
});

export interface RedisConnectionOptions {
  readonly endpoint: RedisEndpoint;
  readonly purpose: RedisPurpose;
  /** Timeout of a new connection with its handshake, in milliseconds. */
  readonly connectMs: number;
  /** Timeout of an answer, in milliseconds. A slower server counts as hung. */
  readonly answerMs: number;
  /**
   * Runs on each new connection before any other command. Must send at least one command: a hung
   * server accepts connections, and only an answer proves that it works. Resolves with a clause if
   * the server is unusable, else null. Rejects with the error of `send`.
   */
  readonly handshake: (send: (command: readonly string[]) => Promise<unknown>) => Promise<string | null>;
}

export type RedisAnswer = Result<unknown, RedisFailure>;

/** Maximum pending commands. */
const maxPending = 10_000;
const firstBackoffMs = 50;
const maxBackoffMs = 2_000;

/** RESP 2 needs no HELLO, so it also works with servers of an older protocol. */
const newClient = ({ host, port, tls, user, password, database }: RedisEndpoint, connectMs: number) =>
  createClient({
    RESP: 2,
    socket: {
      host,
      port,
      connectTimeout: connectMs,
      // RedisConnection reconnects, with a deadline that includes the handshake.
      reconnectStrategy: false,
      ...(tls ? { tls: true as const, ...(isIP(host) === 0 ? { servername: host } : {}) } : {}),
    },
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password: password.reveal() }),
    database,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandsQueueMaxLength: maxPending,
    // RedisConnection has a deadline that includes sent commands.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newClient>;

const late = Symbol('late');

/** A deadline is a sequence of timers, so that a pause of this process uses up one step only. */
const deadlineSteps = 5;

/**
 * Resolves with `late` if the promise is pending at the deadline; its later rejection is ignored.
 */
const withDeadline = <Value>(promise: Promise<Value>, deadlineMs: number): Promise<Value | typeof late> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (steps: number): void => {
      timer = setTimeout(() => {
        if (steps > 1) wait(steps - 1);
        // Reads an answer that has arrived meanwhile first.
        else setImmediate(() => resolve(late));
      }, deadlineMs / deadlineSteps);
    };
    wait(deadlineSteps);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });

const durationText = (ms: number): string => (ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`);

/**
 * A connection to a Redis server. While disconnected, commands fail at once and it reconnects in
 * the background with exponential backoff. A late answer closes the connection, so that no commands
 * queue for a hung server. No command is sent twice.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  #client: Client | null = null;
  /** Why the client is absent. */
  #absence: RedisFailure = { kind: 'unreachable', reason: 'it was not reached yet' };
  #backoffMs = firstBackoffMs;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;
  readonly #pending = new Set<Promise<RedisAnswer>>();

  /** Does not connect before `open`. */
  constructor(options: RedisConnectionOptions) {
    this.#options = options;
  }

  /** Makes one attempt. After a failure, call `keepTrying` or `close`. */
  async open(): Promise<Result<void, RedisFailure>> {
    const failure = await this.#connect();
    return failure === null ? ok(undefined) : err(failure);
  }

  /** Retries in the background until connected. */
  keepTrying(): void {
    this.#connectLater();
  }

  /** Sends a command and resolves with the RESP 2 answer. */
  send(command: readonly string[]): Promise<RedisAnswer> {
    return this.#ask((client) => client.sendCommand(command));
  }

  /** Runs a script. Sends its source only if the server does not have it. */
  run({ id, source }: RedisScript, keys: readonly string[], parameters: readonly string[]): Promise<RedisAnswer> {
    const rest = [String(keys.length), ...keys, ...parameters];
    return this.#ask(async (client) => {
      try {
        return await client.sendCommand(['EVALSHA', id, ...rest]);
      } catch (error) {
        if (answerCode(error) !== 'NOSCRIPT') throw error;
        // The server has not run the script.
        return await client.sendCommand(['EVAL', source, ...rest]);
      }
    });
  }

  /** Resolves when every sent command is answered or timed out. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await Promise.allSettled([...this.#pending]);
    this.#client?.destroy();
    this.#client = null;
  }

  async #ask(command: (client: Client) => Promise<unknown>): Promise<RedisAnswer> {
    if (this.#isClosed) return err({ kind: 'closed', reason: 'the connection is closed' });
    if (this.#client === null) return err(this.#absence);
    if (this.#pending.size >= maxPending) return err({ kind: 'overloaded', reason: 'too many commands are pending' });
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
        // A late success leaves a connection to destroy.
        void connecting.catch(() => {}).then(() => client.destroy());
        return this.#noConnection();
      }
      if (fault !== null) return { kind: 'unusable', reason: fault };
      return this.#isClosed ? null : { kind: 'unreachable', reason: 'connection lost' };
    } catch (error) {
      client.destroy();
      if (error instanceof ConnectionTimeoutError) return this.#noConnection();
      // The client sends AUTH and SELECT during the connection.
      const isRefusal = !isConnected && answerCode(error) === 'ERR';
      return {
        kind: isTransient(error) ? 'unreachable' : 'unusable',
        reason: isRefusal
          ? `it refused the password or the database in ${purpose.urlKey}`
          : failureClause(error, purpose),
      };
    }
  }

  #noConnection(): RedisFailure {
    const { endpoint, connectMs } = this.#options;
    const question = endpoint.tls ? ' (does this port use TLS?)' : '';
    return { kind: 'unreachable', reason: `no connection within ${durationText(connectMs)}${question}` };
  }

  #lose(client: Client, reason: string): void {
    // `#attempt` handles the failures of a client until it is in use.
    if (this.#client !== client) return;
    this.#client = null;
    this.#absence = { kind: 'lost', reason };
    client.destroy();
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    const pauseMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
    this.#retry = setTimeout(async () => {
      if ((await this.#connect()) !== null) this.#connectLater();
    }, pauseMs);
    // The timer does not keep the process alive.
    this.#retry.unref();
  }
}

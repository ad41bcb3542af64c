import { isIP } from 'node:net';
import { ConnectionTimeoutError, createClient } from 'redis';
import type { StoreFailure } from '../../../application/ports/agent/session-store.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { answerCode, failureClause, isPassing } from './redis-failure.js';
import type { RedisPlace } from './redis-place.js';
import type { RedisScript } from './redis-script.js';

/** Milliseconds that connecting may take, the greeting included. */
const connectDeadlineMs = 2_000;
/** Milliseconds that an answer may take. A server that is late is taken for one that hangs. */
const answerDeadlineMs = 1_000;
/** Answers that are waited for at one time, at the most. */
const mostWaiting = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 2_000;

type Answer = Result<unknown, StoreFailure>;

/** Why there is no connection. */
export interface ConnectionFailure {
  /** One clause about the server, as in `connection refused`. */
  readonly reason: string;
  /** Whether it may be over by itself: the server is not there yet. */
  readonly isPassing: boolean;
}

/** Judges a server by its answer to INFO, null where it gives none; one clause where it cannot be used, else null. */
export type ServerJudgement = (info: string | null) => string | null;

/** RESP 2 needs no greeting: also servers that only speak alike take it. */
const newClient = ({ host, port, tls, user, password, database }: RedisPlace) =>
  createClient({
    RESP: 2,
    socket: {
      host,
      port,
      connectTimeout: connectDeadlineMs,
      // Connecting again is done here, where it has a deadline for the greeting too.
      reconnectStrategy: false,
      ...(tls ? { tls: true as const, ...(isIP(host) === 0 ? { servername: host } : {}) } : {}),
    },
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password: password.reveal() }),
    database,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandsQueueMaxLength: mostWaiting,
    // The deadline here counts for commands that were sent, too.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newClient>;

const late = Symbol('late');

/** A deadline is waited for in so many steps: one in which this process did nothing else is no more than a step. */
const deadlineSteps = 5;

/** What a promise comes to within a time, else `late`; it is nobody's error any more then. */
const within = async <Value>(promise: Promise<Value>, deadlineMs: number): Promise<Value | typeof late> => {
  promise.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<typeof late>((resolve) => {
    const wait = (steps: number): void => {
      timer = setTimeout(() => (steps === 1 ? resolve(late) : wait(steps - 1)), deadlineMs / deadlineSteps);
    };
    wait(deadlineSteps);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * One connection to a Redis server. While it is lost commands fail at once, and it is made anew in the background, with pauses that
 * grow. A server that does not answer in time loses its connection: nothing is sent to one that hangs. Nothing is sent twice.
 */
export class RedisConnection {
  readonly #place: RedisPlace;
  readonly #judge: ServerJudgement;
  /** Why the last attempt to connect failed; null: it did not. */
  #failure: ConnectionFailure | null = null;
  #client: Client | null = null;
  #pauseMs = firstPauseMs;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;
  readonly #waiting = new Set<Promise<Answer>>();

  /** Nothing is connected before `open`. Every server that is met is judged: it may be another one each time. */
  constructor(place: RedisPlace, judge: ServerJudgement) {
    this.#place = place;
    this.#judge = judge;
  }

  /** The first attempt. Where it fails, and may not the next time, `keepTrying` goes on in the background; `close` ends it all. */
  async open(): Promise<Result<void, ConnectionFailure>> {
    const failure = await this.#connect();
    return failure === null ? ok(undefined) : err(failure);
  }

  keepTrying(): void {
    this.#connectLater();
  }

  /** Sends a command; gives the answer, in RESP 2. */
  send(command: readonly string[]): Promise<Answer> {
    return this.#underWay((client) => this.#send(client, command));
  }

  /** Runs a script, which is sent in full where the server does not know it. */
  run(script: RedisScript, prefix: string, parts: readonly string[]): Promise<Answer> {
    const rest = ['1', prefix, ...parts];
    return this.#underWay(async (client) => {
      try {
        return await this.#send(client, ['EVALSHA', script.id, ...rest]);
      } catch (error) {
        if (answerCode(error) !== 'NOSCRIPT') throw error;
        // Nothing was run then.
        return await this.#send(client, ['EVAL', script.source, ...rest]);
      }
    });
  }

  /** Resolves once everything that was sent has been answered, or its time is over. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await Promise.allSettled([...this.#waiting]);
    this.#client?.destroy();
    this.#client = null;
  }

  async #underWay(ask: (client: Client) => Promise<Answer>): Promise<Answer> {
    if (this.#closed) return err({ reason: 'the connection to redis is closed' });
    if (this.#client === null) return err({ reason: this.#absence() });
    if (this.#waiting.size >= mostWaiting) return err({ reason: 'redis has too much to do' });
    const answer = ask(this.#client);
    this.#waiting.add(answer);
    try {
      return await answer;
    } catch (error) {
      return err({ reason: `redis failed: ${failureClause(error)}` });
    } finally {
      this.#waiting.delete(answer);
    }
  }

  /** Rejects with what the client or the server says. */
  async #send(client: Client, command: readonly string[]): Promise<Answer> {
    const value = await within<unknown>(client.sendCommand(command), answerDeadlineMs);
    if (value !== late) return ok(value);
    this.#lose(client);
    return err({ reason: `redis gave no answer within ${answerDeadlineMs / 1_000} s` });
  }

  #absence(): string {
    if (this.#failure === null) return 'redis cannot be reached';
    const { reason, isPassing: isAway } = this.#failure;
    return `redis cannot be ${isAway ? 'reached' : 'used'}: ${reason}`;
  }

  async #connect(): Promise<ConnectionFailure | null> {
    this.#failure = await this.#attempt();
    return this.#failure;
  }

  async #attempt(): Promise<ConnectionFailure | null> {
    const client = newClient(this.#place);
    client.on('error', () => this.#lose(client));
    // A server that hangs takes connections all the same: only an answer shows that it does not.
    const connecting = client.connect().then(() => this.#greet(client));
    let fault: string | null;
    try {
      const greeted = await within(connecting, connectDeadlineMs);
      if (greeted === late) {
        client.destroy();
        // Where it gets through after all, there is something to let go of again.
        void connecting.catch(() => {}).then(() => client.destroy());
        return this.#noConnection();
      }
      fault = greeted;
    } catch (error) {
      client.destroy();
      if (error instanceof ConnectionTimeoutError) return this.#noConnection();
      const isRefusal = answerCode(error) === 'ERR';
      const reason = isRefusal ? 'it refuses the password or the database of session-store-url' : failureClause(error);
      return { reason, isPassing: isPassing(error) };
    }
    if (fault !== null) {
      client.destroy();
      return { reason: fault, isPassing: false };
    }
    if (this.#closed) client.destroy();
    else if (client.isReady) {
      this.#client = client;
      this.#pauseMs = firstPauseMs;
    } else return { reason: 'connection lost', isPassing: true };
    return null;
  }

  /** One clause where the server cannot be used; rejects with what the client or the server says. */
  async #greet(client: Client): Promise<string | null> {
    await client.sendCommand(['PING']);
    const info: unknown = await client.sendCommand(['INFO']).catch((error: unknown) => {
      // A user that may not ask is no fault; a connection that is gone is.
      if (answerCode(error) === null) throw error;
      return null;
    });
    return this.#judge(typeof info === 'string' ? info : null);
  }

  #noConnection(): ConnectionFailure {
    const doubt = this.#place.tls ? ' (does it speak TLS there?)' : '';
    return { reason: `no connection within ${connectDeadlineMs / 1_000} s${doubt}`, isPassing: true };
  }

  #lose(client: Client): void {
    // What never became the connection is dealt with by who connects.
    if (this.#client !== client) return;
    this.#client = null;
    client.destroy();
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#closed) return;
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#retry = setTimeout(async () => {
      if ((await this.#connect()) !== null) this.#connectLater();
    }, pauseMs);
    // A program that has nothing else to do may end.
    this.#retry.unref();
  }
}

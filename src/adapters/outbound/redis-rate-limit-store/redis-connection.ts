import { isIP } from 'node:net';
import { createClient } from 'redis';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { beforeDeadline, late } from './before-deadline.js';
import { answerCode, failureClause } from './redis-failure.js';
import type { RedisPlace } from './redis-place.js';

/** How long a server is waited for, in milliseconds. */
export interface RedisDeadlines {
  /** Until the first answer on a new connection. */
  readonly connectMs: number;
  /** A request waits for it. */
  readonly answerMs: number;
}

/** Answers that are waited for at one time, at the most. */
const mostWaiting = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** RESP 2 needs no greeting: also servers that only speak alike take it. */
const newClient = ({ host, port, tls, user, password, database }: RedisPlace, connectMs: number) =>
  createClient({
    RESP: 2,
    socket: {
      host,
      port,
      connectTimeout: connectMs,
      // Connecting again is done here, where it has a deadline for the first answer too.
      reconnectStrategy: false,
      ...(tls ? { tls: true as const, ...(isIP(host) === 0 ? { servername: host } : {}) } : {}),
    },
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    database,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandsQueueMaxLength: mostWaiting,
    // The deadline here counts for commands that were sent, too.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newClient>;

interface Script {
  readonly id: string;
  readonly source: string;
}

/**
 * A connection to a Redis server that is made anew for as long as it is not closed. While there is none, scripts fail at once. A server
 * that is late loses its connection, so that nothing queues up for one that hangs.
 */
export class RedisConnection {
  readonly #place: RedisPlace;
  readonly #script: Script;
  readonly #deadlines: RedisDeadlines;
  #client: Client | null = null;
  /** Why there is no connection. */
  #absence = 'it has not been reached yet';
  #waiting = 0;
  #pauseMs = firstPauseMs;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  /** @param script the one that is run; without keys and arguments it has to do nothing */
  constructor(place: RedisPlace, script: Script, deadlines: RedisDeadlines) {
    this.#place = place;
    this.#script = script;
    this.#deadlines = deadlines;
  }

  /** The first attempt to connect; others follow by themselves where it fails. */
  async open(): Promise<void> {
    if (!(await this.#connect())) this.#connectLater();
  }

  /** Runs the script; it is sent in full where the server does not know it. The error is a clause about the server. */
  async run(rest: readonly string[]): Promise<Result<unknown, string>> {
    const { answerMs } = this.#deadlines;
    const client = this.#client;
    if (client === null) return err(this.#absence);
    if (this.#waiting >= mostWaiting) return err('it has too much to do');
    this.#waiting += 1;
    try {
      const answer = await beforeDeadline(ask(client, this.#script, rest), answerMs);
      if (answer !== late) return ok(answer);
      const clause = `it gave no answer within ${answerMs} ms`;
      this.#lose(client, clause);
      return err(clause);
    } catch (error) {
      return err(failureClause(error));
    } finally {
      this.#waiting -= 1;
    }
  }

  /** What was asked and has no answer yet gets none. */
  close(): void {
    this.#closed = true;
    this.#absence = 'the connection to it is closed';
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#client?.destroy();
    this.#client = null;
  }

  async #connect(): Promise<boolean> {
    const { connectMs } = this.#deadlines;
    const client = newClient(this.#place, connectMs);
    client.on('error', (error: unknown) => this.#lose(client, failureClause(error)));
    // A server that hangs takes connections all the same: only an answer shows that it does not. It knows the script then.
    const connecting = client.connect().then(() => client.sendCommand(['EVAL', this.#script.source, '0']));
    try {
      if ((await beforeDeadline<unknown>(connecting, connectMs)) === late) {
        this.#absence = `no connection within ${connectMs} ms`;
        // Where it gets through after all, there is something to let go of again.
        void connecting.catch(() => undefined).then(() => client.destroy());
      } else if (!this.#closed && client.isReady) {
        this.#client = client;
        this.#pauseMs = firstPauseMs;
        return true;
      }
    } catch (error) {
      this.#absence = failureClause(error);
    }
    client.destroy();
    return false;
  }

  #lose(client: Client, clause: string): void {
    // What never became the connection is dealt with by who connects.
    if (this.#client !== client) return;
    this.#client = null;
    this.#absence = clause;
    client.destroy();
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#closed) return;
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#retry = setTimeout(async () => {
      if (!(await this.#connect())) this.#connectLater();
    }, pauseMs);
    // A program that has nothing else to do may end.
    this.#retry.unref();
  }
}

const ask = async (client: Client, { id, source }: Script, rest: readonly string[]): Promise<unknown> => {
  try {
    return await client.sendCommand(['EVALSHA', id, ...rest]);
  } catch (error) {
    if (answerCode(error) !== 'NOSCRIPT') throw error;
    // Nothing was run then.
    return await client.sendCommand(['EVAL', source, ...rest]);
  }
};

import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import type { EndedSessions, SessionEndings } from '../sessions/session-endings.js';
import { endedSessions } from './store-topics.js';

/**
 * Timeout for a worker's reply, in milliseconds. A worker that misses a notification asks the store within seconds
 * anyway.
 */
export const relayDeadlineMs = 250;

/** In the supervisor: relays the sessions that one worker ended to all others. */
export class EndedSessionsRelay {
  readonly #workers = new Set<Pick<WorkerChannel, 'ask' | 'answer'>>();

  /** Starts to serve a worker. Call the result when the worker is gone. */
  serve(worker: Pick<WorkerChannel, 'ask' | 'answer'>): () => void {
    this.#workers.add(worker);
    worker.answer(endedSessions, async (ended) => {
      const others = [...this.#workers].filter((other) => other !== worker);
      await Promise.all(others.map((other) => other.ask(endedSessions, ended, relayDeadlineMs)));
      return null;
    });
    return () => void this.#workers.delete(worker);
  }
}

/** Maximum time that the supervisor adds to the wait for the others, in milliseconds. */
const supervisorMs = 250;

/**
 * In a worker: announces ended sessions through the supervisor. A worker that misses the announcement asks the store
 * within seconds anyway.
 */
export class RelayedSessionEndings implements SessionEndings {
  readonly #channel: Pick<WorkerChannel, 'ask'>;
  readonly #listeners: ((ended: EndedSessions) => void)[] = [];

  constructor(channel: Pick<WorkerChannel, 'ask' | 'answer'>) {
    this.#channel = channel;
    channel.answer(endedSessions, (ended) => {
      for (const listener of this.#listeners) listener(ended);
      return null;
    });
  }

  async announce(ended: EndedSessions): Promise<void> {
    await this.#channel.ask(endedSessions, ended, relayDeadlineMs + supervisorMs);
  }

  hear(listener: (ended: EndedSessions) => void): void {
    this.#listeners.push(listener);
  }
}

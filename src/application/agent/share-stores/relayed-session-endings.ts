import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import type { EndedSessions, SessionEndings } from '../sessions/session-endings.js';
import { endedSessions } from './store-topics.js';

/**
 * How long a worker is waited for that does not answer; what it has remembered of a session is over in seconds by
 * itself.
 */
export const relayDeadlineMs = 250;

/** In the supervisor: passes on to all workers which sessions one of them has ended. */
export class EndedSessionsRelay {
  readonly #workers = new Set<Pick<WorkerChannel, 'ask' | 'answer'>>();

  /** Serves one worker from now on. The result ends that: to be called when it is gone. */
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

/** What the supervisor takes beside the wait for the others, at most; milliseconds. */
const supervisorMs = 250;

/**
 * In a worker: tells the others through the supervisor. Whom that does not reach asks the store within seconds
 * anyway.
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

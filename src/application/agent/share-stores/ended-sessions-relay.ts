import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import { endedSessions } from './ended-sessions-topic.js';

/** How long a worker is waited for that does not answer; what it has remembered of a session is over in seconds by itself. */
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

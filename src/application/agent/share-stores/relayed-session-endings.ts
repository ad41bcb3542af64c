import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import type { EndedSessions, SessionEndings } from '../sessions/session-endings.js';
import { relayDeadlineMs } from './ended-sessions-relay.js';
import { endedSessions } from './ended-sessions-topic.js';

/** What the supervisor takes beside the wait for the others, at the most; milliseconds. */
const supervisorMs = 250;

/** In a worker: tells the others through the supervisor. Whom that does not reach asks the store within seconds anyway. */
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
